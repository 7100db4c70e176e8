"""How things are told to programs."""

from collections.abc import Sequence

from ... import options
from ...game import Event, Game
from ...match import Match
from ...words import Speaker
from ..actions import Wish
from ..database.schema import TableRow
from ..house import House
from ..refusals import Refused
from ..tables.branches import NEW_LUCK, SAME_LUCK
from ..tables.table import Table
from .models import BranchInfo, EventInfo, GameInfo, OptionInfo, Played, SeatInfo, State, TableInfo
from .seats import asker, chosen_seat, is_to_decide, own_seats


def game_info(of: Game, say: Speaker) -> GameInfo:
    return GameInfo(
        id=of.id, name=say(of.name), author=of.author, year=of.year, least_players=of.players[0],
        most_players=of.players[-1], minutes=of.minutes, summary=say(of.summary), rules=of.version,
        options=[option_info(option, say) for option in of.options],
    )  # fmt: skip


def option_info(option: options.Option, say: Speaker) -> OptionInfo:
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    info = OptionInfo(
        name=option.name, kind=type(option).__name__.lower(), text=say(option.text),
        values=say.phrase(option.values), default=default,
    )  # fmt: skip
    if isinstance(option, options.Number | options.Counts):
        info.least, info.most = option.least, option.most
    if isinstance(option, options.Counts):
        info.names = list(option.names)
    if isinstance(option, options.Choice):
        info.choices = list(option.choices)
    return info


def table_info(row: TableRow) -> TableInfo:
    seats = [
        SeatInfo(seat=each.seat, kind=each.kind, name=each.name, level=each.level or each.stand_in,
                 sits_in=each.stand_in is not None)
        for each in row.seats
    ]  # fmt: skip
    return TableInfo(
        id=row.id, game=row.game, options=row.options, status=row.status, ending=row.ending, pace=row.pace,
        public=row.public, hints=row.hints, turn=row.turn, seats=seats, page=f"/tables/{row.id}",
    )  # fmt: skip


def told_table(table: Table) -> TableInfo:
    """A table with what it has from another, if it is a branch."""
    told, branch = table_info(table.row), table.branch
    if branch is not None:
        luck = SAME_LUCK if table.has_same_luck else NEW_LUCK
        told.branch = BranchInfo(source=branch.source, step=branch.step, luck=luck)
    return told


def state_of(table: Table, token: str | None, wanted: int | None) -> State:
    """The match as the seats of a token see it."""
    own = own_seats(table, token)
    seat = chosen_seat(table, own, wanted)
    table.check_begun()
    yours = is_to_decide(table, seat)
    view = table.match.view(seat)
    if not yours:
        view["legal"] = []
    return State(
        table=told_table(table), version=table.version, seat=seat, own=own, yours=yours,
        may_take_back=seat is not None and table.pushes_to_take_back(seat) > 0,
        seal=str(table.match.seal), seed=table.told_seed, view=view,
    )  # fmt: skip


async def act(
    house: House, verb: str, table_id: str, token: str | None, seat: int | None, wish: Wish
) -> State:
    """Does something for a seat of a token; the answer is the match after it."""
    try:
        asks = asker(await house.registry.find(table_id), token, seat)
    except Refused:
        # The seat may have been taken by another process a moment ago.
        asks = await house.changes.see(table_id, lambda table: asker(table, token, seat))
    await house.actions.do(verb, table_id, asks, wish)
    # What was done just now is known here.
    return await house.changes.see(table_id, lambda table: state_of(table, token, seat), anew=False)


def event_info(event: Event, say: Speaker, names: Sequence[str]) -> EventInfo:
    return EventInfo(
        kind=event.kind,
        rule=event.rule,
        seat=event.seat,
        data=dict(event.data),
        text=say.sentence(event, names),
    )


def played(match: Match, seat: int | None, say: Speaker) -> list[Played]:
    """Every move as a seat saw it, with what came of it."""
    moves = zip(match.history_of(seat), match.steps_of(seat), match.states, strict=False)
    return [
        Played(number=number, seat=None if move.chance else int(before.turn), text=move.text,
               events=[event_info(event, say, match.names) for event in happened])
        for number, (move, happened, before) in enumerate(moves, 1)
    ]  # fmt: skip
