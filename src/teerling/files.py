"""The text of a match: short, readable, and simple enough to be written by hand.

    teerling 1
    game ra
    rules 1
    players 3
    option fame open
    seat 0 Anne
    seed 7
    moves
    > stack 2 > stack 1
    1: draw > tile nile
    2: invoke
    0: pass
    end

A line of moves is a seat and its decision, then nature's answers, each after `>`. Instead of
`seed` there is `seal` (SHA-256 of a seed that is not told) or `chance manual`. `position` (JSON on
one line) is there if the match did not start from the beginning, `scores` if it is over. A line
`back 1 2` among the moves says that seat 1 came back here by a take back, and that two of nature's
answers went with it: the next is her third from here, as she gives none twice. A line
`branch k3j5h2mw 41 37` in the head says that the match was branched from match `k3j5h2mw` after 41
decisions, and that nature's first 37 answers are those of that match; the seed gives the rest.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import BadFile, Phrase

FORMAT = "teerling 1"
ONCE = ("game", "rules", "players", "branch", "seed", "seal", "chance", "position", "scores")
SEVERAL = ("option", "seat")
MOST_DIGITS = 9


@dataclass(frozen=True)
class TakenBack:
    """A take back that took answers of nature with it; she does not give them again."""

    place: int
    """To how many moves, nature's too, it went back."""
    seat: int
    draws: int
    """How many answers of nature it took with it."""
    line: int = field(default=0, compare=False)
    """Where it stands in a file."""


@dataclass(frozen=True)
class Branch:
    """Where a match was branched from another, to be played on in another way."""

    source: str
    """The other match: the id of its table, or `file-` and the first digits of the SHA-256 of its file."""
    step: int
    """How many decisions had been made there."""
    given: int = 0
    """How many of nature's answers are those of the other match, and not of this one's seed; none if both
    have the same."""


@dataclass
class Transcript:
    """What a match file says, before anybody has checked it against the rules."""

    game: str
    rules: int
    players: int
    options: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    seed: str | None = None
    seal: str | None = None
    position: Mapping[str, Any] | None = None
    moves: Sequence[tuple[int | None, str, int]] = ()
    """Seat (None: nature), text of the move, and number of the line."""
    taken_back: Sequence[TakenBack] = ()
    branch: Branch | None = None
    scores: Sequence[int] | None = None
    seen_by: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)
    """Where the entries of the head stand."""


def write(transcript: Transcript) -> str:
    """The text of a transcript."""
    t = transcript
    lines = [FORMAT if t.seen_by is None else f"{FORMAT} seen by {t.seen_by}"]
    lines += [f"game {t.game}", f"rules {t.rules}", f"players {t.players}"]
    lines += [f"option {name} {value}" for name, value in t.options.items()]
    lines += [f"seat {seat} {name}" for seat, name in t.names.items()]
    if t.branch is not None:
        given = f" {t.branch.given}" if t.branch.given else ""
        lines.append(f"branch {t.branch.source} {t.branch.step}{given}")
    if t.seed is not None:
        lines.append(f"seed {t.seed}")
    elif t.seal is not None:
        lines.append(f"seal {t.seal}")
    else:
        lines.append("chance manual")
    if t.position is not None:
        lines.append(f"position {json.dumps(t.position, ensure_ascii=False, separators=(',', ':'))}")
    lines.append("moves")
    backs: dict[int, list[str]] = {}
    for each in t.taken_back:
        backs.setdefault(each.place, []).append(f"back {each.seat} {each.draws}")
    line = ""
    for place, (seat, text, _) in enumerate(t.moves):
        if seat is None:
            line = f"{line} > {text}".lstrip()
        else:
            lines += [line] if line else []
            lines += backs.get(place, [])
            line = f"{seat}: {text}"
    lines += [line] if line else []
    lines += backs.get(len(t.moves), [])
    if t.scores is not None:
        lines.append(f"scores {' '.join(map(str, t.scores))}")
    return "\n".join([*lines, "end", ""])


def read(text: str) -> Transcript:
    """The transcript of a text; BadFile names the line that does not fit."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines or not lines[0][1].startswith("teerling "):
        raise BadFile(
            Phrase("a match file begins with the line {line!r}", line=FORMAT), lines[0][0] if lines else 1
        )
    if lines[0][1].startswith(f"{FORMAT} seen by"):
        raise BadFile(
            Phrase("this tells what one seat may know of a match; it is not the match"), lines[0][0]
        )
    if lines[0][1] != FORMAT:
        raise BadFile(
            Phrase(
                "this file is of another format, {given!r}; {known!r} is known",
                given=lines[0][1], known=FORMAT,
            ),
            lines[0][0],
        )  # fmt: skip
    if lines[-1][1] != "end":
        raise BadFile(
            Phrase("the file stops without its last line 'end'; it seems to be cut short"), lines[-1][0]
        )
    head: dict[str, tuple[str, int]] = {}
    options: dict[str, str] = {}
    names: dict[int, str] = {}
    moves: list[tuple[int | None, str, int]] = []
    taken_back: list[TakenBack] = []
    in_moves = False
    for number, line in lines[1:-1]:
        word, _, rest = line.partition(" ")
        if line == "moves" and not in_moves:
            in_moves = True
        elif in_moves and word != "scores":
            if "scores" in head:
                raise BadFile(Phrase("nothing but 'end' follows the scores"), number)
            if word == "back":
                taken_back.append(_taken_back_of(rest, len(moves), number))
            else:
                moves += _moves_of(line, number)
        elif word == "option":
            name, _, value = rest.partition(" ")
            if name in options:
                raise BadFile(Phrase("option {name} is given twice", name=name), number)
            options[name] = value
            head[f"option {name}"] = value, number
        elif word == "seat":
            seat, _, name = rest.partition(" ")
            if not _is_number(seat) or int(seat) in names:
                raise BadFile(
                    Phrase("expected a seat that was not named yet, not {text!r}", text=rest), number
                )
            names[int(seat)] = name
        elif word in ONCE and word not in head:
            head[word] = rest, number
        else:
            raise BadFile(
                Phrase(
                    "{word!r} does not belong here, or is given twice; known are {known}",
                    word=word, known=", ".join((*ONCE, *SEVERAL, "moves")),
                ),
                number,
            )  # fmt: skip
    if not in_moves:
        raise BadFile(Phrase("the line {line!r} is missing", line="moves"), lines[-1][0])

    def number_of(word: str) -> int:
        rest, number = head.get(word, ("", lines[-1][0]))
        if not _is_number(rest):
            raise BadFile(Phrase("{word} needs a number, as in '{word} 3'", word=word), number)
        return int(rest)

    def text_of(word: str) -> str | None:
        return head[word][0] if word in head else None

    if "game" not in head:
        raise BadFile(Phrase("the line {line!r} is missing", line="game …"), lines[-1][0])
    if "seed" in head and not head["seed"][0]:
        raise BadFile(Phrase("seed needs a number or a short text"), head["seed"][1])
    if len({"seed", "seal", "chance"} & set(head)) != 1 or text_of("chance") not in (None, "manual"):
        raise BadFile(Phrase("expected one of 'seed …', 'seal …' and 'chance manual'"), lines[0][0])
    return Transcript(
        game=head["game"][0],
        rules=number_of("rules"),
        players=number_of("players"),
        options=options,
        names=names,
        seed=text_of("seed"),
        seal=text_of("seal"),
        position=_position_of(*head["position"]) if "position" in head else None,
        moves=moves,
        taken_back=taken_back,
        branch=_branch_of(*head["branch"]) if "branch" in head else None,
        scores=_scores_of(*head["scores"]) if "scores" in head else None,
        lines={word: number for word, (_, number) in head.items()},
    )


def _moves_of(line: str, number: int) -> list[tuple[int | None, str, int]]:
    decision, *answers = (part.strip() for part in line.split(">"))
    found: list[tuple[int | None, str, int]] = []
    if decision:
        seat, colon, text = decision.partition(":")
        if not colon or not _is_number(seat.strip()) or not text.strip():
            raise BadFile(
                Phrase("expected a seat and its move, as in '2: draw', not {text!r}", text=decision), number
            )
        found.append((int(seat), text.strip(), number))
    if not all(answers):
        raise BadFile(Phrase("nature's answer is missing behind a '>'"), number)
    return found + [(None, answer, number) for answer in answers]


def _taken_back_of(text: str, place: int, number: int) -> TakenBack:
    seat, _, draws = text.partition(" ")
    if not _is_number(seat) or not _is_number(draws) or int(draws) == 0:
        raise BadFile(
            Phrase(
                "expected a seat and how many of nature's answers it took back, as in 'back 1 2', "
                "not {text!r}",
                text=f"back {text}",
            ),
            number,
        )
    return TakenBack(place, int(seat), int(draws), number)


def _branch_of(text: str, number: int) -> Branch:
    source, *numbers = text.split(" ")
    if not source or len(numbers) not in (1, 2) or not all(map(_is_number, numbers)):
        raise BadFile(
            Phrase(
                "expected a match, a step and how many of nature's answers are from there, as in "
                "'branch k3j5h2mw 41 37', not {text!r}",
                text=f"branch {text}",
            ),
            number,
        )
    return Branch(source, *map(int, numbers))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= MOST_DIGITS


def _position_of(text: str, number: int) -> Mapping[str, Any]:
    try:
        position = json.loads(text)
    except (ValueError, RecursionError):
        position = None
    if not isinstance(position, dict):
        raise BadFile(Phrase("position needs a JSON object on the same line"), number)
    return position


def _scores_of(text: str, number: int) -> Sequence[int]:
    try:
        return [int(part) for part in text.split()]
    except ValueError:
        raise BadFile(Phrase("scores needs numbers, not {text!r}", text=text), number) from None
