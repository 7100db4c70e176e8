"""The command line, as somebody uses it: in a terminal, through pipes, and wrongly."""

import json
import os
import random
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
from typer.testing import CliRunner, Result

import teerling
from teerling.cli import app
from teerling.game import _games
from tests.variants import GAMES

COMMAND = [sys.executable, "-c", "from teerling.cli import main; main()"]
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in an empty folder and says what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("TEERLING_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run_command(*arguments: str, input: str = "", env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=input, env=env)

    return run_command


@pytest.fixture
def ra(run: Run) -> Path:
    """A match file of Ra: seat 2 is to move, and the first tile is Ra."""
    done(run("new", "ra", "--players", "3", "--seed", "7", "--name", "Anne", "-o", "ra.txt"))
    return Path("ra.txt")


def done(result: Result) -> str:
    """What a command printed that went well."""
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(result: Result, message: str) -> None:
    """A command said in one line what is wrong, did nothing else, and ended with 2."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert re.fullmatch(r"teerling: .+\n", result.stderr)
    assert re.search(message, result.stderr), result.stderr


def answers(seed: int, most: int = 3) -> str:
    """Numbers of choices, more than any match needs."""
    chooser = random.Random(seed)
    return "".join(f"{chooser.randint(1, most)}\n" for _ in range(4000))


def saved(output: str) -> Path:
    """The file that a game at the terminal ended in."""
    return Path(re.findall(r"teerling (?:play|replay) (\S+\.txt)", output)[-1])


# Games and rules


def test_help_lists_all_commands_and_needs_neither_numba_nor_matplotlib() -> None:
    program = (
        "import sys\nfrom teerling.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: print({'numba', 'matplotlib', 'babel.numbers'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.endswith("set()\n")
    listed = re.findall(r"^│ ([a-z]+) ", told, re.MULTILINE)
    commands = ["games", "rules", "new", "show", "push", "pop", "verify", "play", "replay", "simulate"]
    assert {*commands, "bench", "hint", "review"} <= set(listed)


def test_without_a_command_there_is_help(run: Run) -> None:
    assert "Usage: teerling" in done(run())


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert done(run("--version")) == f"teerling {teerling.__version__}\n"


def test_games_are_listed_with_their_options(run: Run) -> None:
    told = done(run("games"))
    assert [line.split()[0] for line in told.splitlines() if line[:1].isalpha()] == GAMES
    assert "2 to 5 players, 90 minutes" in told
    assert "--option goal=5…100 [21]" in told
    assert "--option fame=open|hidden [open]" in told


def test_the_language_is_that_of_the_option_the_variable_or_the_system(run: Run) -> None:
    dutch, english = "2 tot 5 spelers", "2 to 5 players"
    assert dutch in done(run("--lang", "nl", "games"))
    assert dutch in done(run("games", "--lang", "nl"))
    assert dutch in done(run("games", env={"TEERLING_LANG": "nl"}))
    assert dutch in done(run("games", env={"LANG": "nl_BE.UTF-8"}))
    assert dutch in done(run("games", env={"LC_ALL": "nl", "LANG": "de_DE"}))
    assert english in done(run("games", env={"LC_ALL": "C.UTF-8", "LANG": "nl_NL"}))
    assert english in done(run("games", env={"LANG": "fr_FR.UTF-8"}))
    assert english in done(run("--lang", "en", "games", env={"TEERLING_LANG": "nl"}))
    assert english in done(run("--lang", "nl", "games", "--lang", "en"))


@pytest.mark.parametrize("lang", ["nl", "en"])
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_hold_every_id_of_the_game_and_of_all_games(run: Run, game: str, lang: str) -> None:
    pages = [teerling.game(game).folder, Path(teerling.__file__).parent / "games"]
    text = "".join((folder / f"rules.{lang}.md").read_text(encoding="utf-8") for folder in pages)
    told = done(run("rules", game, "--lang", lang))
    ids = set(re.findall(r"\*\*([A-Z]+-\d+)\*\*", text))
    assert len(ids) > 10
    assert ids <= set(re.findall(r"[A-Z]+-\d+", told))
    assert "🌆" not in told, "a terminal shows no drawings"


def test_one_rule_is_told_with_its_table(run: Run) -> None:
    told = done(run("rules", "ra", "ra-04"))
    assert "RA-04" in told
    assert "13-6-2" in told
    assert "RA-05" not in told


@pytest.fixture
def pig() -> Iterator[teerling.Game]:
    from tests.sixth.pig import game

    yield teerling.register(game)
    del _games["pig"]


@pytest.mark.usefixtures("pig")
def test_a_game_from_elsewhere_has_its_rules_and_is_played(run: Run) -> None:
    assert "PG-01" in done(run("rules", "pig"))
    assert "pig" in done(run("games", "--lang", "nl"))
    told = done(run("play", "pig", "--players", "2", "--seed", "1", input="1\n" * 500))
    assert teerling.load(saved(told).read_text()).over


# Match files


def test_a_new_match_is_printed_or_written(run: Run) -> None:
    options = ("new", "ra", "--players", "3", "--seed", "x y", "--option", "fame=hidden", "--name", "Anne")
    printed = done(run(*options))
    match = teerling.load(printed)
    assert (match.players, match.options, match.names[0]) == (3, {"fame": "hidden"}, "Anne")
    assert "seed x y" in printed
    assert re.fullmatch(
        r"a match\.txt is ready: .+'s turn( \(.+\))?\n", done(run(*options, "-o", "a match.txt"))
    )
    assert Path("a match.txt").read_text() == printed


def test_without_a_seed_every_match_has_its_own(run: Run) -> None:
    assert done(run("new", "ra")) != done(run("new", "ra"))


def test_show_draws_the_board_and_lists_the_legal_moves(run: Run, ra: Path) -> None:
    told = done(run("show", str(ra)))
    assert told.startswith("Ra · 3 players · 2 moves · seat 2's turn\n")
    assert "☀4 ☀7 ☀10 ☀11" in told
    assert told.rstrip().endswith("draw     invoke")
    told = done(run("show", str(ra), "--lang", "nl"))
    assert "zitplaats 2 is aan de beurt" in told
    assert "draw (trek een tegel)" in told


def test_show_tells_a_seat_that_is_not_to_move_no_choices(run: Run, ra: Path) -> None:
    assert "invoke" in done(run("show", str(ra), "--seat", "2"))
    assert "invoke" not in done(run("show", str(ra), "--seat", "1"))


def test_show_tells_a_seat_its_own_cards_only(run: Run) -> None:
    done(run("new", "dicerun", "--players", "2", "--seed", "1", "-o", "match.txt"))
    seen = [done(run("show", "match.txt", "--seat", seat)) for seat in "01"]
    hands = [re.findall(r"Seat \d +0 +(.+?)  ", told) for told in seen]
    assert hands[0][1] == hands[1][0] == "3 cards"
    assert "," in hands[0][0]
    assert "," in hands[1][1]


@pytest.mark.parametrize(("lang", "percent"), [("en", "16.7%    1/6"), ("nl", "16,7%    1/6")])
def test_show_tells_the_odds_of_a_chance_event(run: Run, lang: str, percent: str) -> None:
    done(run("new", "ra", "--players", "2", "--manual", "-o", "match.txt"))
    done(run("push", "match.txt", "stack 1", "draw"))
    told = done(run("show", "match.txt", "--lang", lang))
    assert re.search(rf"tile ra .*{percent}", told)
    parts = [float(part.replace(",", ".")) for part in re.findall(r"([\d.,]+)%", told)]
    assert sum(parts) == pytest.approx(100, abs=0.6)


def test_show_tells_a_seat_only_the_odds_that_it_can_know(run: Run) -> None:
    done(run("new", "dicerun", "--players", "2", "--manual", "-o", "match.txt"))
    done(run("push", "match.txt", "card green", "card red", "card blue"))
    odds = [done(run("show", "match.txt", *seat)) for seat in ([], ["--seat", "0"], ["--seat", "1"])]
    green = [re.findall(r"card green +([\d.]+)%", told) for told in odds]
    # Whoever may see it all, and seat 0, know that one of 5 green cards is gone; seat 1 does not.
    assert green[0] == green[1]
    assert float(green[2][0]) > float(green[0][0])


def test_push_makes_moves_and_tells_what_happened(run: Run, ra: Path) -> None:
    told = done(run("push", str(ra), "draw", "bid 4"))
    assert "Seat 2 draws Ra, number 1 of 8  RA-08" in told
    assert "Anne bids 4  RA-12" in told
    assert told.endswith("Seat 1's turn\n")
    assert "2: draw > tile ra\n0: bid 4\nend" in ra.read_text()
    assert "past" in done(run("push", str(ra), "pass", "--lang", "nl"))


def test_push_makes_all_moves_or_none(run: Run, ra: Path) -> None:
    before = ra.read_bytes()
    refused(run("push", str(ra), "draw", "bid 4", "bid 3"), r"bid 3 is not possible now: .+ \(RA-12\)")
    refused(run("push", str(ra), "draw", "fly"), "'fly' is not a move of Ra")
    assert ra.read_bytes() == before
    assert os.listdir() == ["ra.txt"]


def test_push_keeps_the_permissions_and_follows_a_link(run: Run, ra: Path) -> None:
    ra.chmod(0o640)
    Path("link.txt").symlink_to(ra)
    done(run("push", "link.txt", "draw"))
    assert Path("link.txt").is_symlink()
    assert "tile ra" in ra.read_text()
    assert stat.S_IMODE(ra.stat().st_mode) == 0o640


def test_a_refusal_is_told_in_the_language(run: Run, ra: Path) -> None:
    refused(
        run("push", str(ra), "bid 3", "--lang", "nl"), r"bid 3 kan nu niet: er loopt geen veiling \(RA-12\)"
    )
    refused(run("show", "nothing.txt", "--lang", "nl"), "er is geen bestand nothing.txt")
    refused(run("new", "chess", "--lang", "nl"), "er is geen spel 'chess'")
    refused(run("--lang", "nl", "new", "ra", "--players", "9"), "Ra is voor 2 tot 5 spelers, niet voor 9")
    ra.write_text(ra.read_text().replace("players", "spelers"))
    refused(run("show", str(ra), "--lang", "nl"), "regel 4: 'spelers' hoort hier niet")


def test_pop_takes_back_the_last_move(run: Run, ra: Path) -> None:
    before = ra.read_text()
    done(run("push", str(ra), "draw"))
    assert "taken back: draw" in done(run("pop", str(ra)))
    assert ra.read_text() == before
    refused(run("pop", str(ra)), "no move has been made yet that could be taken back")


def test_a_file_with_a_byte_order_mark_is_read(run: Run, ra: Path) -> None:
    ra.write_text("\ufeff" + ra.read_text(), encoding="utf-8")
    assert "'s turn" in done(run("show", str(ra)))


def test_verify_says_that_chance_follows_from_the_seed(run: Run, ra: Path) -> None:
    done(run("push", str(ra), "draw"))
    told = done(run("verify", str(ra)))
    assert "decisions: 1, all of them legal" in told
    assert "chance events: 3, all of them following from the seed" in told
    assert "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451" in told
    assert "allemaal zoals ze uit de seed volgen" in done(run("verify", str(ra), "--lang", "nl"))


def test_verify_refuses_a_file_that_was_altered(run: Run, ra: Path) -> None:
    done(run("push", str(ra), "draw"))
    ra.write_text(ra.read_text().replace("tile ra", "tile god"))
    refused(run("verify", str(ra)), "ra.txt: line 9: by the seed, nature's answer here is tile ra")


def test_verify_says_what_can_not_be_checked(run: Run, ra: Path) -> None:
    sealed = teerling.load(ra.read_text()).save(seed=False)
    Path("sealed.txt").write_text(sealed)
    told = " ".join(done(run("verify", "sealed.txt")).split())
    assert "can be checked once the file holds the seed" in told
    assert "seal: 7902699b" in told
    done(run("new", "ra", "--manual", "-o", "manual.txt"))
    told = " ".join(done(run("verify", "manual.txt")).split())
    assert "there is no seed to check them by" in told
    assert "seal" not in told


# Playing


@pytest.mark.parametrize("lang", ["nl", "en"])
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_from_a_pipe(run: Run, game: str, lang: str) -> None:
    told = done(run("play", game, "--seed", "5", "--lang", lang, input=answers(1)))
    match = teerling.load(saved(told).read_text(encoding="utf-8"))
    assert match.over
    assert match.names[0] == {"nl": "Speler", "en": "Player"}[lang]
    assert re.search(rf"^{match.names[0]}\b.*  {match.events[0].rule[:2]}-\d+$", told, re.MULTILINE)
    result = told[told.rindex(match.names[0] + "  ") :].splitlines()
    total = next(line for line in result if line.startswith(("Total", "Totaal")))
    ranks = next(line for line in result if line.startswith(("Final rank", "Plaats")))
    assert [*map(int, re.findall(r"-?\d+", total))] == [*match.scores]
    assert [*map(int, re.findall(r"\d+", ranks))] == [*match.ranks]
    lines = {event.rule for event in match.score_lines()}
    assert lines <= set(re.findall(r"[A-Z]+-\d+", "\n".join(result)))
    assert max(map(len, told.splitlines()[:-1])) <= 80


def test_the_same_seed_and_answers_make_the_same_match(run: Run) -> None:
    texts = [
        saved(done(run("play", "rapido", "--seed", "5", "-o", f"{i}.txt", input=answers(1)))).read_text()
        for i in range(2)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("game", GAMES)
def test_as_many_play_as_usual_wherever_nobody_says_how_many(run: Run, game: str) -> None:
    usual = teerling.game(game).usual_players
    assert usual == 4
    assert teerling.new(game).players == usual
    assert teerling.load(done(run("new", game, "--seed", "1"))).players == usual
    assert f" · {usual} players · " in done(run("play", game, "--seed", "1", input="q\n"))


def test_other_players_and_seats_and_options_can_be_chosen(run: Run) -> None:
    options = ("--players", "2", "--seat", "1", "--name", "Marc", "--option", "goal=9", "--fast")
    told = done(run("play", "rapido", *options, input=answers(1)))
    match = teerling.load(saved(told).read_text())
    assert match.names == ("Anne", "Marc")
    assert max(match.scores) == 9
    assert "You are Marc (seat 1); Anne plays at the level casual." in told


@pytest.mark.parametrize(("level", "name"), [("random", "willekeurig"), ("novice", "beginner")])
def test_the_others_play_at_a_level(run: Run, level: str, name: str) -> None:
    told = done(run("play", "rapido", "--level", level, "--lang", "nl", input="q\n"))
    assert f"spelen op niveau {name}." in told


def test_an_unknown_level_is_refused(run: Run) -> None:
    refused(run("play", "rapido", "--level", "god"), "there is no level 'god'; there are random, novice")


def test_a_take_back_returns_to_the_last_decision_and_never_to_the_same_luck(run: Run) -> None:
    match = ("play", "ra", "--seed", "4", "--players", "2", "-o")
    told = done(run(*match, "one.txt", input="1\n1\nu\nu\n1\n"))
    assert told.count("Taken back; chance is drawn anew, and the file tells it.") == 2
    done(run(*match, "two.txt", input="1\n"))
    one, two = (teerling.load(Path(name).read_text()) for name in ("one.txt", "two.txt"))
    assert len(one.taken_back) == 2
    left_out = sum(back.draws for back in one.taken_back)
    own = two.pushes[0]
    assert one.draws[: own - 1] == two.draws[: own - 1]
    assert one.draws[-1] >= two.draws[own - 1] + left_out
    checked = done(run("verify", "one.txt"))
    assert "all of them following from the seed" in checked
    assert f"take backs after chance: 2; of nature's row they left out {left_out}" in checked
    assert "take backs" not in done(run("verify", "two.txt"))


def test_forced_moves_are_made_without_asking(run: Run) -> None:
    """In Ra somebody without a higher sun passes; nobody is asked where there is one choice."""
    told = done(run("play", "ra", "--seed", "5", input=answers(1)))
    assert "Player passes" in told
    assert not re.search(r"^1  pass\n", told, re.MULTILINE)


def test_moves_may_be_numbers_words_beginnings_and_dutch(run: Run) -> None:
    texts = set()
    for answer, lang in (
        ("1", "en"),
        ("draw", "en"),
        ("DR", "en"),
        ("trek", "nl"),
        ("tre", "nl"),
        ("draw", "nl"),
    ):
        name = f"{answer}-{lang}.txt"
        options = ("--seed", "4", "--name", "Marc", "--lang", lang, "-o", name)
        done(run("play", "ra", *options, input=f"{answer}\n"))
        texts.add(Path(name).read_text())
    assert len(texts) == 1
    assert "0: draw" in texts.pop()


def test_questions_and_mistakes_are_answered_and_change_nothing(run: Run) -> None:
    script = "\n77\n" + "9" * 5000 + "\nfly\ndarw\nbid 3\nwhy draw\n?\n? RA-12\n? RA-99\nu\n"
    told = done(run("play", "ra", "--seed", "4", input=script))
    for sentence in (
        "Choose a number from 1 to 2",
        "'fly' is not a move; choose one of those above",
        "'darw' is not a move; did you mean draw?",
        "Bid 3 is not possible now: no auction is on (RA-12)",
        "This move is possible now",
        "You lead an Egyptian dynasty",
        "RA-12 The player to the left of the Ra player speaks first.",
        "There is no rule 'ra-99' here",
        "There is nothing to take back yet",
    ):
        assert sentence in " ".join(told.split())
    assert "Saved" not in told
    told = done(run("play", "ra", "--seed", "4", "--lang", "nl", input="bied 3\nwaarom trek een tegel\n"))
    assert "Bied 3 kan nu niet: er loopt geen veiling (RA-12)" in told
    assert "Deze zet kan nu" in told


def test_why_takes_a_beginning_that_only_one_move_has(run: Run) -> None:
    told = done(run("play", "ra", "--seed", "4", input="why inv\nwhy take pha\n"))
    assert "This move is possible now" in told
    assert "Take pharaoh is not possible now: " in told


def test_a_beginning_of_several_moves_is_asked_about(run: Run) -> None:
    told = done(run("play", "rapido", "--seed", "1", "--players", "2", input="place\n"))
    assert re.search(r"That may be place \d", told)


def test_whoever_quits_can_play_on(run: Run) -> None:
    for script in ("d\nq\n", "d\n"):
        told = done(run("play", "ra", "--seed", "4", "--players", "2", input=script))
        path = saved(told)
        assert "To play on" in told
        before = teerling.load(path.read_text())
        assert not before.over
        done(run("play", str(path), input=answers(2)))
        after = teerling.load(path.read_text())
        assert after.over
        assert after.history[: len(before.history)] == before.history
        path.unlink()


def test_a_match_by_hand_asks_for_the_outcomes_too(run: Run) -> None:
    done(run("new", "rapido", "--players", "2", "--manual", "-o", "match.txt"))
    told = done(run("play", "match.txt", input="first 0\ndie a 3\ndie b 3\n"))
    assert "Seat 0 throws 3 and 3" in told


@pytest.mark.parametrize("key", ["\x03", "\x04", "q\r"], ids=["ctrl-c", "ctrl-d", "q"])
def test_a_real_terminal_is_left_politely(tmp_path: Path, key: str) -> None:
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(tmp_path)}
    arguments = [*COMMAND[1:], "play", "ra", "--seed", "4", "--fast", "--lang", "en"]
    child = pexpect.spawn(COMMAND[0], arguments, env=environment, encoding="utf-8", timeout=20)
    child.expect("› ")
    child.send("1\r")
    child.expect("draws")
    child.expect("› ")
    # A key that comes in the moment before the prompt listens is lost, as at any prompt: press it again.
    for _ in range(3):
        child.send(key)
        if child.expect(["Saved. To play on:", pexpect.TIMEOUT], timeout=15) == 0:
            break
    told = child.read()
    child.close()
    assert child.exitstatus == 0
    assert "Traceback" not in told
    assert not teerling.load(saved(told).read_text()).over


# Looking back


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_tells_everything_that_happened(run: Run, game: str) -> None:
    path = saved(done(run("play", game, "--seed", "6", input=answers(3))))
    match = teerling.load(path.read_text(encoding="utf-8"))
    told = " ".join(done(run("replay", str(path), "--all")).split())
    for event, sentence in zip(match.events, match_log(match), strict=True):
        if event.kind != "scored":
            assert f"{sentence} {event.rule}" in told
    assert "Total" in told


def match_log(match: teerling.Match) -> list[str]:
    from teerling.words import Speaker

    speaker = Speaker("en", match.game)
    return [" ".join(speaker.sentence(event, match.names).split()) for event in match.events]


def test_a_replay_goes_on_back_and_to_a_step(run: Run, ra: Path) -> None:
    done(run("push", str(ra), "draw", "bid 4", "pass"))
    told = done(run("replay", str(ra), input="\n\nb\n3\n9\nq\n"))
    assert re.findall(r"─ (\d)/3 ─", told) == ["0", "1", "2", "1", "3"]
    assert "choose a number from 0 to 3" in told
    assert "kies een nummer" in done(run("replay", str(ra), "--lang", "nl", input="x\n"))


def test_a_replay_for_a_seat_keeps_the_secrets_of_the_others(run: Run) -> None:
    path = saved(done(run("play", "dicerun", "--players", "2", "--seed", "6", input=answers(3))))
    told = done(run("replay", str(path), "--all"))
    assert "Bram draws a card" not in told
    assert not re.search(r"\d cards", told)
    told = done(run("replay", str(path), "--all", "--seat", "0"))
    assert "Bram draws a card" in told
    assert "Player draws a card" not in told


def test_a_replay_of_a_running_match_keeps_secrets_from_who_names_no_seat(run: Run, tmp_path: Path) -> None:
    start = {"options": {"fame": "hidden"}, "players": 4, "ra_row": 8, "seats": [{"fame": 37}, {}, {}, {}]}
    match = teerling.at("ra", start, chance="manual")
    for move in ("draw", "tile ra"):
        match.push(move)
    path = tmp_path / "hidden.txt"
    path.write_text(match.save(), encoding="utf-8")
    told = done(run("replay", str(path), "--all"))
    assert "37" not in told
    assert "RA-34" not in told
    assert "32" in done(run("replay", str(path), "--all", "--seat", "0"))


# The lab


def test_simulate_prints_a_table(run: Run) -> None:
    told = done(run("simulate", "rapido", "--players", "3", "--games", "2000", "--threads", "2"))
    assert told.startswith("Rapido · 3 players · 2,000 random games · seed 1\n")
    assert len(re.findall(r"^seat \d +3\d\.\d% ± ", told, re.MULTILINE)) == 3
    assert "with 2 threads" in told
    assert max(map(len, told.splitlines())) <= 80
    assert "2.000 gesimuleerde potjes" in done(run("simulate", "rapido", "--games", "2000", "--lang", "nl"))


def test_simulate_prints_one_json_object(run: Run) -> None:
    options = ("--games", "300", "--seed", "4", "--option", "goal=9", "--json")
    told = json.loads(done(run("simulate", "rapido", "--players", "2", *options)))
    assert told.keys() >= {"games", "steps", "seconds", "win_rates", "scores", "length"}
    assert (told["games"], told["seed"], told["scores"]["most"]) == (300, 4, 9)


def test_simulate_draws_a_picture(run: Run) -> None:
    pytest.importorskip("matplotlib")
    done(run("simulate", "rapido", "--games", "100", "--plot", "picture.svg"))
    assert "<svg" in Path("picture.svg").read_text(encoding="utf-8")


def test_simulate_writes_a_file_of_matches(run: Run) -> None:
    pytest.importorskip("pyarrow")
    words = ("simulate", "rapido", "--games", "4", "--players-are", "casual,random", "--workers", "1")
    told = done(run(*words, "--out", "x.parquet"))
    assert "4 games of Rapido are in x.parquet" in told
    assert "teerling simulate rapido --players 2 --games 4 --seed 1 --players-are casual,random" in told
    refused(
        run(*words, "--out", "x.parquet"), "x.parquet already exists; choose another name, or use --force"
    )
    assert "4 potjes Rapido staan in" in done(run(*words, "--out", "x.parquet", "--force", "--lang", "nl"))
    refused(run(*words), "--players-are needs a file for the games, as in --out results.parquet")
    refused(run(*words, "--out", "y.parquet", "--threads", "2"), "--threads does not go with --out")


def test_bench_measures_everything_of_a_game(run: Run) -> None:
    told = json.loads(done(run("bench", "--quick", "--json", "--game", "rapido")))
    figures = {figure["key"]: figure for figure in told["figures"]["rapido"]}
    expected = {"state_bytes", "compile_seconds", "load_seconds", "million_steps_per_second"}
    assert figures.keys() >= expected | {"move_milliseconds", "slowest_milliseconds"}
    assert figures.keys() >= {"batch_million_decisions", "batch_million_observed"}
    assert all(figure["value"] > 0 for figure in figures.values())
    assert figures["state_bytes"]["met"] is True
    assert "openspiel" in told["figures"]


# Bad input

BAD = {
    "an unknown command": (["fly"], "there is no command fly; see teerling --help"),
    "an unknown option": (["games", "--fly"], "there is no option --fly; see teerling games --help"),
    "a missing argument": (["push", "ra.txt"], "MOVE.* is missing; see teerling push --help"),
    "no number": (["new", "ra", "--players", "x"], "--players"),
    "an unknown language": (["games", "--lang", "fr"], "no language 'fr'; there are nl, en"),
    "an unknown game": (["new", "raa"], "no game 'raa'; did you mean ra?"),
    "rules of an unknown game": (["rules", "raa"], "no game 'raa'"),
    "an unknown rule": (["rules", "ra", "RA-99"], "no rule 'RA-99' here"),
    "nine players": (["new", "ra", "--players", "9"], "Ra is for 2 to 5 players, not 9"),
    "an option out of range": (["new", "rapido", "--option", "goal=3"], "from 5 to 100, not 3"),
    "an option without a value": (["new", "rapido", "--option", "goal"], "as in name=value, not 'goal'"),
    "an option given twice": (
        ["new", "rapido", "--option", "goal=9", "--option", "goal=8"], "given once",
    ),
    "an unknown option of the game": (["new", "ra", "--option", "players=3"], "Ra has no option players"),
    "too many names": (
        ["new", "ra", "--players", "2", *["--name", "x"] * 3], "3 names are too many for 2 players",
    ),
    "an empty seed": (["new", "ra", "--seed", ""], "a seed is a number or a short text"),
    "a seed where chance is manual": (["new", "ra", "--manual", "--seed", "1"], "manual has no seed"),
    "a file that is there": (["new", "ra", "-o", "ra.txt"], "ra.txt already exists"),
    "a folder that is not there": (["new", "ra", "-o", "no/x.txt"], "no/x.txt cannot be made"),
    "no file": (["show", "no.txt"], "no file no.txt; teerling new makes one"),
    "a folder": (["show", "."], ". is a folder, not a match file"),
    "a file within a file": (["show", "ra.txt/x"], "ra.txt/x: Not a directory"),
    "bytes": (["show", "bytes"], "bytes is not a text file in UTF-8"),
    "an empty file": (["show", "empty"], "empty: line 1: a match file begins with"),
    "a truncated file": (["replay", "cut"], "cut: line 5: .* cut short"),
    "an altered file": (["verify", "altered"], "altered: line 8: by the seed"),
    "an illegal move in a file": (["pop", "illegal"], "illegal: line 9: bid 3 is not possible now"),
    "a seat that is not there": (["show", "ra.txt", "--seat", "3"], "no seat 3; the seats are 0 to 2"),
    "a seat below nothing": (["replay", "ra.txt", "--seat", "-1"], "no seat -1"),
    "an unknown move": (["push", "ra.txt", "darw"], "'darw' is not a move of Ra; did you mean 'draw'?"),
    "nothing to take back": (["pop", "ra.txt"], "no move has been made yet"),
    "a seat to play at": (["play", "ra", "--seat", "4"], "no seat 4; the seats are 0 to 3"),
    "one player": (["play", "ra", "--players", "1"], "Ra is for 2 to 5 players, not 1"),
    "a game or file to play": (["play", "no.txt"], "no game 'no.txt'"),
    "a match with another seed": (["play", "ra.txt", "--seed", "1"], "ra.txt is a match already"),
    "no games": (["simulate", "rapido", "--games", "0"], "games is a number from 1 to 100000000, not 0"),
    "no threads": (["simulate", "rapido", "--threads", "0"], "threads is a number from 1 to 1024, not 0"),
    "players to simulate": (["simulate", "rapido", "--players", "7"], "Rapido is for 2 to 6 players, not 7"),
    "an option to simulate": (["simulate", "rapido", "--option", "goal=x"], "from 5 to 100, not x"),
    "a picture of what sort": (["simulate", "rapido", "--plot", "x.txt"], r"x.txt: a picture ends in \.svg"),
    "a picture nowhere": (["simulate", "rapido", "--plot", "no/x.svg"], "no/x.svg cannot be written"),
    "a game to measure": (["bench", "--game", "raa"], "no game 'raa'"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_line(run: Run, ra: Path, arguments: list[str], message: str) -> None:
    text = ra.read_text()
    Path("bytes").write_bytes(b"teerling 1\n\xff\xfe")
    Path("empty").write_text("")
    Path("cut").write_text("\n".join(text.splitlines()[:5]))
    Path("altered").write_text(text.replace("stack 3", "stack 1"))
    Path("illegal").write_text(text.replace("end", "2: bid 3\nend"))
    before = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    refused(run(*arguments), message)
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def test_a_file_that_may_not_be_read_or_written_is_named(
    run: Run, ra: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(run("push", str(ra), "draw"), "ra.txt: its permissions do not allow this")
    refused(run("simulate", "rapido", "--plot", "x.svg"), "x.svg cannot be written: its permissions")
    monkeypatch.setattr(Path, "read_text", forbidden)
    refused(run("show", str(ra)), "ra.txt: its permissions do not allow this")


def test_a_file_that_can_not_be_replaced_is_named_and_stays(
    run: Run, ra: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere else")

    before = ra.read_bytes()
    monkeypatch.setattr(os, "replace", forbidden)
    refused(run("push", str(ra), "draw"), "ra.txt: its permissions do not allow this")
    assert ra.read_bytes() == before
    assert os.listdir() == ["ra.txt"]


@pytest.mark.parametrize(
    ("arguments", "en", "nl"),
    [
        ("arena", "GAME is missing; see teerling arena --help", "GAME ontbreekt; zie teerling arena --help"),
        ("gmes", "there is no command gmes, but there is games;", "er is geen opdracht gmes, wel games;"),
        ("fly", "there is no command fly;", "er is geen opdracht fly;"),
        ("games --fly", "there is no option --fly;", "er is geen optie --fly;"),
        ("verify a b", "b is one too many;", "b is te veel;"),
        ("bench --quick=3", "--quick takes no value;", "--quick krijgt geen waarde;"),
        ("simulate ra --games x", "--games must be a whole number;", "--games moet een geheel getal zijn;"),
        ("serve --port 99999", "--port must be at most 65535;", "--port mag hoogstens 65535 zijn;"),
        ("serve --port -1", "--port must be at least 0;", "--port moet minstens 0 zijn;"),
    ],
)
def test_a_wrong_command_line_is_told_in_the_readers_language(
    run: Run, arguments: str, en: str, nl: str
) -> None:
    refused(run(*arguments.split(), "--lang", "en"), re.escape(en))
    refused(run(*arguments.split(), "--lang", "nl"), re.escape(nl))


def test_an_option_that_ends_too_soon_is_told_in_the_readers_language(run: Run) -> None:
    refused(run("--lang", "nl", "simulate", "ra", "--games"), "--games heeft een waarde nodig;")


def test_errors_are_one_line_outside_of_tests_too() -> None:
    command = [*COMMAND, "--lang", "en", "new", "ra", "--players", "9"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "teerling: Ra is for 2 to 5 players, not 9\n"


def test_whoever_reads_only_the_beginning_gets_no_traceback() -> None:
    command = f"{shlex.join(COMMAND)} rules ra | head -1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert ran.stderr == ""


def test_a_terminal_without_suns_gets_question_marks() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([*COMMAND, "games"], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0
    assert "?" in ran.stdout


# Hints


@pytest.fixture
def rapido(run: Run) -> Path:
    done(run("new", "rapido", "--players", "2", "--seed", "7", "--option", "goal=9", "-o", "rapido.txt"))
    return Path("rapido.txt")


def test_a_hint_ranks_the_legal_moves_and_says_why(run: Run, rapido: Path) -> None:
    match = teerling.load(rapido.read_text())
    told = done(run("hint", "rapido.txt", "--player", "search:200", "--lang", "nl"))
    assert "Van search:200, op basis van 200 gesimuleerde potjes." in told
    assert all(re.search(rf"^{move} ", told, re.MULTILINE) for move in match.legal_moves)
    assert "Vergeleken met" in told or "Het maakt weinig uit" in told
    assert teerling.load(rapido.read_text()).history == match.history


def test_a_hint_as_json_is_one_object(run: Run, rapido: Path) -> None:
    match = teerling.load(rapido.read_text())
    told = json.loads(done(run("hint", "rapido.txt", "--player", "search:200", "--json")))
    assert (told["game"], told["seat"], told["playouts"]) == ("rapido", match.turn, 200)
    assert {move["move"] for move in told["moves"]} == {move.text for move in match.legal_moves}
    assert told == json.loads(done(run("hint", "rapido.txt", "--player", "search:200", "--json")))


def test_a_hint_that_can_not_be_given_is_refused(run: Run, rapido: Path) -> None:
    match = teerling.load(rapido.read_text())
    waiting = str(1 - int(match.turn or 0))
    refused(run("hint", "rapido.txt", "--seat", waiting), f"seat {waiting} is not to move")
    refused(run("hint", "rapido.txt", "--seat", "5"), "there is no seat 5; the seats are 0 to 1")
    refused(run("hint", "rapido.txt", "--player", "guru"), "there is no player 'guru'")
    refused(run("hint", "rapido.txt", "--player", "expert:0"), "'0' is not a budget for the player expert")
    refused(run("hint", "rapido.txt", "--player", "random"), "does not try moves in its head")
    chooser = random.Random(1)
    while not match.over:
        match.push(chooser.choice(match.legal_moves))
    Path("over.txt").write_text(match.save())
    refused(run("hint", "over.txt", "--lang", "nl"), "het potje is afgelopen")


# Reviews


@pytest.fixture
def over(run: Run, rapido: Path) -> Path:
    match = teerling.load(rapido.read_text())
    while not match.over:
        match.push(teerling.player("novice").choose(match, len(match.history)).move)
    Path("over.txt").write_text(match.save())
    return Path("over.txt")


def test_a_review_tells_every_seats_account_the_mistakes_and_the_luck(run: Run, over: Path) -> None:
    before = over.read_text()
    told = done(run("review", "over.txt", "--budget", "4", "--lang", "nl", "--html", "report.html"))
    assert re.search(r"^[Zz]itplaats 0 +\d+% +[−+]?\d+%", told, re.MULTILINE)
    assert "Geluk en pech" in told
    page = Path("report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert 'lang="nl"' in page
    assert over.read_text() == before


def test_a_review_as_json_is_one_object_whose_accounts_add_up(run: Run, over: Path) -> None:
    told = json.loads(done(run("review", "over.txt", "--budget", "4", "--json")))
    assert len(told["seats"]) == 2
    for seat in told["seats"]:
        assert {"start", "luck", "own", "others", "result", "adjusted", "error_rate"} <= set(seat)
        parts = seat["start"] + seat["luck"] + seat["own"] + seat["others"]
        assert abs(parts - seat["result"]) < 1e-9
        assert abs(seat["adjusted"] + seat["luck"] - seat["result"]) < 1e-9
    assert told == json.loads(done(run("review", "over.txt", "--budget", "4", "--json")))


def test_what_cannot_be_reviewed_is_refused_and_nothing_is_written(run: Run, over: Path) -> None:
    def refused_page(*words: str, message: str) -> None:
        refused(run("review", *words, "--html", "report.html"), message)
        assert not Path("report.html").exists()

    refused_page("rapido.txt", message="the match is not over")
    refused_page("rapido.txt", "--lang", "nl", message="het potje is nog niet afgelopen")
    for budget in ("0", "0s", "", "much"):
        refused_page("over.txt", "--budget", budget, message="is not a budget for a review")
    refused_page("elsewhere.txt", message="there is no file elsewhere.txt")
    text = over.read_text()
    assert "> die a 4" in text
    Path("forged.txt").write_text(text.replace("> die a 4", "> die a 5", 1))
    refused_page("forged.txt", message="forged.txt: line")
    refused(run("review", "over.txt", "--budget", "2", "--html", "over.txt"), "over.txt already exists")
    assert over.read_text() == text
    refused(
        run("review", "over.txt", "--budget", "2", "--html", "no/where.html"), "no/where.html cannot be made"
    )
