"""Ways to spoil what was right: texts by bytes, words and lines, and values anywhere within others."""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

CORPUS = Path(__file__).parent / "corpus"
"""Short files that once found something: `*.txt` are match files, `*.json` positions."""
SIGNS = [
    "", " ", "\n", "\r", "\t", "\0", "\x0b", "\x1c", "\x85", "\u2028", "\u200b", "\u202e", "\ufeff", "\ufffd",
    "é", "e\u0301", "ß", "İ", "٣", "²", "½", "𝟛", "🎲", ">", ":", "#", "-", "+", "_", ".", ",", "%", "{",
    "}", "{0}",
    "{seat}", "<", "&", "'", '"', "\\", "/", "..", "0", "-1", "00", "1e9", "1_0", "9" * 9, "9" * 10, "9" * 30,
    "NaN", "Infinity", "null", "true", "x" * 300,
]  # fmt: skip
ODD: list[Any] = [
    None, True, False, 0, 1, 2, 3, 5, 7, -1, 127, 128, 255, 256, 2**31, 2**63, 10**30, 1.0, 1.5, -0.0,
    math.inf,
    math.nan, "", "x", "0", "\ud800", "{0}", "🎲", "\0", [], {}, [None], [[]], [{}], {"": 1}, {"a": {}},
    [0] * 300,
]  # fmt: skip


ANY_SIGN = st.integers(0, 0x10FFFF - 0x800).map(lambda code: chr(code if code < 0xD800 else code + 0x800))
"""Any character of Unicode; `st.characters` would first look at all of them."""
ANY_TEXT = st.lists(st.sampled_from(SIGNS) | ANY_SIGN, max_size=12).map("".join)


def corpus(ending: str) -> list[str]:
    """The texts of the files that are kept with this ending."""
    return [path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob(f"*.{ending}"))]


@st.composite
def spoiled_texts(draw: st.DrawFn, make: Callable[[], Sequence[str]]) -> str:
    """One of some texts, made when they are needed, with a few letters, words or lines of it changed."""
    texts = make()
    lines = draw(st.sampled_from(texts)).split("\n")
    others = draw(st.sampled_from(texts)).split("\n")
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(lines) - 1))
        lines[place : place + 1] = _spoiled_line(draw, lines, place, others)
        lines = lines or [""]
    return "\n".join(lines)


def _spoiled_line(draw: st.DrawFn, lines: list[str], place: int, others: list[str]) -> list[str]:
    """What stands in the place of a line."""
    line = lines[place]
    how = draw(
        st.sampled_from(["sign", "sign", "word", "word", "cut", "drop", "double", "swap", "other", "end"])
    )
    if how in ("sign", "cut"):
        at = draw(st.integers(0, len(line)))
        gone = draw(st.integers(0, 3))
        instead = draw(st.sampled_from(SIGNS) | ANY_SIGN) if how == "sign" else ""
        return [line[:at] + instead + line[at + gone :]]
    if how == "word":
        words = line.split(" ")
        at = draw(st.integers(0, len(words) - 1))
        known = [word for each in others for word in each.split(" ")]
        words[at] = draw(st.sampled_from(SIGNS) | st.sampled_from(known) | st.integers(-3, 300).map(str))
        return [" ".join(words)]
    if how == "double":
        return [line] * draw(st.sampled_from([2, 3, 40]))
    if how == "swap":
        other = draw(st.integers(0, len(lines) - 1))
        lines[other], line = line, lines[other]
        return [line]
    if how == "other":
        return [line, draw(st.sampled_from(others))]
    if how == "end":
        del lines[place + 1 :]
        return [line, "end"]
    return []


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a value."""
    if path:
        yield path
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        yield from places(value, (*path, key))


def at_place(whole: Any, path: Sequence[Any]) -> Any:
    """What stands at a place of a value."""
    for key in path:
        whole = whole[key]
    return whole


@st.composite
def spoiled_values(draw: st.DrawFn, make: Callable[[], Sequence[Any]]) -> Any:
    """One of some values, made when they are needed, with a few of the entries within it changed."""
    whole = copy.deepcopy(draw(st.sampled_from(make())))
    for _ in range(draw(st.integers(1, 4))):
        paths = list(places(whole))
        if not paths:
            break
        path = draw(st.sampled_from(paths))
        part, key = at_place(whole, path[:-1]), path[-1]
        how = draw(st.sampled_from(["odd", "near", "near", "other", "other", "drop", "more"]))
        if how == "near" and isinstance(part[key], int):
            part[key] = int(part[key]) + draw(st.sampled_from([-2, -1, 1, 2, 10]))
        elif how == "other":
            part[key] = copy.deepcopy(at_place(whole, draw(st.sampled_from(paths))))
        elif how == "drop":
            del part[key]
        elif how == "more" and isinstance(part, dict):
            part[draw(st.sampled_from(["", "x", "limits", "\ud800", "{0}"]))] = copy.deepcopy(
                draw(st.sampled_from(ODD))
            )
        elif how == "more":
            part.insert(key, copy.deepcopy(part[key]))
        else:
            part[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
    return whole
