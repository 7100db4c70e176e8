"""A program that plays a whole match over the network, against bots: python client.py GAME [SERVER]

    teerling serve --no-open &
    python examples/client.py rapido http://127.0.0.1:8000

It needs nothing but Python: the interface for programs is JSON over HTTP, described at SERVER/api.
"""

import json
import random
import sys
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Server:
    """A server, and the token of our seat once we have one."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.token = ""

    def open(self, path: str, message: object = None):
        """Sends a message, or asks for something; waits when told that it was too fast."""
        request = Request(self.address + path, headers={"Content-Type": "application/json"})
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if message is not None:
            request.data = json.dumps(message).encode()
        while True:
            try:
                return urlopen(request, timeout=60)
            except HTTPError as error:
                if error.code != 429:
                    raise SystemExit(f"{error.code}: {json.load(error)['error']['message']}") from None
                time.sleep(float(error.headers["Retry-After"]))

    def ask(self, path: str, message: object = None) -> dict:
        with self.open(path, message) as answer:
            return json.load(answer)

    def follow(self, path: str):
        """The messages of a stream of events, until the match is over."""
        with self.open(path) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    yield json.loads(line.removeprefix(b"data: "))


def play(server: Server, game: str, bots: int = 2) -> None:
    """Creates a table and makes random moves at it until the match is over."""
    seats = [{"kind": "me"}, *[{"kind": "bot", "level": "random"}] * bots]
    seated = server.ask("/api/tables", {"game": game, "seats": seats, "name": "Example", "public": False})
    server.token = seated["token"]
    table = f"/api/tables/{seated['table']['id']}"
    print(f"{server.address}{seated['table']['page']}")
    for change in server.follow(f"{table}/events"):
        for event in change["events"]:
            print(event["text"])
        if change["yours"]:
            state = server.ask(f"{table}/view")
            # More may have happened meanwhile; then the stream tells it, and we wait for that.
            if state["yours"] and state["version"] == change["version"]:
                move = random.choice(state["view"]["legal"])
                server.ask(f"{table}/moves", {"move": move, "at": state["version"]})
    view = server.ask(f"{table}/view")["view"]
    for rank, name, score in sorted(zip(view["ranks"], view["names"], view["scores"], strict=True)):
        print(f"{rank}. {name}: {score}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
    else:
        play(Server(sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8000"), sys.argv[1])
