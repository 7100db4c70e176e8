"""A match: a game as it is played, move by move."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import files
from .engine import CHANCE, HIDDEN, OVER
from .engine.states import States
from .errors import (
    BadPlayers,
    IllegalMove,
    NoSuchStep,
    NothingToTakeBack,
    Phrase,
    Sentence,
    TeerlingError,
    WrongOutcome,
)
from .files import Branch, TakenBack
from .game import SPECTATOR, Event, Game, Move, game
from .nature import Nature, Sealed
from .past import Past
from .told import Told
from .words import Speaker

SCHEMA = 1
"""The version of what `Match.view` gives."""


class Match:
    """A game with all its moves so far.

    >>> import teerling
    >>> match = teerling.new("ra", players=3, seed=7)
    >>> match.turn, [str(move) for move in match.legal_moves]
    (2, ['draw', 'invoke'])
    >>> match.push("draw")
    >>> str(match.history[-1])
    'tile ra'
    >>> str(match.pop())
    'draw'

    Seats count from 0. If the match has a nature, she answers chance events at once; otherwise
    `turn` is `CHANCE` and an outcome is pushed like any move. A copy has no nature.
    """

    def __init__(
        self,
        game: Game,
        start: Any,
        options: Mapping[str, Any],
        names: Sequence[str] = (),
        nature: Nature | None = None,
        placed: bool = False,
        past: Past | None = None,
    ) -> None:
        self.game = game
        self.options = dict(options)
        self.names = _checked_names(names, start.players)
        self.seal: str | None = getattr(nature, "seal", None)
        """SHA-256 of the seed of this match's nature, if she is sealed."""
        self.branch: Branch | None = None
        """From which other match it was branched, and where; None for a match of its own."""
        self._placed = placed
        self._nature = nature
        self.past = past or Past(States(type(start), [start]))
        """All that happened, to go on from."""
        self._told = Told(game, self.past)
        self._let_nature_answer()

    def __repr__(self) -> str:
        turn = {None: "over", CHANCE: "nature to move"}.get(self.turn, f"seat {self.turn} to move")
        return f"<Match of {self.game.name}, {self.players} players, {len(self.past.moves)} moves, {turn}>"

    @property
    def players(self) -> int:
        return int(self.state.players)

    @property
    def version(self) -> int:
        """The version of the rules that this match is played by."""
        return int(self.state.version)

    @property
    def state(self) -> Any:
        """The record of the game as it stands. Read it; what changes it is `push`."""
        return self.past.states.last

    @property
    def states(self) -> States[Any]:
        """The records the match went through: the one each move was made in, and last the present one.

        They grow with the match. An old one is a copy that is made when it is asked for.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> len(match.states) - len(match.history)
        1
        >>> match.states[-1] is match.state
        True
        """
        return self.past.states

    @property
    def turns(self) -> Sequence[int]:
        """Who made each move of the history: a seat, or `CHANCE`. It grows with the match.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> match.turns[-2:].tolist()
        [2, -1]
        """
        return self.past.turns

    @property
    def pushes(self) -> tuple[int, ...]:
        """Where in `history` the moves stand that were pushed; the others are nature's answers.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> [str(match.history[place]) for place in match.pushes], str(match.history[-1])
        (['draw'], 'tile ra')
        """
        return tuple(self.past.pushed)

    @property
    def seed(self) -> str | None:
        """The seed of this match's nature, if she is sealed; a copy does not have it.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.seed, match.copy().seed
        ('7', None)
        """
        return self._nature.seed if isinstance(self._nature, Sealed) else None

    @property
    def turn(self) -> int | None:
        """The seat to decide, `CHANCE` when nature does, None when it is over."""
        return None if self.state.turn == OVER else int(self.state.turn)

    @property
    def is_chance(self) -> bool:
        """Whether nature is to answer: then `legal_moves` are the possible outcomes.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.is_chance, match.preview("draw").is_chance
        (False, True)
        """
        return bool(self.state.turn == CHANCE)

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.turn is None

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """What the seat to decide may do; at a chance event its possible outcomes."""
        return self.game.legal_moves(self.state)

    @property
    def chances(self) -> tuple[tuple[Move, Fraction], ...]:
        """At a chance event every possible outcome with its probability; otherwise nothing."""
        if self.turn != CHANCE:
            return ()
        weights = self.game.weights(self.state)
        return tuple((move, Fraction(weights[move.id], sum(weights))) for move in self.legal_moves)

    @property
    def forced(self) -> Move | None:
        """The only legal decision, where everybody can know that it is the only one (G-01)."""
        if self.turn is None or self.turn == CHANCE:
            return None
        moves = self.legal_moves
        return moves[0] if len(moves) == 1 and self.game.evident(self.state) else None

    def why(self, move: Move | str | int) -> Event | None:
        """Why a move is not legal, as an event with its rule; None if it is legal."""
        move = self.game.move(move, chance=self.turn == CHANCE)
        if move in self.legal_moves:
            return None
        if self.over:
            return Event("match_over", "G-01")
        if self.turn == CHANCE:
            return Event("impossible_outcome" if move.chance else "nature_decides", "G-01")
        if move.chance:
            return Event("not_natures_turn", "G-01", self.turn)
        return self.game.why(self.state, move)

    def push(self, move: Move | str | int) -> None:
        """Makes a move, given as itself, as text or as id; IllegalMove says why it cannot be made."""
        move = self.game.move(move, chance=self.turn == CHANCE)
        reason = self.why(move)
        if reason is not None:
            said = Speaker("en", self.game).say(reason, self.names)
            raise IllegalMove(
                Phrase(
                    "{move} is not possible now: {reason} ({rule})",
                    move=move.text, reason=Sentence(said, reason, self.game, self.names), rule=reason.rule,
                ),
                reason,
            )  # fmt: skip
        self.past.pushed.append(len(self.past.moves))
        self._apply(move)
        self._let_nature_answer()

    def pop(self) -> Move:
        """Takes back what was pushed last, with nature's answers to it, and returns it."""
        if not self.past.pushed:
            raise NothingToTakeBack(Phrase("no move has been made yet that could be taken back"))
        length = self.past.pushed.pop()
        move = self.past.moves[length]
        self._cut(length)
        return move

    def _cut(self, moves: int) -> None:
        self._told.cut(moves)
        self.past.cut(moves)

    def take_back(self, pushes: int = 1) -> None:
        """Takes back what was pushed last for good: what nature answered to it, she does not answer again.

        Her next answer is the next of the sealed row, so whoever has the seed can still check all of them;
        `taken_back` and the file tell how many are left out, and where. Where chance is entered by hand,
        and where nature had not been asked, it is like `pop`.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> str(match.history[-1]), match.draws[-1]
        ('tile ra', 2)
        >>> match.take_back()
        >>> match.push("draw")
        >>> str(match.history[-1]), match.draws[-1]
        ('tile nile', 3)
        """
        past = self.past
        if not 1 <= pushes <= len(past.pushed):
            raise NothingToTakeBack(Phrase("no move has been made yet that could be taken back"))
        place = past.pushed[-pushes]
        seat, draws = past.turns[place], sum(turn == CHANCE for turn in past.turns[place:])
        later = [replace(each, place=place) for each in past.taken_back if each.place > place]
        self._cut(place)
        if self._nature is not None:
            past.leave_out([*later, TakenBack(place, seat, draws)] if draws else later)

    @property
    def taken_back(self) -> tuple[TakenBack, ...]:
        """The take backs that took answers of nature with them; see `take_back`.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> match.take_back()
        >>> [(each.seat, each.draws) for each in match.taken_back]
        [(2, 1)]
        """
        return tuple(self.past.taken_back)

    @property
    def draws(self) -> tuple[int, ...]:
        """The number, from 0, of each of nature's answers in `history`; those taken back are left out.

        >>> import teerling
        >>> match = teerling.new("rapido", players=2, seed=7)
        >>> match.draws
        (0, 1, 2)
        """
        return tuple(number for _, number in self.past.numbered_answers())

    def preview(self, move: Move | str | int) -> "Match":
        """The match after a move, before nature answers."""
        after = self.copy()
        after.push(move)
        return after

    def copy(self) -> "Match":
        """The same match without its nature: chance is pushed by hand."""
        return self.upto(len(self.past.moves))

    def upto(self, moves: int) -> "Match":
        """A copy of the match as it was after so many moves, nature's too.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> before = match.upto(match.pushes[-1])
        >>> before.turn, len(match.history) - len(before.history)
        (2, 2)
        """
        past = self.past.upto(moves)
        other = Match(self.game, self.state, self.options, self.names, placed=self._placed, past=past)
        other.seal, other.branch = self.seal, self.branch
        return other

    def branched(self, step: int, source: str, nature: Nature | None = None) -> "Match":
        """A match that goes as this one did for so many decisions, and is then played on from there.

        Without another nature it has the luck that was: to the same question, which is the number of a chance
        event and its outcomes with their weights, the same answer comes. `source` is what this match is
        called where it is kept.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=1)
        >>> match.push("draw")
        >>> match.push("draw")
        >>> other = match.branched(1, "evening")
        >>> other.push("draw")
        >>> other.history == match.history, other.branch.source, other.branch.step
        (True, 'evening', 1)
        >>> teerling.load(match.branched(1, "evening", teerling.Sealed("new")).save()).branch.given
        3
        """
        places = [place for place, turn in enumerate(self.past.turns) if turn != CHANCE] + [
            len(self.past.turns)
        ]
        if not 0 <= step < len(places):
            raise NoSuchStep(
                Phrase("there is no step {step}; the steps are 0 to {last}", step=step, last=len(places) - 1)
            )
        other, luck = self.upto(places[step]), nature or self._nature
        if other.over:
            raise NoSuchStep(Phrase("at step {step} the match is over; go back to one before", step=step))
        if other.is_chance:
            raise NoSuchStep(
                Phrase("at step {step} nobody is to decide, but chance; go back to one before", step=step)
            )
        if luck is None:
            raise NoSuchStep(
                Phrase("the seed of this match is not told, so its luck cannot come again; choose new luck")
            )
        answers = sum(turn == CHANCE for turn in other.turns)
        given = answers if nature is not None else 0 if self.branch is None else self.branch.given
        if given > answers:
            raise NoSuchStep(
                Phrase(
                    "up to step {first} this match is another, and has the luck of that one; "
                    "choose new luck, or play on from the other match",
                    first=0 if self.branch is None else self.branch.step,
                )
            )
        other.branch = Branch(source, step, given)
        other.entrust(luck)
        return other

    def entrust(self, nature: Nature) -> None:
        """Lets a nature answer from now on; the outcomes so far count as her answers.

        WrongOutcome if one of them is not what she would have answered; then nothing has changed. Those that
        a branch has from another match are not hers.

        >>> import teerling
        >>> match = teerling.new("rapido", players=2, chance="manual")
        >>> match.push("first 0")
        >>> match.entrust(teerling.Sealed(0))
        >>> match.is_chance, match.turn
        (False, 0)
        """
        given = 0 if self.branch is None else self.branch.given
        for event, (place, number) in enumerate(self.past.numbered_answers()):
            move, answer = (
                self.past.moves[place],
                nature.answer(number, self.game.weights(self.past.states[place])),
            )
            if answer != move.id and event >= given:
                by_seed = self.game.move(answer, chance=True)
                raise WrongOutcome(
                    Phrase(
                        "by the seed, nature's answer here is {by_seed}, not {given}",
                        by_seed=by_seed.text, given=move.text,
                    ),
                    place,
                )  # fmt: skip
        self._nature = nature
        self.seal = getattr(nature, "seal", None)
        self.past.pushed = [place for place in self.past.pushed if not self.past.moves[place].chance]
        self._let_nature_answer()

    @property
    def weight(self) -> int:
        """About how many bytes of memory the match takes."""
        return self.past.states.weight + 17 * len(self.past.moves) + self._told.weight

    @property
    def scores(self) -> tuple[int, ...]:
        """Every seat's points as things stand."""
        return self.game.results(self.state)[0]

    @property
    def ranks(self) -> tuple[int, ...]:
        """Every seat's place as things stand: 1 is best, equal places are shared."""
        return self.game.results(self.state)[1]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won; nobody before the match is over."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1) if self.over else ()

    @property
    def started_at(self) -> dict[str, Any] | None:
        """The position at which the match began, if that is not the beginning of its game.

        >>> import teerling
        >>> teerling.new("rapido", players=2).started_at is None
        True
        """
        return self.game.position(self.past.states[0]) if self._placed else None

    @property
    def history(self) -> tuple[Move, ...]:
        """All moves, nature's too."""
        return tuple(self.past.moves)

    def history_of(self, seat: int | None) -> tuple[Move, ...]:
        """All moves as a seat saw them (None: a spectator); secret ones read like `card ?`."""
        return self._told.moves(self._viewer(seat))

    @property
    def events(self) -> tuple[Event, ...]:
        """All that happened, told by somebody who sees everything."""
        return _all(self._told.steps(None))

    def events_of(self, seat: int | None) -> tuple[Event, ...]:
        """All that happened, as a seat knows it (None: a spectator)."""
        return _all(self._told.steps(self._viewer(seat)))

    @property
    def steps(self) -> list[tuple[Event, ...]]:
        """What happened with each move, told by somebody who sees everything.

        >>> import teerling
        >>> match = teerling.new("ra", players=3, seed=7)
        >>> match.push("draw")
        >>> [event.kind for event in match.steps[-1]]
        ['drew_ra']
        """
        return self.steps_since(0)

    def steps_since(self, place: int) -> list[tuple[Event, ...]]:
        """What happened with each move from a place of the history on, told by the same."""
        return self._told.steps(None, place)

    def step(self, place: int) -> tuple[Event, ...]:
        """What happened with one move, told by the same."""
        return self._told.step(None, place)

    def step_of(self, seat: int | None, place: int) -> tuple[Event, ...]:
        """What happened with one move, as a seat knows it (None: a spectator)."""
        return self._told.step(self._viewer(seat), place)

    def steps_of(self, seat: int | None, since: int = 0) -> list[tuple[Event, ...]]:
        """What happened with each move (or from one on), as a seat knows it (None: a spectator)."""
        return self._told.steps(self._viewer(seat), since)

    @property
    def ends(self) -> Sequence[int]:
        """The moves that ended a round or an epoch, by their place in the history.

        >>> import teerling
        >>> match = teerling.new("ra", players=2, seed=7)
        >>> while not match.over:
        ...     match.push(match.legal_moves[0])
        >>> len(match.ends)
        3
        """
        return self._told.ends()

    def forget_steps(self, before: int) -> None:
        """Forgets what was told of old moves, but for the ends of rounds; it is told again if need be."""
        self._told.forget(before)

    def score_lines(self, seat: int | None = None) -> tuple[Event, ...]:
        """Where every point came from: of all seats, or of one."""
        return tuple(
            event for event in self.events
            if event.kind == "scored" and (seat is None or event.seat == seat)
        )  # fmt: skip

    def log(self, lang: str = "en", seat: int | None = None) -> list[str]:
        """What happened in sentences, as a seat knows it (None: a spectator)."""
        speaker = Speaker(lang, self.game)
        return [speaker.sentence(event, self.names) for event in self.events_of(seat)]

    def seen(self, seat: int | None) -> Any:
        """The record of what a seat knows (None: a spectator). Read it; it is kept for who asks next."""
        return self._told.observed(self.state, self._viewer(seat))

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What a seat may see (None: a spectator), ready for JSON."""
        seen = self.seen(seat)
        scores, ranks = self.game.results(seen)
        mine = seat is not None and seat == self.turn
        return {
            "schema": SCHEMA,
            "game": self.game.id,
            "rules": self.version,
            "seat": seat,
            "names": list(self.names),
            "turn": self.turn if self.turn != CHANCE else "chance",
            "over": self.over,
            "moves": len(self.past.moves),
            "legal": [move.text for move in self.legal_moves] if mine else [],
            "scores": [None if score == HIDDEN else score for score in scores],
            "ranks": list(ranks) if self.over else None,
            "seal": self.seal,
            "board": self.game.position(seen),
        }

    def position(self) -> dict[str, Any]:
        """The whole state as a readable dict; `teerling.at` takes it back."""
        return self.game.position(self.state)

    def save(self, seat: int | None = None, seed: bool = True) -> str:
        """The match as a text.

        Complete, `teerling.load` makes the same match of it; with `seed=False` the seal stands in
        for the seed. With a seat it is what that seat may know, to be read, not loaded.
        """
        if seat is not None:
            who = self._viewer(seat)
            moves, start = self.history_of(seat), self.game.observed(self.past.states[0], who)
        else:
            moves, start = self.history, self.past.states[0]
        tells_seed = seed and (seat is None or self.over)
        return files.write(
            files.Transcript(
                game=self.game.id,
                rules=self.version,
                players=self.players,
                options=self.game.chosen_options(self.options),
                names={i: name for i, name in enumerate(self.names) if name != _default_name(i)},
                seed=self.seed if tells_seed else None,
                seal=self.seal,
                position=self.game.position(start) if self._placed else None,
                moves=[
                    (None if move.chance else turn, move.text, 0)
                    for turn, move in zip(self.past.turns, moves, strict=True)
                ],
                taken_back=self.past.taken_back,
                branch=self.branch,
                scores=self.scores if self.over else None,
                seen_by=None if seat is None else f"seat {seat}",
            )
        )

    def _apply(self, move: Move) -> None:
        before = self.state
        self.past.states.append(self.game.after(before, move))
        self.past.turns.append(before.turn)
        self.past.moves.append(move)
        self.past.answers += move.chance

    def _let_nature_answer(self) -> None:
        while self._nature is not None and self.turn == CHANCE:
            self._apply(self.game.move(self._answer(self._nature), chance=True))

    def _answer(self, nature: Nature) -> int:
        return nature.answer(self.past.answers + self.past.left_out, self.game.weights(self.state))

    def _viewer(self, seat: int | None) -> int:
        if seat is None:
            return SPECTATOR
        if isinstance(seat, bool) or seat not in range(self.players):
            raise BadPlayers(no_seat(seat, self.players))
        return seat


def new(
    id: str,
    players: int | None = None,
    *,
    seed: int | str | None = None,
    chance: str = "sealed",
    names: Sequence[str] = (),
    **options: Any,
) -> Match:
    """A new match.

    >>> new("ra", players=4, seed=7, fame="hidden").options
    {'fame': 'hidden'}
    >>> new("ra", players=4, chance="manual").turn == CHANCE
    True
    """
    of = game(id)
    count = of.check_players(of.usual_players if players is None else players)
    values = of.check_options(options)
    return Match(of, of.start(count, values), values, names, _nature(seed, chance))


def at(
    id: str,
    position: Mapping[str, Any],
    *,
    seed: int | str | None = None,
    chance: str = "sealed",
    names: Sequence[str] = (),
) -> Match:
    """A match that begins at a position; BadPosition says why one cannot be.

    >>> match = at("ra", {"players": 3, "seats": [{"fame": 30}, {}, {}]}, seed=1)
    >>> match.scores
    (30, 10, 10)
    """
    of = game(id)
    start = of.place(position)
    options = of.check_options(position.get("options", {}))
    return Match(of, start, options, names, _nature(seed, chance), placed=True)


def no_seat(seat: Any, players: int) -> Phrase:
    """That there is no such seat."""
    return Phrase("there is no seat {seat}; the seats are 0 to {last}", seat=seat, last=players - 1)


def _all(steps: Iterable[tuple[Event, ...]]) -> tuple[Event, ...]:
    return tuple(event for step in steps for event in step)


def _nature(seed: int | str | None, chance: str) -> Nature | None:
    if chance == "manual":
        if seed is not None:
            raise TeerlingError(Phrase("a match whose chance is manual has no seed"))
        return None
    if chance != "sealed":
        raise TeerlingError(Phrase("chance is sealed or manual, not {chance!r}", chance=chance))
    if seed is not None and (not str(seed).isprintable() or str(seed) != str(seed).strip() or not str(seed)):
        raise TeerlingError(
            Phrase("a seed is a number or a short text on one line, without spaces around it")
        )
    return Sealed(seed)


def _checked_names(names: Iterable[str], players: int) -> tuple[str, ...]:
    given = [" ".join(str(name).split()) for name in names]
    if len(given) > players:
        raise BadPlayers(
            Phrase("{count} names are too many for {players} players", count=len(given), players=players)
        )
    given += [""] * (players - len(given))
    for name in given:
        if len(name) > 40 or not name.isprintable():
            raise BadPlayers(
                Phrase("a name has at most 40 ordinary characters, unlike {name!r}", name=name[:60])
            )
    return tuple(name or _default_name(seat) for seat, name in enumerate(given))


def _default_name(seat: int) -> str:
    return f"seat {seat}"
