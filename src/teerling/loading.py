"""A match from the text that it was saved as."""

from .engine import CHANCE
from .engine.states import States
from .errors import BadFile, BadPlayers, BadPosition, Phrase, TeerlingError, WrongOutcome
from .files import Transcript, read
from .game import game
from .match import Match, no_seat
from .nature import Nature, Sealed
from .past import Past


def load(text: str) -> Match:
    """The match of a text that `Match.save` made; BadFile says which line does not fit, and why.

    >>> from teerling import new
    >>> match = new("ra", players=4, seed=7)
    >>> match.push("draw")
    >>> load(match.save()).history == match.history
    True
    """
    t = read(text)
    match = _begin(t)
    nature = None if t.seed is None else Sealed(t.seed)
    for seat, word, line in t.moves:
        try:
            if seat is None and not match.is_chance:
                raise BadFile(
                    Phrase(
                        "{move!r} is given as nature's answer, but nothing is left to chance here", move=word
                    )
                )
            if seat is not None and match.turn != seat:
                raise BadFile(
                    Phrase("seat {seat} cannot move here: {turn}", seat=seat, turn=_whose_turn(match))
                )
            match.push(word)
        except TeerlingError as error:
            # A wrong outcome before this line explains more.
            _entrust(match, nature, t)
            raise BadFile(error.args[0], line) from None
    for back in t.taken_back:
        if back.seat >= match.players:
            raise BadFile(no_seat(back.seat, match.players), back.line)
        if [*match.turns[back.place : back.place + 1], match.state.turn][0] < 0:
            raise BadFile(Phrase("nobody can have taken back to here: nobody was to decide"), back.line)
    _check_branch(match, t)
    cut_short = nature is not None and match.is_chance and t.moves
    _entrust(match, nature, t)
    if cut_short:
        raise BadFile(
            Phrase("nature's last answer is missing; the file seems to be cut short"), t.moves[-1][2]
        )
    if t.scores is not None and (not match.over or tuple(t.scores) != match.scores):
        raise BadFile(
            Phrase("the scores are {right}, not {given}", right=match.scores, given=tuple(t.scores)),
            t.lines["scores"],
        )
    if t.scores is None and match.over:
        raise BadFile(Phrase("the match is over, but its scores are missing"))
    return match


def _whose_turn(match: Match) -> Phrase:
    if match.turn is None:
        return Phrase("the match is over")
    if match.turn == CHANCE:
        return Phrase("nature is to answer first")
    return Phrase("seat {seat} is to move", seat=match.turn)


def _begin(t: Transcript) -> Match:
    """The match of a transcript before its first move."""
    try:
        of = game(t.game)
        if not 1 <= t.rules <= of.version:
            raise BadFile(
                Phrase(
                    "{game} has rules 1 to {last}, not {rules}", game=of.name, last=of.version, rules=t.rules
                ),
                t.lines["rules"],
            )
        players = of.check_players(t.players)
        options = of.check_options(t.options)
        names = [t.names.get(seat, "") for seat in range(players)]
        if any(seat >= players for seat in t.names):
            raise BadPlayers(no_seat(max(t.names), players))
        start = of.place(t.position) if t.position is not None else of.start(players, options, t.rules)
        start.version = t.rules
        if start.players != players:
            raise BadFile(
                Phrase("the position is for {right} players, not {given}", right=start.players, given=players)
            )
        past = Past(States(type(start), [start]), taken_back=list(t.taken_back))
        match = Match(of, start, options, names, placed=t.position is not None, past=past)
    except BadFile:
        raise
    except BadPosition as error:
        raise BadFile(Phrase("the position is impossible: {reason}", reason=error.args[0])) from None
    except TeerlingError as error:
        raise BadFile(error.args[0]) from None
    match.seal, match.branch = t.seal, t.branch
    return match


def _check_branch(match: Match, t: Transcript) -> None:
    """Refuses a branch that lies behind the last move of its file."""
    if t.branch is not None:
        answers = sum(move.chance for move in match.history)
        if t.branch.step > len(match.history) - answers or t.branch.given > answers:
            raise BadFile(
                Phrase("the match cannot have branched there: so much has not happened in it"),
                t.lines["branch"],
            )


def _entrust(match: Match, nature: Nature | None, t: Transcript) -> None:
    """Lets the nature of a file go on with a match; refuses an outcome that is not hers."""
    if nature is not None:
        try:
            match.entrust(nature)
        except WrongOutcome as error:
            raise BadFile(error.args[0], t.moves[error.place][2]) from None
