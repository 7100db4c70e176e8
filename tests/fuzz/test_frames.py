"""Whatever a page sends over its socket is answered in a sentence, and what is refused changes nothing."""

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from starlette.testclient import WebSocketTestSession

from teerling.game import game_ids
from teerling.server.actions import ACTIONS
from teerling.server.people import COOKIE
from teerling.server.tables.table import Table
from teerling.server.web.tables import kind_of_message
from tests.fuzz.plan import fuzzed, no_hang
from tests.fuzz.siege import Siege, everything
from tests.fuzz.spoiling import ANY_TEXT, ODD, SIGNS, spoiled_values
from tests.server.houses import table_at

WENT_WRONG = "Something went wrong"
KEYS = st.sampled_from([*SIGNS, "kind", "at"])
ANY_JSON = st.recursive(
    st.sampled_from(ODD) | ANY_TEXT,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(KEYS, part, max_size=4),
    max_leaves=12,
)  # fmt: skip


MESSAGES: list[dict[str, Any]] = [
    *(
        {"kind": "move", "move": f"@{number}", "at": at, "sure": True}
        for number in range(8)
        for at in ("@now", "@then", 0)
    ),
    {"kind": "chat", "text": "hello"},
    {"kind": "chat", "text": "hello", "mark": "a-1"},
    *({"kind": verb} for verb in [*ACTIONS, "ping", "hello", "said"]),
]  # fmt: skip
"""What pages send: `@3` is a legal move, `@now` the version that they show, `@then` an older one."""


def at_table(table: Table, part: Any) -> Any:
    """A message as it would be sent at a table now; what is drawn does not depend on how a match goes."""
    if isinstance(part, dict):
        return {at_table(table, key): at_table(table, value) for key, value in part.items()}
    if isinstance(part, list):
        return [at_table(table, value) for value in part]
    if part in ("@now", "@then"):
        return table.version - (part == "@then")
    if isinstance(part, str) and part[:1] == "@" and table.match.legal_moves:
        return table.match.legal_moves[int(part[1:]) % len(table.match.legal_moves)].text
    return part


@dataclass(frozen=True)
class Frame:
    """What is sent: a message as JSON, of which only a part may be there, or a text or bytes as they are."""

    message: Any = None
    plain: str | bytes | None = None
    part: float = 1.0
    escaped: bool = True

    def at(self, table: Table) -> str | bytes:
        if self.plain is not None:
            return self.plain
        message = at_table(table, self.message)
        text = json.dumps(message, ensure_ascii=self.escaped or not _is_text(message))
        return text[: round(self.part * len(text))]


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    """A frame that is right, nearly right, or nothing of the kind."""
    how = draw(
        st.sampled_from(["right", "spoiled", "spoiled", "spoiled", "json", "cut", "text", "bytes", "deep"])
    )
    if how == "json":
        return Frame(draw(ANY_JSON))
    if how == "text":
        return Frame(plain=draw(ANY_TEXT))
    if how == "bytes":
        return Frame(plain=draw(st.binary(max_size=60) | st.just(b'{"kind": "ping"}')))
    if how == "deep":
        opened, closed = draw(
            st.sampled_from([("[", "]"), ('{"kind":', "}"), ('{"kind":"move","move":', ',"at":1}')])
        )
        depth = draw(st.sampled_from([2, 100, 900, 1500]))
        return Frame(plain=opened * depth + "1" + closed * draw(st.sampled_from([depth, depth - 1])))
    if how == "spoiled":
        return Frame(draw(spoiled_values(lambda: MESSAGES)), escaped=draw(st.booleans()))
    return Frame(draw(st.sampled_from(MESSAGES)), part=draw(st.floats(0, 1)) if how == "cut" else 1.0)


def _is_text(value: Any) -> bool:
    try:
        return bool(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def answers(socket: WebSocketTestSession, frame: str | bytes) -> list[dict[str, Any]]:
    """What a page hears after a frame, up to the answer to a ping behind it."""
    if isinstance(frame, bytes):
        socket.send_bytes(frame)
    else:
        socket.send_text(frame)
    socket.send_text('{"kind": "ping"}')
    heard: list[dict[str, Any]] = []
    pings = 1 + _is_ping(frame)
    while pings:
        heard.append(socket.receive_json())
        pings -= heard[-1]["kind"] == "pong"
    return heard


def _is_ping(frame: str | bytes) -> bool:
    """Whether a frame is a ping itself, and answered as one."""
    try:
        message = json.loads(frame) if isinstance(frame, str) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and kind_of_message(message) == "ping"


@fuzzed(120)
@given(st.sampled_from(game_ids()), st.sampled_from(["en", "nl"]), st.data())
def test_any_frame_is_answered_and_what_is_refused_changes_nothing(
    siege: Siege, game: str, lang: str, data: st.DataObject
) -> None:
    table = siege.table(game)
    siege.client.cookies.clear()
    siege.client.cookies.set(COOKIE, siege.loud_cookie)
    with siege.client.websocket_connect(f"/tables/{table.id}/live?lang={lang}") as socket:
        assert socket.receive_json()["kind"] == "page"
        for _ in range(data.draw(st.integers(1, 5))):
            before = everything(table_at(siege.client, table.id))
            frame = data.draw(frames(), "frame").at(table_at(siege.client, table.id))
            with no_hang():
                heard = answers(socket, frame)
            refused = [message["text"] for message in heard if message["kind"] == "error"]
            event("refused" if refused else "done")
            assert not any(WENT_WRONG in text for text in refused)
            if refused:
                assert everything(table_at(siege.client, table.id)) == before
    siege.check()
