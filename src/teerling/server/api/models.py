"""What programs send, and what they are answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..actions import MOST_MOVE
from ..people import MOST_NAME

MOST_SEATS = 20
MOST_SOURCE = 60 * 1024
"""How long a match file may be that is sent along."""


# What is sent


def _whole(value: object) -> object:
    """To JSON 3.0 is a whole number too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
Seat = Annotated[int, Field(ge=0, lt=MOST_SEATS), BeforeValidator(_whole)]
Version = Annotated[int, Field(ge=0), BeforeValidator(_whole)]


class Wanted(BaseModel):
    """What a program sends; anything that does not belong there is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class WantedSeat(Wanted):
    kind: Literal["me", "open", "bot"] = Field(
        description="Who sits here: the program itself, whoever comes, or a bot."
    )
    name: str = Field("", max_length=MOST_NAME, description="A name of its own for this seat.")
    level: str = Field("", max_length=20, description="Of a bot: its level, as listed with the games.")


class WantedTable(Wanted):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "game": "ra",
                    "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}],
                    "name": "Tester",
                }
            ]
        }
    )
    game: str = Field(max_length=40, description="The id of a game.")
    seats: list[WantedSeat] = Field(max_length=MOST_SEATS, description="All seats, in order.")
    options: dict[str, bool | Whole | str | list[Whole]] = Field(
        default_factory=dict,
        max_length=20,
        description="Options of the game; the others have their default.",
    )
    name: str = Field("", max_length=MOST_NAME, description="What the program is called at the table.")
    public: bool = Field(True, description="Whether the table is listed; otherwise only its id leads there.")
    pace: Literal["live", "days"] = Field("live", description="Live, or days to move.")
    hints: Literal["bots", "all", "none"] = Field(
        "bots", description="Who may ask for hints: those who play against bots only, everybody, or nobody."
    )
    tutor: bool = Field(
        False,
        description="Against bots only: whether a move that loses clearly is refused until it is sure.",
    )


class WantedPlace(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Tester"}]})
    seat: Seat | None = Field(None, description="Which free seat; otherwise the first.")
    name: str = Field("", max_length=MOST_NAME, description="What the program is called at the table.")


class WantedMove(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"move": "draw", "at": 1}]})
    move: str = Field(max_length=MOST_MOVE, description="The text of a move, as listed with the legal moves.")
    at: Version | None = Field(
        None,
        description="The version that the program has seen; 409 if there is a newer one.",
    )
    sure: bool = Field(False, description="Whether it is made even if the tutor would ask (tutor).")


class WantedBranch(Wanted):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"source": "k3j5h2mwpa", "step": 41, "seat": 0, "levels": ["club"], "luck": "new"},
            ]
        }
    )
    source: str = Field(
        max_length=MOST_SOURCE,
        description="The match to be played on: the id of a table whose match is over, or the text of a "
        "match file.",
    )
    step: Version = Field(description="How many decisions of that match are kept; its replay counts them.")
    seat: Seat | None = Field(None, description="The program's seat; otherwise that of whoever is to move.")
    levels: list[Annotated[str, Field(max_length=20)]] = Field(
        default_factory=list,
        max_length=MOST_SEATS,
        description="The level of all bots, or one for each seat; that of the program's own says nothing.",
    )
    luck: Literal["was", "new"] = Field(
        "was",
        description="was: to the same questions nature gives the same answers; new: she gives others.",
    )
    name: str = Field("", max_length=MOST_NAME, description="What the program is called at the table.")


class WantedBack(Wanted):
    model_config = ConfigDict(json_schema_extra={"examples": [{"at": 2}]})
    at: Version | None = Field(
        None,
        description="The version that the program has seen; 409 if there is a newer one.",
    )


# What is answered


class Trouble(BaseModel):
    kind: str = Field(description="What it is, for programs: stale, illegal_move and the like.")
    message: str = Field(description="What it is, for people, in the language of Accept-Language.")
    rule: str | None = Field(None, description="The rule that a move would break.")


class Problem(BaseModel):
    error: Trouble


class OptionInfo(BaseModel):
    name: str
    kind: str = Field(description="number, choice, flag or counts")
    text: str = Field(description="What it changes.")
    values: str = Field(description="What may be chosen, in words.")
    default: bool | int | str | list[int] | None
    least: int | None = None
    most: int | None = None
    choices: list[int | str] | None = None
    names: list[str] | None = Field(default=None, description="Of counts: what is counted.")


class GameInfo(BaseModel):
    id: str
    name: str
    author: str
    year: int
    least_players: int
    most_players: int
    minutes: int
    summary: str
    rules: int = Field(description="The version of the rules.")
    options: list[OptionInfo]


class Level(BaseModel):
    name: str
    text: str


class GameList(BaseModel):
    games: list[GameInfo]
    levels: list[Level] = Field(description="The bots that there are, weakest first.")


class SeatInfo(BaseModel):
    seat: int
    kind: str = Field(description="person, bot or open")
    name: str
    level: str | None = Field(description="The level of a bot, or of the bot that sits in for a person.")
    sits_in: bool = Field(description="Whether a bot sits in for a person.")


class BranchInfo(BaseModel):
    source: str = Field(description="The match: the id of its table, or file- and digits of its SHA-256.")
    step: int
    luck: str = Field(description="was or new")


class TableInfo(BaseModel):
    id: str
    game: str
    options: dict[str, str]
    status: str = Field(description="open, playing or over")
    ending: str | None = Field(description="finished, resigned, abandoned or time")
    pace: str
    public: bool
    hints: str = Field(description="bots, all or none")
    turn: int | None = Field(description="The seat whose turn it is.")
    seats: list[SeatInfo]
    page: str = Field(description="Where people see it.")
    branch: BranchInfo | None = Field(
        default=None, description="From which match this one was branched; its result counts for nobody."
    )


class TableList(BaseModel):
    tables: list[TableInfo]


class Seated(BaseModel):
    table: TableInfo
    seats: list[int] = Field(description="The seats of the program.")
    token: str | None = Field(
        description="To be sent as Authorization: Bearer …; it is shown only here. None without a seat."
    )


class EventInfo(BaseModel):
    kind: str
    rule: str
    seat: int | None
    data: dict[str, Any]
    text: str = Field(description="The event as a sentence, in the language of Accept-Language.")


class State(BaseModel):
    table: TableInfo
    version: int = Field(description="Goes up with everything that happens.")
    seat: int | None = Field(description="The seat that sees this; none: a spectator.")
    own: list[int] = Field(description="The seats of the token.")
    yours: bool = Field(description="Whether it is the seat's turn.")
    may_take_back: bool
    seal: str = Field(description="SHA-256 of the seed.")
    seed: str | None = Field(description="Shown when the match is over.")
    view: dict[str, Any] = Field(description="What the seat may see, legal moves included.")


class MoveInfo(BaseModel):
    id: int
    text: str


class LegalMoves(BaseModel):
    version: int
    seat: int | None
    yours: bool
    moves: list[MoveInfo] = Field(description="None if it is not the seat's turn.")


class Weighed(BaseModel):
    move: str
    playouts: int = Field(description="How often it was tried; 0 if it is the only move, say.")
    win: float | None = Field(description="The share of playouts that were won; null if it was not tried.")
    score: float | None = Field(description="The mean of the seat's points at the end.")
    spread: float | None = Field(description="The standard deviation of those points.")


class HintAnswer(BaseModel):
    version: int
    seat: int
    player: str = Field(description="Who was asked.")
    moves: list[Weighed] = Field(description="The legal moves, best first.")
    reason: str = Field(description="Why the first is better than another, in a sentence.")


class ReviewAnswer(BaseModel):
    done: float = Field(description="How much is worked out, from 0 to 1; ask again until it is 1.")
    before: int = Field(description="How many reviews are worked out before this one.")
    review: dict[str, Any] | None = Field(
        description="When all is done: what `teerling review --json` gives. Everything is a share of the win."
    )


class Played(BaseModel):
    number: int = Field(description="Counting from 1.")
    seat: int | None = Field(description="Who decided; none: nature.")
    text: str = Field(description="The move; what the seat may not know reads like: card ?")
    events: list[EventInfo]


class History(BaseModel):
    version: int
    seat: int | None
    moves: list[Played]


class Change(BaseModel):
    """A message of the stream."""

    version: int
    status: str
    turn: int | None
    yours: bool
    moves: int = Field(description="How many moves there are now.")
    taken_back: int = Field(description="How many moves were taken back since the last message.")
    events: list[EventInfo] = Field(description="What happened since the last message, as the seat knows it.")
