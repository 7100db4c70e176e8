"""The example deployment: units that systemd understands, and nginx before two servers and two thinkers."""

import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from teerling.server.database.backup import restore
from teerling.server.database.storage import Storage
from teerling.server.settings import Settings
from tests.chaos.faults import free_port
from tests.missing import is_missing
from tests.server.cluster import Cluster, cluster
from tests.server.houses import bearer

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = ("teerling-serve@.service", "teerling-think@.service", "teerling-backup.service")
PROGRAM = "/opt/teerling/bin/teerling"
CLEAN = (0, -signal.SIGTERM)
"""How a program ends that was told to; systemd takes the signal itself for a good end, too."""
PLACES = ("/var/lib/nginx", "/var/log/nginx")
"""What Debian's package of nginx brings along; nginx makes one more folder in it, but not two."""
TWO = [{"kind": "me"}, {"kind": "me"}]


def needed(program: str, package: str) -> str:
    """A program of Debian; without it the test is skipped loudly, and fails under CI=true."""
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    if found is None:
        is_missing(package, "the example deployment is not tested")
    return found


def unit(name: str) -> ConfigParser:
    """A unit as it stands in the example."""
    parser = ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((DEPLOY / name).read_text(encoding="utf-8"))
    return parser


def environment() -> dict[str, str]:
    """What the file of the environment says."""
    lines = (DEPLOY / "teerling.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("name", [*UNITS, "teerling-backup.timer"])
def test_systemd_understands_the_units(name: str, tmp_path: Path) -> None:
    program = needed("systemd-analyze", "systemd")
    for each in [*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")]:
        text = each.read_text(encoding="utf-8").replace(PROGRAM, "/bin/true")
        (tmp_path / each.name).write_text(text, encoding="utf-8")
    command = [program, "verify", "--man=no", str(tmp_path / name)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    # What it does not know it only complains of; complaints are about other units of the machine, too.
    said = [line for line in ran.stderr.splitlines() if "teerling" in line]
    assert said == []
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_may_do_no_more_than_it_needs(name: str) -> None:
    service = unit(name)["Service"]
    for key in ("DynamicUser", "NoNewPrivileges", "PrivateTmp", "ProtectKernelModules", "ProtectHome"):
        assert service[key] == "yes", key
    assert (service["User"], service["ProtectSystem"]) == ("teerling", "strict")
    assert service["CapabilityBoundingSet"] == ""
    # Rules could not be compiled.
    assert "MemoryDenyWriteExecute" not in service


def test_a_backup_is_made_and_the_newest_are_kept(tmp_path: Path) -> None:
    storage = Storage(Settings.read(tmp_path).database_url)
    storage.migrate()
    storage.save_person("a" * 24, "Anne")
    storage.close()
    for number in range(20):
        (tmp_path / f"backup-{number}.gz").touch()
        os.utime(tmp_path / f"backup-{number}.gz", (number, number))
    # As systemd reads it: %% is a %, and $$ a $.
    command = unit("teerling-backup.service")["Service"]["ExecStart"].replace("%%", "%").replace("$$", "$")
    command = command.replace(PROGRAM, str(program_in(tmp_path)))
    ran = subprocess.run(
        shlex.split(command), cwd=tmp_path, env=os.environ | {"TEERLING_DATA": str(tmp_path)},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    kept = {path.name for path in tmp_path.glob("backup-*.gz")}
    (new,) = kept - {f"backup-{number}.gz" for number in range(20)}
    assert kept == {new, *(f"backup-{number}.gz" for number in range(7, 20))}
    counts = restore(Settings.read(tmp_path / "elsewhere"), tmp_path / new)
    assert counts["people"] == 1


def program_in(folder: Path) -> Path:
    """The command `teerling`, which calls what is tested here."""
    program = folder / "bin/teerling"
    program.parent.mkdir()
    start = "from teerling.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    return program


def test_servers_that_start_together_in_a_folder_have_one_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkstemp

    def make_late(*arguments: Any, **options: Any) -> tuple[int, str]:
        (tmp_path / "secret").write_text("of the first")
        return make(*arguments, **options)

    monkeypatch.setattr(tempfile, "mkstemp", make_late)
    assert Settings.read(tmp_path).secret == "of the first"
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@dataclass
class Deployment:
    """The example, started below a folder: what runs, and where."""

    folder: Path
    address: str = ""
    ports: list[int] = field(default_factory=list)
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, command: list[str], **environment: str) -> None:
        """Starts a program that writes into a file of its own."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, stdout=log, stderr=log, env=os.environ | environment, cwd=self.folder
            )

    def start_unit(self, template: str, instance: str, *options: str) -> None:
        """Starts what a unit starts, with what the example tells it and a few options more."""
        service = unit(f"{template}.service")["Service"]
        text = (
            service["ExecStart"].replace("%i", instance).replace(PROGRAM, str(self.folder / "bin/teerling"))
        )
        told = dict(each.split("=", 1) for each in shlex.split(service["Environment"]))
        # What is compiled already need not be compiled here.
        told.pop("TEERLING_CACHE")
        told = {key: value.replace("/var/", f"{self.folder}/var/") for key, value in told.items()}
        self.start(f"{template}{instance}", [*shlex.split(text), *options], **self.environment | told)

    def stop(self, name: str) -> int:
        """Tells a program to stop as systemd does; how it ended."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def wait(self, what: str, there: Callable[[], bool], seconds: float = 240) -> None:
        """Waits until something is there."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for name, process in self.running.items():
                assert process.poll() is None, f"{name} ended: {self.log(name)}"
            if there():
                return
            time.sleep(0.1)
        raise AssertionError(f"{what}: " + "\n".join(map(self.log, self.running)))

    def ready(self, port: int) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def figure(self, port: int, name: str, labels: str = "[^}]*") -> float:
        """The sum of a metric of one server over all its labels, or over those that are meant."""
        text = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=30).text
        return sum(float(value) for value in re.findall(rf"^{name}{{{labels}}} (\S+)$", text, re.MULTILINE))

    @property
    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "etc/ssl/teerling/fullchain.pem"))

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.address, verify=self.trusting, timeout=60)


def certify(folder: Path) -> None:
    """A certificate for localhost, signed by itself."""
    folder.mkdir(parents=True)
    command = [
        needed("openssl", "openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem"),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)


def configured(folder: Path, ports: list[int], plain: int, secure: int) -> Path:
    """The example for nginx with other ports and below a folder, and what it stands in."""
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    site = re.sub(r"listen \[::\].*\n", "\n", site)
    for old, new in (
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ", f"listen 127.0.0.1:{secure} "),
        ("tables.example", "localhost"),
        ("127.0.0.1:8001", f"127.0.0.1:{ports[0]}"),
        ("127.0.0.1:8002", f"127.0.0.1:{ports[1]}"),
        ("/etc/ssl", f"{folder}/etc/ssl"),
        ("/var/", f"{folder}/var/"),
    ):
        assert old in site
        site = site.replace(old, new)
    for there in PLACES:
        (folder / there[1:]).mkdir(parents=True, exist_ok=True)
    (folder / "site.conf").write_text(site, encoding="utf-8")
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = (
        f"{'user root;' if os.getuid() == 0 else ''}\ndaemon off;\nworker_processes 1;\n"
        f"pid {folder}/nginx.pid;\nerror_log {folder}/var/log/nginx/error.log;\nevents {{}}\n"
        f"http {{\n{places}access_log {folder}/var/log/nginx/access.log;\ninclude {folder}/site.conf;\n}}\n"
    )
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    return folder / "nginx.conf"


def test_nginx_understands_its_configuration(tmp_path: Path) -> None:
    nginx = needed("nginx", "nginx-light")
    assert all(map(os.path.isdir, PLACES)), "the folders of the example are not there in Debian"
    certify(tmp_path / "etc/ssl/teerling")
    whole = configured(tmp_path, [8001, 8002], free_port(), free_port())
    ran = subprocess.run([nginx, "-t", "-c", str(whole)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert "[warn]" not in ran.stderr


@contextmanager
def deployed(folder: Path, database: Cluster) -> Iterator[Deployment]:
    """Everything of the example: Redis, two servers, two thinkers, and nginx before them."""
    nginx, redis = needed("nginx", "nginx-light"), needed("redis-server", "redis-server")
    certify(folder / "etc/ssl/teerling")
    program_in(folder)
    plain, secure, redis_port, *ports = (free_port() for _ in range(5))
    told = environment() | {
        "TEERLING_DATABASE_URL": database.new_database(),
        "TEERLING_REDIS": f"redis://127.0.0.1:{redis_port}/0",
        "TEERLING_BOT_PAUSE": "0",
        "TEERLING_PUZZLES_AFTER": "0",
    }
    made = Deployment(folder, f"https://localhost:{secure}", ports, environment=told)
    with ExitStack() as ending:
        ending.callback(lambda: [made.stop(name) for name in list(made.running)])
        alone = ["--port", str(redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
        made.start("redis", [redis, *alone])
        made.wait("Redis", lambda: "Ready to accept connections" in made.log("redis"))
        for port in ports:
            made.start_unit("teerling-serve@", str(port))
        for port in ports:
            made.wait("a server", partial(made.ready, port))
        for number in "12":
            # One game is sooner compiled than all are.
            made.start_unit("teerling-think@", number, "--game", "rapido")
        made.start("nginx", [nginx, "-c", str(configured(folder, ports, plain, secure))])
        made.wait("nginx", (folder / "nginx.pid").exists)
        yield made


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with cluster() as database, deployed(tmp_path_factory.mktemp("deployed"), database) as made:
        yield made


def new_table(client: httpx.Client, **changes: Any) -> tuple[str, dict[str, str]]:
    """The path of a new table for programs, and what opens its seats."""
    answer = client.post("/api/tables", json={"game": "rapido", "seats": TWO, **changes})
    assert answer.status_code == 201, answer.text
    return f"/api/tables/{answer.json()['table']['id']}", bearer(answer.json()["token"])


def first_move(client: httpx.Client, path: str, mine: dict[str, str]) -> str:
    return str(client.get(f"{path}/moves", headers=mine).json()["moves"][0]["text"])


@pytest.mark.slow
def test_a_move_by_form_comes_through(deployment: Deployment) -> None:
    with deployment.client() as client:
        answer = client.post("/new/rapido", data={"seat0": "me", "seat1": "me"})
        assert answer.status_code == 303
        assert "; Secure" in answer.headers["set-cookie"]
        path = answer.headers["location"]
        page = client.get(path).text
        at = re.search(r'name="at"\s+value="(\d+)"', page)
        moves = re.findall(r'name="move"\s+value="([^"+]+)"', page)
        assert at is not None
        assert moves
        form = {"move": moves[0], "at": at[1]}
        origin = {"Origin": deployment.address}
        assert client.post(f"{path}/move", data=form, headers=origin).status_code == 303
        version = client.get(f"/api{path}/view").json()["version"]
        assert version > int(at[1])
        elsewhere = {"Origin": "https://elsewhere.example"}
        assert client.post(f"{path}/move", data=form, headers=elsewhere).status_code == 403


@pytest.mark.slow
def test_whoever_is_at_a_table_asks_the_same_server_and_tables_are_spread(deployment: Deployment) -> None:
    def asked() -> list[float]:
        return [deployment.figure(port, "teerling_requests_total") for port in deployment.ports]

    busiest: set[int] = set()
    for _ in range(40):
        if len(busiest) == 2:
            break
        with deployment.client() as client:
            path, mine = new_table(client)
            before = asked()
            for _ in range(3):
                version = client.get(f"{path}/view", headers=mine).json()["version"]
                move = {"move": first_move(client, path, mine), "at": version}
                after = client.post(f"{path}/moves", json=move, headers=mine)
                assert after.status_code == 200, after.text
                assert after.json()["version"] > version
        more = [later - earlier for earlier, later in zip(before, asked(), strict=True)]
        assert max(more) >= 9 > min(more)
        busiest.add(more.index(max(more)))
    assert len(busiest) == 2


def connected(deployment: Deployment, client: httpx.Client, path: str) -> Any:
    """The socket of a page at a table."""
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    return connect(
        f"{deployment.address.replace('https', 'wss')}{path}/live?lang=en",
        ssl=deployment.trusting, additional_headers={"Cookie": cookie}, origin=deployment.address,
    )  # fmt: skip


@pytest.mark.slow
def test_a_move_by_socket_comes_through(deployment: Deployment) -> None:
    with deployment.client() as client:
        path = client.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).headers["location"]
        moves = re.findall(r'name="move"\s+value="([^"+]+)"', client.get(path).text)
        with connected(deployment, client, path) as page:
            version = json.loads(page.recv(timeout=30))["version"]
            page.send(json.dumps({"kind": "move", "move": moves[0], "at": version}))
            while (told := json.loads(page.recv(timeout=30))).get("version") == version:
                assert told["kind"] != "error", told
            assert told["version"] > version


@pytest.mark.slow
def test_a_stream_tells_of_a_move_at_once(deployment: Deployment) -> None:
    """Were it buffered on the way, nothing would come before it ends, which is in an hour."""
    with deployment.client() as client, deployment.client() as other:
        path, mine = new_table(client)
        with client.stream("GET", f"{path}/events", headers=mine) as stream:
            changes = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            began = next(changes)["version"]
            move = {"move": first_move(other, path, mine)}
            assert other.post(f"{path}/moves", json=move, headers=mine).status_code == 200
            assert next(changes)["version"] > began


@pytest.mark.slow
def test_files_are_kept_on_the_way_and_pages_are_not(deployment: Deployment) -> None:
    with deployment.client() as client:
        named = re.findall(
            r'(?:src|href)="(/static/[0-9a-f]{12}/[^"]+|/styles\.css\?[^"]+)"', client.get("/").text
        )
        assert len(named) > 1
        for path in named:
            told = [client.get(path).headers.get("x-cache") for _ in range(2)]
            assert told[1] == "HIT", path
        assert client.get("/static/style.css").headers["cache-control"] == "no-cache"
        assert client.get("/").headers["cache-control"] == "no-store"
        assert "x-cache" not in client.get("/rules/ra").headers
        assert client.get("/metrics").status_code == 404
        large = client.post("/api/tables", content=b"x" * 100_000)
        assert (large.status_code, large.json()["error"]["kind"]) == (413, "too_large")
        assert client.post("/api/tables", content=b"x" * 300_000).status_code == 413


@pytest.mark.slow
def test_thinkers_think_for_the_servers(deployment: Deployment) -> None:
    deployment.wait(
        "the thinkers", lambda: all("Ready for" in deployment.log(f"teerling-think@{n}") for n in "12")
    )

    def thought() -> float:
        return sum(
            deployment.figure(port, "teerling_thought_total", 'where="elsewhere"')
            for port in deployment.ports
        )

    before = thought()
    with deployment.client() as client:
        path, mine = new_table(client, seats=[{"kind": "me"}, {"kind": "bot", "level": "club"}])
        for _ in range(100):
            listed = client.get(f"{path}/moves", headers=mine).json()
            if listed["yours"]:
                client.post(f"{path}/moves", json={"move": listed["moves"][0]["text"]}, headers=mine)
            if thought() > before:
                return
            time.sleep(0.1)
    raise AssertionError("nobody thought")


@pytest.mark.slow
def test_a_server_that_is_started_anew_is_not_missed(deployment: Deployment) -> None:
    """As systemctl restart does it, while somebody plays."""
    port = str(deployment.ports[0])
    statuses: list[int] = []
    ended = threading.Event()

    def play() -> None:
        with deployment.client() as client:
            path, mine = new_table(client)
            while not ended.is_set():
                answers = [client.get(f"{path}/view", headers=mine)]
                move = {"move": first_move(client, path, mine)}
                answers.append(client.post(f"{path}/moves", json=move, headers=mine))
                statuses.extend(answer.status_code for answer in answers)
                time.sleep(0.2)

    playing = threading.Thread(target=play)
    playing.start()
    try:
        assert deployment.stop(f"teerling-serve@{port}") in CLEAN
        deployment.start_unit("teerling-serve@", port)
        deployment.wait("a server", partial(deployment.ready, int(port)))
    finally:
        ended.set()
        playing.join(60)
    assert len(statuses) > 3
    assert set(statuses) == {200}


@pytest.mark.slow
def test_pages_find_the_other_server_whichever_is_started_anew(deployment: Deployment) -> None:
    """Nobody asks for anything but sockets meanwhile."""
    with deployment.client() as client, ExitStack() as stack:
        form = {"seat0": "me", "seat1": "me"}
        paths = [client.post("/new/rapido", data=form).headers["location"] for _ in range(6)]
        for port in map(str, deployment.ports):
            deployment.stop(f"teerling-serve@{port}")
            for path in paths:
                page = stack.enter_context(connected(deployment, client, path))
                assert json.loads(page.recv(timeout=30))["kind"] == "page"
            deployment.start_unit("teerling-serve@", port)
            deployment.wait("a server", partial(deployment.ready, int(port)))


@pytest.mark.slow
def test_no_log_quotes_a_personal_link(deployment: Deployment) -> None:
    with deployment.client() as client:
        page = client.get(
            client.post("/new/rapido", data={"seat0": "me", "seat1": "me"}).headers["location"]
        ).text
        link = re.search(r"/me/([\w.~-]+)", page)
        assert link is not None
        assert client.get(f"/me/{link[1]}").status_code == 303
    logs = [*deployment.folder.glob("*.log"), *deployment.folder.glob("var/log/nginx/*")]
    assert len(logs) >= 7
    assert [log.name for log in logs if link[1] in log.read_text(errors="replace")] == []
