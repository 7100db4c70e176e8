"""What the table of Rapido tells a player who has to decide."""

from typing import Any

import teerling
from teerling import Match
from teerling.game import SPECTATOR
from teerling.games.rapido.tell import aids, ask


def at(**position: Any) -> Match:
    return teerling.at("rapido", position, chance="manual")


def aids_at(seat: int = 0, **position: Any) -> dict[str, Any]:
    return aids(at(**position).state, seat)


WHITE = {
    "players": 4,
    "dice": ["x", 6],
    "fields": {
        "1": {"seat": 3, "value": 53},
        "3": {"seat": 1, "value": 72},
        "4": {"seat": 2, "value": 60},
    },
}


def test_every_free_field_says_whom_it_throws_off_and_what_it_earns() -> None:
    fields = aids_at(**WHITE)["fields"]
    assert {field: outlook["off"] for field, outlook in fields.items()} == {"0": [1, 4], "2": [4], "5": []}
    assert {field: outlook["steps"] for field, outlook in fields.items()} == {"0": 0, "2": 2, "5": 5}
    assert {field: outlook["step"] for field, outlook in fields.items()} == {"0": 0, "2": 2, "5": 5}
    assert all(outlook["counts"] for outlook in fields.values())


def test_a_field_that_leads_to_the_goal_says_so() -> None:
    fields = aids_at(players=3, dice=[1, 2], seats=[{"step": 17}, {}, {}])["fields"]
    assert [field for field, outlook in fields.items() if outlook["wins"]] == ["4", "5"]
    assert fields["5"]["step"] == 21


def test_of_two_pairs_only_the_second_counts() -> None:
    first = aids_at(players=2, dice=[7, 2])["fields"]
    assert not any(outlook["counts"] for outlook in first.values())
    second = aids_at(players=2, dice=[7, 2], fields={"4": {"seat": 0, "value": 31}})["fields"]
    assert {field: outlook["steps"] for field, outlook in second.items()} == {
        "0": 4, "1": 5, "2": 6, "3": 7, "5": 9,
    }  # fmt: skip
    assert all(outlook["counts"] and outlook["off"] == [] for outlook in second.values())


def test_the_odds_count_all_36_throws() -> None:
    assert aids_at(players=3, dice=[7, 6])["odds"] == {
        "throws": 36, "x": 11, "two_x": 1, "higher": 0, "threats": 1,
    }  # fmt: skip
    nothing = aids_at(players=3, dice=["x", "x"])["odds"]
    assert (nothing["higher"], nothing["threats"]) == (25, 36)
    # Above 62 are 63 (3 and 6), 64, 71, 72, 73, 75 and 76; 62 itself and 70 can be thrown too.
    good = aids_at(players=3, dice=[2, 6])["odds"]
    assert (good["higher"], good["threats"]) == (7, 9)


def test_only_who_decides_sees_what_a_field_would_bring() -> None:
    for seat in (1, SPECTATOR):
        assert list(aids_at(seat=seat, **WHITE)) == ["odds"]
    assert aids_at(players=3) == {}


def test_a_player_is_asked_what_the_position_allows() -> None:
    assert ask(at(**WHITE).state).kind == "ask"
    full = {str(field): {"seat": field, "value": 50} for field in range(1, 6)}
    assert ask(at(players=6, dice=[1, 2], fields=full).state).kind == "ask_last_field"
    assert ask(at(players=2, dice=[1, 2]).state).kind == "ask_first_pair"
    second = ask(at(players=2, dice=[1, 2], fields={"4": {"seat": 0, "value": 31}}).state)
    assert (second.kind, second.rule, second.data["field"]) == ("ask_second_pair", "RP-21", 4)
