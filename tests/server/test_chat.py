"""Chat over the socket of a page: the same rules as by the form, without a new page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from teerling.server.actions import MOST_CHAT
from teerling.words import Speaker
from tests.server.houses import opened, table_at

TOO_FAST = "That was a lot of messages in a row; please wait a moment before you go on."


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened(tmp_path, chat_per_second=0.2) as client:
        yield client


def sit(client: TestClient) -> str:
    """The path of a table at which the client sits."""
    form = {"seat0": "me", "seat1": "me", "public": "yes"}
    return str(client.post("/new/ra", data=form, follow_redirects=False).headers["location"])


def lines(client: TestClient, path: str) -> list[str]:
    return [line.text for line in table_at(client, path).chat]


def answer(socket: Any, text: object) -> dict[str, Any]:
    """What is answered to a line, apart from pages."""
    socket.send_json({"kind": "chat", "text": text, "at": 0})
    while (told := dict(socket.receive_json()))["kind"] == "page":
        pass
    return told


def test_a_line_is_stored_cleaned_and_answered(client: TestClient) -> None:
    path = sit(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        assert answer(socket, "  hello\x07\ud800  there\n" + "x" * 1000) == {"kind": "said"}
        assert lines(client, path) == [("hello there " + "x" * 1000)[:MOST_CHAT]]
        while "hello there" not in (page := socket.receive_json()).get("html", ""):
            assert page["kind"] == "page"


def test_who_says_too_much_at_once_is_told_in_a_sentence(client: TestClient) -> None:
    path = sit(client)
    with client.websocket_connect(f"{path}/live?lang=nl") as socket:
        assert [answer(socket, text)["kind"] for text in "ab"] == ["said", "said"]
        assert answer(socket, "c") == {"kind": "error", "text": Speaker("nl")(TOO_FAST)}
    assert lines(client, path) == ["a", "b"]


def test_a_line_that_is_sent_once_more_is_said_once(client: TestClient) -> None:
    path = sit(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        for _ in range(2):
            socket.send_json({"kind": "chat", "text": "hello", "mark": "m-1"})
            while (told := dict(socket.receive_json()))["kind"] == "page":
                pass
            assert told == {"kind": "said"}
    assert lines(client, path) == ["hello"]


@pytest.mark.parametrize("mark", [None, 7, "m" * 41, "é"])
def test_what_is_no_mark_is_not_understood(client: TestClient, mark: object) -> None:
    path = sit(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        socket.send_json({"kind": "chat", "text": "hello", "mark": mark})
        while (told := dict(socket.receive_json()))["kind"] == "page":
            pass
        assert told["text"] == "This message could not be understood"
    assert lines(client, path) == []


@pytest.mark.parametrize("text", [None, 7, ["a"], {"a": 1}])
def test_what_is_no_text_is_not_understood(client: TestClient, text: object) -> None:
    path = sit(client)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        assert answer(socket, text)["text"] == "This message could not be understood"
    assert lines(client, path) == []


def test_only_who_sits_at_the_table_speaks(client: TestClient) -> None:
    path = sit(client)
    client.cookies.clear()
    client.get(path)
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        assert answer(socket, "hi")["text"] == "You have no seat at this table"
    assert lines(client, path) == []


def test_people_speak_by_the_name_of_their_seat(client: TestClient) -> None:
    form = {"seat0": "me", "seat1": "bot", "name": "Anne"}
    path = client.post("/new/ra", data=form, follow_redirects=False).headers["location"]
    client.post("/name", data={"name": "Somebody else"})
    client.post(f"{path}/chat", data={"text": "by form"})
    with client.websocket_connect(f"{path}/live?lang=en") as socket:
        assert answer(socket, "by socket") == {"kind": "said"}
    page = client.get(path).text
    for text in ("by form", "by socket"):
        assert f"<b>Anne</b> {text}" in page
