"""The two fonts of all pages: Latin subsets of installed packages, made once and kept in the cache."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock

from platformdirs import user_cache_path

SOURCES = {
    "title": ("font_source_serif_pro", "SourceSerifPro-Bold.ttf"),
    "text": ("font_manrope", "Manrope-VariableFont_wght.ttf"),
}
"""Titles and numbers, and everything else: from which package, and which file of it."""
MAKING = {name: Lock() for name in SOURCES}
"""Held by whoever makes a font; others wait for it."""
LATIN = (
    "U+0020-007E,U+00A0-017F,U+02C6,U+02DA,U+02DC,U+2010-2027,U+2030-203A,U+20AC,U+2122,U+2190-2193,U+2212"
)
FEATURES = ("kern", "liga", "lnum", "tnum", "mark", "ccmp", "calt")


@cache
def font(name: str) -> bytes:
    """A font as WOFF2; KeyError if there is none of this name.

    >>> font("title")[:4]
    b'wOF2'
    """
    package, file = SOURCES[name]
    kept = _cache() / f"{name}-{_key(package)}.woff2"
    with MAKING[name]:
        return kept.read_bytes() if kept.is_file() else _kept(_made_aside(package, file), kept)


def _kept(made: bytes, place: Path) -> bytes:
    """A font that was made, kept for the next start; where nothing can be written, that makes it anew."""
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=place.parent, delete=False) as part:
            part.write(made)
        Path(part.name).replace(place)
    return made


def make_all() -> None:
    """Makes all fonts, if they are not there yet."""
    with ThreadPoolExecutor(len(SOURCES)) as makers:
        list(makers.map(font, SOURCES))


def _cache() -> Path:
    return Path(os.environ.get("TEERLING_CACHE") or user_cache_path("teerling", appauthor=False)) / "fonts"


def _key(package: str) -> str:
    """A text that changes whenever the subset would."""
    versions = [metadata.version(each) for each in (package.replace("_", "-"), "fonttools")]
    return hashlib.sha256("\n".join([LATIN, *FEATURES, *versions]).encode()).hexdigest()[:12]


def _made_aside(package: str, file: str) -> bytes:
    """A subset from a process of its own: it takes seconds, in which pages want to be made."""
    command = [sys.executable, "-I", __file__, package, file]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def _subset(package: str, file: str) -> bytes:
    from fontTools import subset

    options = subset.Options(
        flavor="woff2", layout_features=list(FEATURES), hinting=False, notdef_outline=True
    )
    with as_file(files(package) / "files" / file) as path:
        loaded = subset.load_font(str(path), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(LATIN))
    subsetter.subset(loaded)
    with NamedTemporaryFile(suffix=".woff2") as out:
        subset.save_font(loaded, out.name, options)
        return Path(out.name).read_bytes()


if __name__ == "__main__":
    sys.stdout.buffer.write(_subset(*sys.argv[1:]))
