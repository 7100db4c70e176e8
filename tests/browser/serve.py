"""A server for browser tests: bots do not pause, nobody is too fast."""

import dataclasses
import sys
from pathlib import Path

import uvicorn

from teerling.server.app import create_app
from teerling.server.settings import Settings

if __name__ == "__main__":
    settings = Settings.read(Path(sys.argv[1]))
    quick = dataclasses.replace(settings, bot_pause=0.0, moves_per_second=1000.0)
    uvicorn.run(create_app(quick), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
