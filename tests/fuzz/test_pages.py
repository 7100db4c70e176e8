"""Whatever a browser sends, pages answer with 2xx to 4xx, and what is refused changes nothing."""

import json
import re
from typing import Any
from urllib.parse import urlencode

from fastapi.routing import APIRoute
from hypothesis import event, given
from hypothesis import strategies as st

from teerling.game import game_ids
from teerling.server.actions import ACTIONS
from teerling.server.context import LANG_COOKIE
from teerling.server.people import COOKIE
from tests.fuzz.matches import texts
from tests.fuzz.plan import fuzzed
from tests.fuzz.siege import Answer, Siege, everything
from tests.fuzz.spoiling import ANY_TEXT, ODD, SIGNS, spoiled_texts
from tests.server.houses import table_at

METHODS = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "get", "X-Y"]
ELSEWHERE = ["/static/{name}", "/static/../{name}", "/{x}", "//{x}/", "/tables//{x}", "/api/{x}", "*", ""]
FIELDS = [
    "seat", "move", "level", "pace", "name", "text", "preset", "luck", "back", "tutor", "theme", "sure",
    "step",
    "seat0", "seat1", "seat4", "name0", "public", "player1", "players", "level1", "lang", "hints",
    "guide", "file",
    "date", "at", "pick", "fragment", "option_fame", "option_seed", "game", "status", "since", "token",
]  # fmt: skip
VALUES = [
    "", "0", "1", "2", "-1", "1.5", "٣", "²", "draw", "throw +", "pass", "me", "bot", "open", "none",
    "yes", "no",
    "random", "easy", "expert", "bots", "seats", "screen", "live", "days", "same", "other", "spectator",
    "nl", "en",
    "de", "dark", "/", "//evil", "/\\evil", "javascript:alert(1)", "2026-11-16", "0000-00-00", "9" * 5000,
]  # fmt: skip
TYPES = [
    b"application/x-www-form-urlencoded", b"application/json", b"multipart/form-data; boundary=x",
    b"text/plain", b"",
    b"multipart/form-data", b"application/x-www-form-urlencoded; charset=utf-7",
    b"multipart/form-data; boundary=\xff",
    b"multipart/form-data; boundary=" + b"y" * 100, b"application/json; charset=nonsense", b"\xff/\x00",
]  # fmt: skip
LENGTHS = [b"-1", b"0", b"1", b"1e3", b"99999999999999", b"\xb2", b"9" * 5000, b"", b"0x10", b"+4"]
ORIGINS = [
    b"http://testserver",
    b"http://[",
    b"null",
    b"",
    b"http://evil.test",
    b"\xff",
    b"http://testserver:x",
    b"//",
]
HOSTS = [
    b"testserver",
    b"",
    b"[",
    b"[::1",
    b"\xff",
    b"a b",
    b"x" * 5000,
    b"testserver:99999",
    b"/",
    b"@",
    b"\xc3\xa9.test",
]
LANGUAGES = [
    b"nl",
    b"en;q=0",
    b"*",
    b",,,,;;;=",
    b"nl" * 4000,
    b"\xff\xfe",
    b"zh-Hant-TW",
    b"nl;q=nan, en;q=inf",
    b"",
]
OTHERS = [
    (b"range", b"bytes=0-"), (b"range", b"bytes=-1--5,x"), (b"range", b"bytes=99999999999999999999-"),
    (b"if-modified-since", b"yesterday"), (b"if-modified-since", b"Mon, 99 Foo 99999 99:99:99 GMT"),
    (b"if-none-match", b'W/"'), (b"accept-encoding", b"gzip;q=nonsense, \xff"), (b"accept", b"\xff/*;q=x"),
    (b"authorization", b"Bearer"), (b"authorization", b"Bearer \xff"), (b"authorization", b"Basic Og=="),
    (b"x-forwarded-for", b"[::"), (b"x-forwarded-proto", b"gopher"), (b"transfer-encoding", b"chunked, x"),
    (b"expect", b"100-continue"), (b"upgrade", b"websocket"), (b"x-http-method-override", b"DELETE"),
    (b"referer", b"http://["), (b"user-agent", b""), (b"content-encoding", b"gzip"),
]  # fmt: skip


def said(text: str) -> str:
    """A text as a browser would have decoded it from an address."""
    return text.encode(errors="replace").decode(errors="replace")


@st.composite
def places(draw: st.DrawFn, siege: Siege) -> tuple[str, str]:
    """A page of the server with something in its address, or another path; and how it is asked for."""
    routes: list[Any] = siege.client.app.routes  # type: ignore[attr-defined]
    usual = [
        (route.path, method) for route in routes if isinstance(route, APIRoute) for method in route.methods
    ]
    pattern, method = draw(st.sampled_from(sorted(usual) + [(path, "GET") for path in ELSEWHERE]))
    if not draw(st.integers(0, 4)):
        method = draw(st.sampled_from(METHODS))
    known = {
        "table_id": [siege.table(draw(st.sampled_from(game_ids()))).id, siege.quiet.id, siege.over.id,
                     siege.program["table"]["id"]],
        "game_id": game_ids(), "verb": list(ACTIONS), "number": ["0", "1", "-1", "99"], "key": [siege.upload],
        "link": [siege.loud_cookie], "name": ["style.css", "table.js", "manrope-400"], "size": ["180", "٣"],
    }  # fmt: skip

    def filled(place: re.Match[str]) -> str:
        fitting = known.get(place[1].partition(":")[0])
        odd = st.sampled_from(SIGNS) | ANY_TEXT
        return said(draw(st.sampled_from(fitting) if fitting and draw(st.integers(0, 3)) else odd))

    return re.sub(r"\{([\w:]+)\}", filled, pattern), method


FIELD = st.tuples(st.sampled_from(FIELDS), st.sampled_from(VALUES) | st.sampled_from(SIGNS) | ANY_TEXT)
FORM = st.lists(FIELD, max_size=8)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A form, a file, JSON, or anything else."""
    how = draw(st.sampled_from(["form", "form", "form", "parts", "json", "bytes", "much", "many", "nothing"]))
    if how == "form":
        return urlencode([(name, said(value)) for name, value in draw(FORM)]).encode()
    if how == "parts":
        name, value = draw(FIELD)
        kind = draw(
            st.sampled_from(["", '; filename="x.txt"', '; filename=""', "; filename*=utf-8''%ff", ";;="])
        )
        end = draw(st.sampled_from(["\r\n--x--\r\n", "", "\r\n--x", "--x----x--"]))
        return (
            f'--x\r\nContent-Disposition: form-data; name="{name}"{kind}\r\n\r\n{said(value)}{end}'.encode()
        )
    if how == "json":
        odd: Any = draw(st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(ODD), max_size=4))
        return json.dumps(odd).encode()
    if how == "bytes":
        return draw(st.binary(max_size=200))
    if how == "much":
        return b"x=" + b"y" * draw(st.sampled_from([60_000, 70_000, 2_000_000]))
    return b"a=1&" * 3000 if how == "many" else b""


@st.composite
def headers(draw: st.DrawFn, siege: Siege) -> list[tuple[bytes, bytes]]:
    """Headers that are right, wrong or nonsense, some of them twice."""
    cookies = [siege.loud_cookie] * 4 + [
        siege.loud_cookie[:-1],
        "",
        "x.y",
        "\xff",
        '"',
        siege.loud_cookie * 2,
    ]
    jar = f"{COOKIE}={draw(st.sampled_from(cookies))}"
    for name in draw(st.lists(st.sampled_from([LANG_COOKIE, "theme", "habits", "", COOKIE]), max_size=3)):
        value = draw(
            st.sampled_from(
                [*SIGNS, "nl", "dark", "easy.ra-3", "easy.ra-²", "..-.-", ".ra-٣", "easy.ra-" + "9" * 390]
            )
        )
        jar += f"; {name}={said(value)}"
    found = [(b"cookie", jar.encode(errors="replace")), (b"host", b"testserver")]
    found += draw(
        st.sampled_from([[(b"content-type", TYPES[0])]] * 3 + [[(b"content-type", kind)] for kind in TYPES])
    )
    odd = [(b"content-length", each) for each in LENGTHS] + [(b"origin", each) for each in ORIGINS]
    odd += [(b"host", each) for each in HOSTS] + [(b"accept-language", each) for each in LANGUAGES] + OTHERS
    return draw(st.permutations(found)) + draw(st.lists(st.sampled_from(odd), max_size=2))


@fuzzed(250)
@given(st.data())
def test_anything_sent_to_a_page_is_answered_and_what_is_refused_changes_nothing(
    siege: Siege, data: st.DataObject
) -> None:
    path, method = data.draw(places(siege), "place")
    query = (
        urlencode(data.draw(FORM, "query"), errors="replace").encode()
        if data.draw(st.booleans())
        else b"%ff&=&;"
    )
    own = [siege.table(game) for game in game_ids()]
    before = [everything(table) for table in own]
    answer = siege.ask(method, path, query, data.draw(headers(siege), "headers"), data.draw(bodies(), "body"))
    event(f"{answer.status}")
    expected(answer)
    if answer.status >= 400:
        assert [everything(table_at(siege.client, table.id)) for table in own] == before
    siege.check()


def expected(answer: Answer) -> None:
    """No answer says that the server is broken, or shows how it is made."""
    assert 200 <= answer.status < 500, answer.body
    assert b"Traceback" not in answer.body


def cookie_of(siege: Siege) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"testserver"), (b"cookie", f"{COOKIE}={siege.loud_cookie}".encode())]


@fuzzed(60)
@given(
    spoiled_texts(texts),
    st.sampled_from(["", "0", "7", "999999999", "²", "x"]),
    st.sampled_from(["", "0", "spectator"]),
)
def test_a_spoiled_match_file_is_refused_with_a_page_or_can_be_seen_from_all_sides(
    siege: Siege, text: str, step: str, seat: str
) -> None:
    file = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="m"\r\n\r\n'
        + text.encode()
        + b"\r\n--x--\r\n"
    )
    kind = [(b"content-type", b"multipart/form-data; boundary=x")]
    answer = siege.ask("POST", "/replay", b"", cookie_of(siege) + kind, file)
    expected(answer)
    event(f"{answer.status}")
    if answer.status == 303:
        place = answer.headers["location"]
        query = urlencode({"move": step, "seat": seat}).encode()
        for page in ("", "/verify"):
            expected(siege.ask("GET", f"{place}{page}", query, cookie_of(siege), b""))
        form = urlencode({"step": step, "seat": seat, "level": "random"}).encode()
        kind = [(b"content-type", TYPES[0])]
        expected(siege.ask("POST", f"{place}/play-on", b"", cookie_of(siege) + kind, form))
    siege.check()
