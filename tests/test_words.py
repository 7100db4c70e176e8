"""Dutch is complete: every text that can be shown has a translation."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import teerling
from teerling import Plural, players
from teerling.errors import TeerlingError
from teerling.options import Choice, Counts, Option
from teerling.server import app  # noqa: F401  (with it come all that can be refused)
from teerling.server.page.environment import TEMPLATES
from teerling.server.refusals import Refused
from teerling.words import EVERYWHERE, LANGUAGES, Speaker, You, catalogue

PACKAGE = Path(teerling.__file__).parent
SAYING = ("say", "say.plural", "self.say", "self", "Phrase")
SPEAKING = [game for game in teerling.list_games() if game.to_you]
"""Games that speak to their players; others call everybody by name."""


def said_in(path: Path) -> set[str]:
    """The texts that a module says: `say("…")`, `say.plural("…", "…", n)`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        says = isinstance(node, ast.Call) and ast.unparse(node.func) in SAYING
        if says and node.args and isinstance(node.args[0], ast.Constant):
            found.add(str(node.args[0].value))
    return found


def said_in_template(path: Path) -> set[str]:
    """The texts that a template says."""
    return set(re.findall(r'say(?:\.plural)?\(\s*"((?:[^"\\\\]|\\\\.)*)"', path.read_text(encoding="utf-8")))


def refusals(kind: type[Refused] = Refused) -> Iterator[str]:
    """The names of all errors with which the server refuses something."""
    yield kind.__name__
    for each in kind.__subclasses__():
        yield from refusals(each)


def refused_in(path: Path) -> set[str]:
    """The sentences with which a module of the server refuses something."""
    names = set(refusals())
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names
        and node.args and isinstance(node.args[0], ast.Constant)
    }  # fmt: skip


def catalogues(folders: Iterable[Path]) -> list[Path]:
    """The Dutch catalogues of folders; one that holds drawings alone has none."""
    return [folder / "nl.po" for folder in folders if (folder / "nl.po").exists()]


def translated(*folders: Path) -> dict[str, bool]:
    """Every text of catalogues, and whether all its forms are there."""
    found = {}
    for path in catalogues(folders):
        with path.open("rb") as file:
            for message in read_po(file, locale="nl"):
                key = message.id[0] if isinstance(message.id, tuple) else message.id
                strings = message.string if isinstance(message.string, tuple) else (message.string,)
                found[key] = all(strings) and not message.fuzzy
    return found


def option_texts(option: Option) -> Iterator[str]:
    """What a form says of an option: its sentence, and what may be chosen."""
    yield option.text
    if isinstance(option, Choice):
        yield from map(option.meaning, option.choices)
        assert option.meanings, f"{option.name} shows bare words"
    if isinstance(option, Counts):
        yield from option.names


def texts_of(game: teerling.Game) -> set[str]:
    sentences = (*game.words.values(), *game.to_you.values())
    texts = {words.one if isinstance(words, Plural) else words for words in sentences}
    nouns = [game.nouns.get(term, term) for term in (*game.terms, *game.nouns)]
    texts |= {
        *(noun if isinstance(noun, str) else noun.one for noun in nouns),
        game.summary,
        *(text for option in game.options for text in option_texts(option)),
        *(text for _, text in game.guide),
        *(text for part in game.tendencies.parts for text in part),
        *game.tendencies.kinds.values(),
        *game.tendencies.sentences.values(),
    }
    for folder in game.catalogues:
        texts |= {text for path in folder.glob("*.py") for text in said_in(path)}
        texts |= {text for path in folder.glob("*.html") for text in said_in_template(path)}
    return texts


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_every_text_of_a_game_is_translated(game: teerling.Game) -> None:
    known = translated(*game.catalogues, PACKAGE / "words")
    assert sorted(text for text in texts_of(game) if not known.get(text)) == []


def test_every_text_of_the_project_is_translated() -> None:
    texts = set(EVERYWHERE.values())
    paths = [*PACKAGE.glob("*.py")]
    for name in ("words", "lab", "players", "terminal", "server"):
        paths += (PACKAGE / name).rglob("*.py")
    for path in paths:
        texts |= said_in(path) | refused_in(path)
    for path in TEMPLATES.glob("*.html"):
        texts |= said_in_template(path)
    texts |= {text for player in players.players() for text in (player.name, player.character)}
    known = translated(PACKAGE / "words")
    assert sorted(text for text in texts if not known.get(text)) == []


@pytest.mark.parametrize("game", teerling.list_games(), ids=lambda game: game.id)
def test_a_translation_names_the_same_details(game: teerling.Game) -> None:
    import string

    def details(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for path in catalogues(game.catalogues):
        with path.open("rb") as file:
            for message in read_po(file, locale="nl"):
                ids = message.id if isinstance(message.id, tuple) else (message.id,)
                strings = message.string if isinstance(message.string, tuple) else (message.string,)
                if all(ids):
                    assert set().union(*map(details, ids)) == set().union(*map(details, strings)), ids


def test_plurals_follow_the_number() -> None:
    ra = teerling.game("ra")
    one = teerling.Event("must_discard", "RA-21", 0, {"count": 1, "disaster": "unrest"})
    two = teerling.Event("must_discard", "RA-21", 0, {"count": 2, "disaster": "unrest"})
    assert "1 tegel naar keuze" in Speaker("nl", ra).say(one, ["Anne"])
    assert "2 tegels naar keuze" in Speaker("nl", ra).say(two, ["Anne"])
    assert "1 tile of their choice" in Speaker("en", ra).say(one, ["Anne"])
    assert "2 tiles of their choice" in Speaker("en", ra).say(two, ["Anne"])


def test_equal_things_of_a_list_are_counted() -> None:
    event = teerling.Event("disaster", "RA-21", 0, {"disaster": "drought", "lost": ["flood", "nile", "nile"]})
    assert "loses: flood and 2 Nile tiles" in Speaker("en", teerling.game("ra")).say(event, ["Anne"])
    assert "verliest: overstroming en 2 Nijltegels" in Speaker("nl", teerling.game("ra")).say(event, ["Anne"])


def test_a_sentence_begins_with_a_capital_unless_somebody_is_called_otherwise() -> None:
    passed, taken = (
        teerling.Event("passed", "RA-12", 0),
        teerling.Event("sun_face_down", "RA-16", data={"sun": 3}),
    )
    say = Speaker("en", teerling.game("ra"))
    assert say.sentence(passed, ["seat 0", "eve"]) == "Seat 0 passes"
    assert say.sentence(passed, ["eve"]) == "eve passes"
    assert say.sentence(taken, ["eve"]) == "Sun 3 lies face down until the next epoch"
    assert say.say(passed, ["seat 0"]) == "seat 0 passes"
    assert Speaker("nl", teerling.game("ra")).sentence(passed, ["seat 0"]) == "Zitplaats 0 past"
    assert (say.label(0, ["seat 0"]), say.label(0, ["eve"])) == ("Seat 0", "eve")


def test_the_five_games_speak_to_their_players() -> None:
    assert {"ra", "priests", "radice", "dicerun", "rapido"} <= {game.id for game in SPEAKING}


@pytest.mark.parametrize("game", SPEAKING, ids=lambda game: game.id)
def test_what_tells_of_a_player_can_be_said_to_that_player(game: teerling.Game) -> None:
    def forms(words: str | Plural) -> list[str]:
        return [words] if isinstance(words, str) else [words.one, words.many]

    # Whose pair lies on a field is always somebody else's.
    told = {kind for kind, words in game.words.items() if "{seat}" in forms(words)[0]} - {"field_taken"}
    assert told - set(game.to_you) == set()
    for kind, words in game.to_you.items():
        assert not any("{seat}" in form for form in forms(words)), kind
        assert isinstance(words, Plural) == (
            isinstance(game.words[kind], Plural) and "{seats}" not in forms(game.words[kind])[0]
        ), kind


@pytest.mark.parametrize(
    ("lang", "you", "said"),
    [
        ("en", "you", ["You bid 13", "Marc bids 13", "You win the game", "You and Marc share the win"]),
        ("nl", "jij", ["Je biedt 13", "Marc biedt 13", "Je wint het spel", "Jij en Marc winnen samen"]),
    ],
)
def test_the_reader_is_spoken_to(lang: str, you: str, said: list[str]) -> None:
    say, names = Speaker(lang, teerling.game("ra")), (You(you, "Anne"), "Marc")
    told = [
        teerling.Event("bid", "RA-12", 0, {"sun": 13}),
        teerling.Event("bid", "RA-12", 1, {"sun": 13}),
        teerling.Event("game_over", "RA-38", None, {"seats": [0], "count": 1}),
        teerling.Event("game_over", "RA-38", None, {"seats": [0, 1], "count": 2}),
    ]
    assert [say.say(event, names) for event in told] == said


def test_who_is_called_like_the_reader_is_somebody_else() -> None:
    passed = teerling.Event("passed", "RA-12", 0)
    say = Speaker("en", teerling.game("ra"))
    assert say.say(passed, ["you", "Marc"]) == "you passes"
    assert You("you", "Anne") != "you"
    assert len({You("you", "Anne"), You("you", "Marc"), You("you", "Anne")}) == 2


def test_a_game_without_sentences_to_the_reader_says_whose_name_it_is() -> None:
    silent = replace(teerling.game("ra"), to_you={})
    passed = teerling.Event("passed", "RA-12", 0)
    assert Speaker("en", silent).say(passed, (You("you", "Anne (you)"), "Marc")) == "Anne (you) passes"


def test_a_list_within_a_list_is_said_as_one() -> None:
    event = teerling.Event("thrown", "DR-15", data={"group": 2, "dice": [["red", 1, 1, 4], ["blue", 6]]})
    assert Speaker("en", teerling.game("dicerun")).say(event, []) == "Group 2 now shows red 1 1 4 and blue 6"
    assert Speaker("nl", teerling.game("dicerun")).say(event, []) == "Groep 2 toont nu rood 1 1 4 en blauw 6"


def test_names_are_never_taken_for_a_template() -> None:
    event = teerling.Event("passed", "RA-12", 0)
    assert Speaker("nl", teerling.game("ra")).say(event, ["{seat}"]) == "{seat} past"


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(TeerlingError, match="no language 'fr'; there are nl, en"):
        Speaker("fr")
    assert list(LANGUAGES) == ["nl", "en"]
    assert catalogue("en", PACKAGE).gettext("x") == "x"
