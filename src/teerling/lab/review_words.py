"""The words of a review: changes with their sign, mistakes and strokes of luck as sentences, accounts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import Phrase
from ..game import Move
from ..match import Match
from ..words import Figure, Speaker
from .mistakes import Judgement
from .review import SeatReview, Stroke

GRADE_WORDS = {"blunder": Phrase("blunder"), "mistake": Phrase("mistake"), "slip": Phrase("slip")}
PARTS = ("start", "luck", "own", "others")
"""What a result is made of."""
MOST_TOLD = 3
"""So many draws or throws of a stroke of luck are told, in a sentence each."""


def signed(share: float, say: Speaker) -> str:
    """A change of the chance to win, with its sign.

    >>> signed(-0.094, Speaker("en")), signed(0.25, Speaker("nl"))
    ('−9%', '+25%')
    """
    return signed_percent(round(100 * share), say)


def signed_percent(percent: int, say: Speaker) -> str:
    """The same of a whole number of hundredths."""
    number = Figure(percent)
    return say("{number}%", number=f"{number:+d}" if number else "0")


def signed_result(share: float, say: Speaker) -> str:
    """A share of the win that may lie below nothing."""
    return say("{number}%", number=f"{Figure(round(100 * share)):d}")


def one_after_another(place: int) -> int:
    """Moves are numbered from 1, chance events among them."""
    return place + 1


def nothing_told(place: int) -> Sequence[str]:
    """Of moves that nobody has told of."""
    return ()


def told_of(match: Match, names: Sequence[str], say: Speaker) -> Callable[[int], Sequence[str]]:
    """What everybody was told of the moves of a match."""
    steps = match.steps_of(None)
    return lambda place: [say.say(event, names) for event in steps[place]]


@dataclass(frozen=True)
class Telling:
    """Who tells of a review: in whose words, what everybody is called, and how moves are numbered."""

    say: Speaker
    names: tuple[str, ...]
    number: Callable[[int], int] = one_after_another
    """The number by which readers know the move at a place of the history."""
    you: int | None = None
    """The reader's seat."""
    sentences: Callable[[int], Sequence[str]] = nothing_told
    """What was told of the move at a place of the history."""

    def moves(self, moves: Sequence[Move]) -> str:
        """Moves in a row; equal ones together."""
        texts = [self.say.move(move) for move in moves]
        counted = {text: texts.count(text) for text in texts}
        return ", ".join(text if count == 1 else f"{count} × {text}" for text, count in counted.items())

    def came(self, stroke: Stroke) -> str:
        """What a stroke of luck brought: what was told first of each draw or throw, or the bare outcomes."""
        places = range(stroke.place, stroke.place + len(stroke.moves))
        told = list(dict.fromkeys(text for place in places for text in self.sentences(place)[:1]))
        more = ["…"] if len(told) > MOST_TOLD else []
        return ". ".join([*told[:MOST_TOLD], *more]) or self.moves(stroke.moves)

    def stroke(self, stroke: Stroke) -> str:
        """A stroke of luck in a sentence."""
        say = self.say
        return say(
            "Move {number}: {what}, {change} for you"
            if stroke.seat == self.you
            else "Move {number}: {what}, {change} for {seat}",
            number=self.number(stroke.place), what=self.came(stroke),
            change=signed(stroke.size, say), seat=self.names[stroke.seat],
        )  # fmt: skip

    def mistake(self, judgement: Judgement) -> str:
        """A mistake in a sentence."""
        say = self.say
        return say(
            "Move {number}: your {grade}, {change}: “{played}”; better was “{best}”"
            if judgement.seat == self.you
            else "Move {number}: {grade} of {seat}, {change}: “{played}”; better was “{best}”",
            number=self.number(judgement.place), grade=self.grade(judgement),
            seat=self.names[judgement.seat], change=signed(-judgement.loss, say),
            played=say.move(judgement.played), best=say.move(judgement.best),
        )  # fmt: skip

    def grade(self, judgement: Judgement) -> str:
        """What a mistake is called."""
        return self.say.phrase(GRADE_WORDS[judgement.grade])

    def between(self, judgement: Judgement) -> str:
        """The interval of a loss."""
        low, high = (signed(-end, self.say) for end in reversed(judgement.interval))
        return self.say("between {low} and {high}", low=low, high=high)


def part_name(part: str, say: Speaker) -> str:
    """What a part of a result is called."""
    return {
        "start": say("start"),
        "luck": say("luck"),
        "own": say("own moves"),
        "others": say("moves of the others"),
    }[part]


def percents(seat: SeatReview) -> dict[str, int]:
    """The parts of a seat's result in whole hundredths, which add up to it.

    >>> parts = {"start": 0.256, "luck": 0.256, "own": 0.256, "others": 0.232}
    >>> more = {"luck_error": None, "error_rate": None, "decisions": 0, "loss": 0.0}
    >>> percents(SeatReview(seat=0, name="Anne", result=1.0, **parts, **more))
    {'start': 25, 'luck': 26, 'own': 26, 'others': 23}
    """
    shown = {part: round(100 * getattr(seat, part)) for part in PARTS}
    excess = sum(shown.values()) - round(100 * seat.result)
    while excess:
        step = 1 if excess > 0 else -1
        # Whichever was rounded furthest in that direction.
        off = max(PARTS, key=lambda part: step * (shown[part] - 100 * getattr(seat, part)))
        shown[off] -= step
        excess -= step
    return shown


def account_headings(say: Speaker) -> list[str]:
    """What stands above the columns of an account."""
    parts = [part_name(part, say) for part in PARTS]
    return [*parts, say("result"), say("result without luck"), say("error rate")]


def account_row(seat: SeatReview, say: Speaker) -> list[str]:
    """The figures of a seat; the parts add up to the result."""
    shown = percents(seat)
    error = "" if seat.luck_error is None else f" ± {say.number(100 * seat.luck_error)}"
    luck, own, others = (signed_percent(shown[part], say) for part in ("luck", "own", "others"))
    result = [say.percent(seat.result), signed_result(seat.adjusted, say)]
    rate = "" if seat.error_rate is None else say.percent(seat.error_rate)
    return [signed_result(shown["start"] / 100, say), luck + error, own, others, *result, rate]


def meaning(playouts: int, say: Speaker) -> tuple[str, ...]:
    """What luck and mistakes are, and where the chances come from."""
    return (
        say(
            "Whenever a tile was drawn or a die thrown, everything that could have come was looked "
            "at. Luck is how much better or worse the chances were after what came than they are on "
            "average. Over many matches luck is nothing for everybody; in one match it may decide."
        ),
        say(
            "A move is judged only by what its player could know. It is called a slip, a mistake or a "
            "blunder if another move would surely have been better: by 1%, 3% or 8% of a win. The "
            "error rate is the part of what was at stake that was given away: 0% is flawless, 100% is "
            "like choosing at random."
        ),
        say(
            "Chances come from {n} games played on from every position, so figures have an error; the one "
            "behind ± is that of luck.",
            n=playouts,
        ),
    )
