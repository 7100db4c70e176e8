"""How decisions are sorted where somebody looks back at many."""

from ...game import Move, Tendencies
from .rules import State

EPOCHS = (
    ("epoch 1", "in the first epoch"),
    ("epoch 2", "in the second epoch"),
    ("epoch 3", "in the third epoch"),
)
THROWING, USING, HARMING = "throwing", "using dice", "catastrophes"
KINDS = {
    "keep": THROWING, "throw": THROWING, "done": USING, "pharaoh": USING, "nile": USING, "flood": USING,
    "civilisation": USING, "build": USING, "catastrophe": HARMING, "remove": HARMING,
}  # fmt: skip
SENTENCES = {
    "throws": "You throw again {when} where keeping the dice would be better.",
    "keeps": "You keep the dice too soon {when}.",
    "wrong dice": "You throw the wrong dice again {when}.",
    "uses": "You use dice for the wrong thing {when}.",
}


def epoch(s: State) -> int:
    """The epoch, from 0."""
    return max(0, s.epoch - 1)


def tendency(state: State, played: Move, better: Move) -> str:
    """What is wrong with throwing, with keeping or with using dice."""
    if KINDS[played.parts[0]] == KINDS[better.parts[0]] == USING:
        return "uses"
    pair = (played.parts[0], better.parts[0])
    return {("throw", "keep"): "throws", ("keep", "throw"): "keeps", ("throw", "throw"): "wrong dice"}.get(
        pair, ""
    )


TENDENCIES = Tendencies(EPOCHS, epoch, KINDS, tendency, SENTENCES)
