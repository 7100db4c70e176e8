"""The steps of the first-time guide that Ra and Priests of Ra share."""

GOAL = (
    "players",
    "Whoever has the most fame after three epochs wins. Tiles bring fame, and you win them in auctions: "
    "here you see what everybody has.",
)
SUNS = (
    "suns",
    "You bid with your suns: one of them in each auction, and each wins only once in an epoch. "
    "The grey ones lie face down.",
)
MIDDLE = (
    "middle",
    "Whoever wins a row also gets this sun, face down until the next epoch. "
    "The sun that was bid comes here in its place.",
)
RA_ROW = (
    "ra-row",
    "Ra tiles come here. When the last space is filled, the epoch is over at once, "
    "so suns you have not used by then have brought you nothing.",
)
BAG = (
    "bag",
    "This is what can still be drawn. Mind the Ra tiles: the more of them are left, "
    "the sooner the epoch may end.",
)
