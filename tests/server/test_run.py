"""`teerling serve`: it starts, says where it is, opens the page, and says in one line why it cannot."""

import os
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from teerling.bench.web import fetch
from teerling.errors import TeerlingError
from teerling.server.door.entrance import CannotServe, listen, settings_of
from teerling.server.run import address_of, alone_with, opened, raise_handle_limit
from teerling.server.settings import Settings
from teerling.words import Speaker
from tests.server import houses

SERVE = [sys.executable, "-c", "from teerling.cli import main; main()"]
EN, NL = Speaker("en"), Speaker("nl")


def started(folder: Path, *options: str, lang: str = "en", **environment: str) -> "subprocess.Popen[str]":
    command = [*SERVE, "--lang", lang, "serve", "--port", "0", "--data", str(folder), *options]
    return subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(
    ("lang", "line", "goodbye"),
    [
        (
            "en",
            r"Teerling is open at http://127\.0\.0\.1:(\d+)/ \(Ctrl-C closes it\)",
            "The tables are closed",
        ),
        (
            "nl",
            r"Teerling is open op http://127\.0\.0\.1:(\d+)/ \(Ctrl-C sluit af\)",
            "De tafels zijn gesloten",
        ),
    ],
)
def test_it_says_where_it_is_and_ends_politely(tmp_path: Path, lang: str, line: str, goodbye: str) -> None:
    server = started(tmp_path, "--no-open", lang=lang)
    assert server.stdout is not None
    told = re.fullmatch(line, server.stdout.readline().strip())
    assert told is not None
    assert fetch(int(told[1]), "/")[0] == 200
    assert fetch(int(told[1]), "/healthz")[2] == b"ok\n"
    server.send_signal(signal.SIGINT)
    rest, trouble = server.communicate(timeout=30)
    assert (server.returncode, trouble) == (0, "")
    assert rest.strip().startswith(goodbye)


def test_it_opens_the_page_when_it_answers(tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    server = started(tmp_path / "data", BROWSER=f"{browser} %s")
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        for _ in range(400):
            if seen.exists() and seen.read_text():
                break
            time.sleep(0.05)
        assert seen.read_text().strip() in line
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.mark.parametrize("lang", ["en", "nl"])
def test_a_taken_port_is_said_in_one_line(tmp_path: Path, lang: str) -> None:
    with listen("127.0.0.1", 0, EN) as taken:
        port = taken.getsockname()[1]
        server = started(tmp_path, "--no-open", "--port", str(port), lang=lang)
        out, trouble = server.communicate(timeout=60)
    assert (server.returncode, out) == (2, "")
    line = {
        "en": f"teerling: port {port} is taken; choose another with --port\n",
        "nl": f"teerling: poort {port} is bezet; kies een andere met --port\n",
    }
    assert trouble == line[lang]


def test_addresses_that_can_not_be_used() -> None:
    with pytest.raises(CannotServe, match="'no such host' is not the name of a machine"):
        listen("no such host", 0, EN)
    with pytest.raises(CannotServe, match=r"192\.0\.2\.1 is geen adres van deze computer"):
        listen("192.0.2.1", 0, NL)


def test_a_data_folder_that_can_not_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "below"):
        with pytest.raises(CannotServe, match=r"the data folder .*file.* cannot be used"):
            settings_of(folder, EN)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_may_not_be_written(tmp_path: Path) -> None:
    settings_of(tmp_path, EN)
    tmp_path.chmod(0o500)
    (tmp_path / "lock").unlink(missing_ok=True)
    with pytest.raises(CannotServe, match="cannot be used"):
        settings_of(tmp_path, EN)
    tmp_path.chmod(0o700)


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, EN)
    with alone_with(settings, EN), pytest.raises(CannotServe, match="another server already uses"):
        alone_with(settings, EN).__enter__()
    with alone_with(settings, EN):
        pass


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (
            "postgresql://me:hush@127.0.0.1:1/x",
            r"postgresql://me:\*\*\*@127.0.0.1:1/x cannot be used: .*refused",
        ),
        ("sqlite:////nowhere/at/all.db", "unable to open"),
        ("nonsense", "TEERLING_DATABASE_URL cannot be used"),
        ("mysql://me:hush@127.0.0.1/x", "neither a sqlite:/// nor a postgresql:// database"),
        ("postgresql://me:hush@here:port/x", "cannot be used: .*port"),
        ("postgresql://me:a@hush@127.0.0.1:1/x", "an @ in a password is written %40"),
        ("sqlite://", "gone with the server"),
        ("sqlite:///:memory:", "gone with the server"),
    ],
)
def test_a_database_that_can_not_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, reason: str
) -> None:
    monkeypatch.setenv("TEERLING_DATABASE_URL", url)
    with pytest.raises(CannotServe, match=reason) as refused:
        opened(settings_of(tmp_path, EN), EN)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("name", ["what?", "a?b=c", "per%20cent", "ha#sh", "a b"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    opened(settings_of(tmp_path / name, EN), EN)
    assert (tmp_path / name / "teerling.db").exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe"])
def test_a_secret_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(TeerlingError, match="holds no secret"):
        settings_of(tmp_path, EN)


def test_a_server_may_be_told_to_keep_tables_listed_for_ever(tmp_path: Path) -> None:
    for days in (1_000_000.0, 1e300):
        with houses.opened(tmp_path, idle_days=days, days_per_move=days, storage_patience=days) as client:
            houses.new_table(client, "rapido")
            assert client.get("/").status_code == 200


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "teerling.db").write_text("no database at all, but long enough to be looked at " * 20)
    with pytest.raises(CannotServe, match="not a database"):
        opened(settings_of(tmp_path, EN), EN)


def test_a_setting_that_is_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("soon", "-1", "nan", "inf"):
        monkeypatch.setenv("TEERLING_BOT_PAUSE", text)
        with pytest.raises(TeerlingError, match="TEERLING_BOT_PAUSE must be a number"):
            Settings.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "right"),
    [
        ("MOST_SOCKETS", "0.5", "must be a whole number"),
        ("DURABILITY", "Full", "is full or process, not 'Full'"),
        ("TRUSTED_PROXIES", "127.0.0.1, nginx", "is addresses such as .* not 'nginx'"),
        ("TRUSTED_PROXIES", "127.0.0.1,*", r"is addresses such as .* not '\*'"),
    ],
)
def test_a_setting_that_is_nothing_it_may_be_is_said_with_what_it_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, right: str
) -> None:
    monkeypatch.setenv(f"TEERLING_{name}", text)
    with pytest.raises(TeerlingError, match=f"TEERLING_{name} {right}"):
        Settings.read(tmp_path)


def test_proxies_are_addresses_and_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEERLING_TRUSTED_PROXIES", " 127.0.0.1, fd00::/8,")
    assert Settings.read(tmp_path).trusted_proxies == "127.0.0.1,fd00::/8"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/"),
        ("0.0.0.0", "http://127.0.0.1:8000/"),
        ("::", "http://127.0.0.1:8000/"),
        ("::1", "http://[::1]:8000/"),
        ("localhost", "http://localhost:8000/"),
    ],
)
def test_the_address_is_one_that_a_browser_opens(host: str, address: str) -> None:
    assert address_of(host, 8000) == address


def test_ports_are_listened_to_at_once() -> None:
    with listen("localhost", 0, EN) as first, socket.create_connection(first.getsockname()[:2], 5):
        pass


TAKEN_BEFORE_IT_IS_LOADED = """
import socket, sys, types
def serve(listening, *_):
    heavy = [name for name in ("fastapi", "sqlalchemy") if name in sys.modules]
    try:
        socket.create_connection(listening.getsockname(), 5)
        print("waits", *heavy)
    except ConnectionRefusedError:
        print("is refused", *heavy)
sys.modules["teerling.server.run"] = types.SimpleNamespace(serve=serve)
from teerling.cli import main
main()
"""


@pytest.mark.parametrize(
    ("options", "told"),
    [([], "waits"), (["--database", "postgresql://nowhere/x", "--redis", "redis://nowhere"], "is refused")],
)
def test_whoever_comes_while_a_server_is_loaded_waits_unless_others_serve(
    tmp_path: Path, options: list[str], told: str
) -> None:
    command = [
        sys.executable,
        "-c",
        TAKEN_BEFORE_IT_IS_LOADED,
        "serve",
        "--port",
        "0",
        "--data",
        str(tmp_path),
    ]
    ran = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == told


def test_starting_needs_no_compiler() -> None:
    heavy = ("numba", "alembic", "markdown_it")
    program = f"import sys, teerling.server.run; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_as_many_connections_may_be_open_as_the_system_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.__setitem__(slice(None), wanted))
    settings = settings_of(tmp_path, EN)
    assert raise_handle_limit(settings, EN) == 4096
    assert "lets 4096 connections be open at once; 6000 are needed" in capsys.readouterr().err
    limits[:] = [1024, 1_000_000]
    assert raise_handle_limit(settings, EN) == 65_536
    assert capsys.readouterr().err == ""
