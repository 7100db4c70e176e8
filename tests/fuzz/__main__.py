"""Fuzzing for as long as there is time: `make fuzz MINUTES=600`, or `python -m tests.fuzz MINUTES`.

Round after round with other examples, until the time is over or somebody presses Ctrl-C. What failed stays in
build/fuzz: what every round said of it, and its examples, which are tried first the next time.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
KEPT = Path("build/fuzz")
USUAL_MINUTES = 60.0
TIMES = 20
"""How many times as many examples as a test run a round has."""
FAREWELL = 30.0
"""Seconds in which a round that is told to stop must have stopped."""


def round_of(number: int, until: float) -> bool | None:
    """Whether a round found nothing; None if it was not over in time."""
    told = KEPT / f"round-{number}.txt"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(HERE),
        f"--hypothesis-seed={number}",
    ]
    environment = os.environ | {
        "TEERLING_FUZZ_TIMES": str(TIMES),
        "TEERLING_FUZZ_KEPT": str(KEPT / "examples"),
    }
    with told.open("w") as out:
        # In a group of its own: Ctrl-C is for this process, which tells it.
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environment, process_group=0)
    try:
        code = process.wait(max(0.0, until - time.monotonic()))
    except (KeyboardInterrupt, subprocess.TimeoutExpired) as stopped:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        found = "FAILED" in told.read_text()
        if not found:
            told.unlink()
        if isinstance(stopped, KeyboardInterrupt):
            raise
        return False if found else None
    if code == 0:
        told.unlink()
    return code == 0


def main(minutes: float) -> int:
    """Runs rounds for so many minutes; how many of them found something."""
    until = time.monotonic() + 60 * minutes
    KEPT.mkdir(parents=True, exist_ok=True)
    failed, number = 0, int(time.time())
    print(f"fuzzing for {minutes:g} minutes; Ctrl-C ends it sooner", flush=True)
    try:
        while time.monotonic() < until:
            number += 1
            fine = round_of(number, until)
            failed += fine is False
            said = {True: "nothing found", False: "something FAILED", None: "stopped, as the time is over"}[
                fine
            ]
            print(f"round {number}: {said}", flush=True)
    except KeyboardInterrupt:
        print("stopped")
    print(f"{failed} rounds found something; see {KEPT}/round-*.txt" if failed else "nothing was found")
    return failed


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else USUAL_MINUTES) > 0)
