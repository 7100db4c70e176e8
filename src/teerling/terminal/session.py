"""A session at a terminal: a match of one person against players of one level."""

import difflib
import random
import re
import time
from datetime import datetime
from itertools import count
from pathlib import Path

from ..engine import CHANCE
from ..errors import NothingToTakeBack, TeerlingError, UnknownMove
from ..game import Move
from ..match import Match
from ..players import Player
from ..players.ready import for_now
from ..words import Speaker, capital
from .looks import (
    ask,
    board_of,
    console,
    name_of,
    number_in,
    print_choices,
    print_heading,
    print_result,
    said,
    seat_and_name,
    sentences,
)
from .matchfiles import create, refusal, rewrite
from .rulebook import introduction, pages_of, rule_in

PAUSE, LONGEST_PAUSE = 0.3, 3.0
"""Seconds between two lines of what happened, for somebody who reads along."""


def place_for(match: Match) -> Path:
    """A file for a match that nobody has named, in the user's data folder."""
    from platformdirs import user_data_path

    folder = user_data_path("teerling", appauthor=False) / "matches"
    return folder / f"{match.game.id}-{datetime.now():%Y-%m-%d-%H%M}-{str(match.seal)[:6]}.txt"


class TerminalSession:
    """A match that a person at a terminal plays against players of one level."""

    def __init__(
        self, match: Match, seat: int, others: Player, say: Speaker, path: Path, pause: float
    ) -> None:
        self.match = match
        self.seat = seat
        self.others = others
        self.say = say
        self.path = path
        self.pause = pause
        self.out = console()
        self.shown = 0
        """How many events have been shown."""

    def play(self) -> None:
        """Plays until the match is over or the player has had enough; then saves it."""
        self.greet()
        try:
            while not self.match.over and self.step():
                pass
            if self.match.over:
                self.tell()
                self.out.print(board_of(self.match, self.say, self.seat))
                self.out.print()
                print_result(self.out, self.match, self.say)
        except KeyboardInterrupt:
            self.out.print()
        self.save()

    def greet(self) -> None:
        """Says who plays, and how."""
        match, say = self.match, self.say
        print_heading(self.out, match, say)
        others = [name_of(match, seat, say) for seat in range(match.players) if seat != self.seat]
        self.out.print(
            say.plural(
                "You are {name}; {others} plays at the level {level}.",
                "You are {name}; {others} play at the level {level}.",
                len(others),
                name=seat_and_name(match, self.seat, say),
                others=say.listed(others),
                level=say(self.others.name),
            )
        )
        self.out.print(say(self.others.character), style="dim")
        if for_now(self.others, match.game) is not self.others:
            self.out.print(
                say("The bots are still warming up: they play simply until the rules have been compiled."),
                style="dim",
            )
        self.out.print(say("Type the number or the words of a move; u takes back, ? helps, q quits."))

    def step(self) -> bool:
        """One decision, by the player or for somebody else; False if the player quits."""
        match = self.match
        if match.forced is None and match.turn in (self.seat, CHANCE):
            return self.decide()
        # As chance is drawn anew after a take back, so are the others' choices.
        left_out = sum(each.draws for each in match.taken_back)
        seed = random.Random(f"{match.seal} {len(match.history) + left_out}").getrandbits(62)
        match.push(match.forced or self.choice_of_others(seed))
        return True

    def choice_of_others(self, seed: int) -> Move:
        """The move of a player for the seat to move, from what that seat may know."""
        player = for_now(self.others, self.match.game)
        return player.choose(self.match, seed).move

    def tell(self) -> None:
        """What happened since the last time."""
        events = self.match.events_of(self.seat)
        lines = sentences(events[self.shown :], self.match, self.say)
        self.shown = len(events)
        self.out.print()
        for line in lines:
            line.highlight_words([self.match.names[self.seat]], "bold")
            self.out.print(line)
            time.sleep(min(self.pause, LONGEST_PAUSE / len(lines)))

    def decide(self) -> bool:
        """Shows the board and asks for a move until there is one; False if the player quits."""
        match = self.match
        self.tell()
        self.out.rule(style="dim")
        self.out.print(board_of(match, self.say, self.seat))
        self.out.print()
        if match.game.ask is not None and match.turn == self.seat:
            question = match.game.ask(match.game.observed(match.state, self.seat))
            self.out.print(said(question, match, self.say))
        moves = match.legal_moves
        digits = len(str(len(moves)))
        texts = [f"{i:>{digits}}  {self.say.move(move)}" for i, move in enumerate(moves, 1)]
        print_choices(self.out, texts)
        while True:
            answer = ask("› ")
            if answer == "q":
                return False
            if answer == "u" and self.take_back():
                return True
            move = None if answer == "u" else self.understood(answer)
            if move is not None:
                match.push(move)
                return True

    def take_back(self) -> bool:
        """Goes back to the player's last decision, if there is one."""
        pops = self.pops_to_last_decision()
        if not pops:
            self.complain(self.say("there is nothing to take back yet"))
            return False
        known = len(self.match.taken_back)
        self.match.take_back(pops)
        self.shown = len(self.match.events_of(self.seat))
        anew = len(self.match.taken_back) > known
        said = self.say("Taken back; chance is drawn anew, and the file tells it.") if anew else None
        self.out.print(said or self.say("Taken back."), style="dim")
        return True

    def pops_to_last_decision(self) -> int:
        """How many moves have been made since the player decided something; 0 if that never was."""
        trial = self.match.copy()
        for pops in count(1):
            try:
                trial.pop()
            except NothingToTakeBack:
                break
            if trial.forced is None and trial.turn in (self.seat, CHANCE):
                return pops
        return 0

    def understood(self, answer: str) -> Move | None:
        """The move that an answer means; otherwise says what would be right."""
        say, moves = self.say, self.match.legal_moves
        asked = next((word for word in ("?", "why ", say("why") + " ") if answer.startswith(word)), None)
        if asked is not None:
            self.help(answer.removeprefix(asked).strip())
            return None
        if answer.isdecimal() or not answer:
            number = number_in(answer)
            if 1 <= number <= len(moves):
                return moves[number - 1]
            self.complain(say("choose a number from 1 to {most}", most=len(moves)))
            return None
        texts = {text: move for move in moves for text in (move.text, say.move(move).lower())}
        meant = {move for text, move in texts.items() if text.startswith(answer)}
        if answer in texts or len(meant) == 1:
            return texts.get(answer) or meant.pop()
        if meant:
            some = say.listed(sorted(say.move(move) for move in meant))
            self.complain(say("that may be {moves}", moves=some))
        else:
            self.explain(answer)
        return None

    def help(self, about: str) -> None:
        """Tells a rule, or why a move is not possible, or in short what the game is about."""
        from rich.markdown import Markdown

        if about and not re.fullmatch(r"[a-z]+-\d+", about):
            self.explain(about)
            return
        try:
            pages = pages_of(self.match.game, self.say)
            text = rule_in(pages, about, self.say) if about else introduction(pages[0])
        except TeerlingError as error:
            self.complain(str(error))
            return
        self.out.print(Markdown(text))
        if not about:
            hint = self.say(
                "? RULE shows a rule, as in ? {rule}; why MOVE says why a move is not possible; "
                "teerling rules {game} prints all rules.",
                rule=self.a_rule(),
                game=self.match.game.id,
            )
            self.out.print(hint, style="dim")

    def a_rule(self) -> str:
        """The rule of what happened last."""
        events = self.match.events_of(self.seat)
        return events[-1].rule if events else "G-01"

    def explain(self, text: str) -> None:
        """Says why something is not possible now, or that it is no move at all.

        A beginning that only one move has is enough.
        """
        match, say = self.match, self.say
        all_moves = map(match.game.move, range(len(match.game.decisions)))
        texts = {each: move for move in all_moves for each in (say.move(move).lower(), move.text)}
        meant = {move for each, move in texts.items() if each.startswith(text)}
        if text not in texts and len(meant) == 1:
            text = say.move(meant.pop()).lower()
        near = difflib.get_close_matches(text, texts, 1)
        try:
            why = match.why(texts.get(text, text))
        except UnknownMove:
            hint = say("did you mean {move}?", move=near[0]) if near else say("choose one of those above")
            self.complain(say("{text!r} is not a move; {hint}", text=text, hint=hint))
            return
        possible = say("this move is possible now")
        self.complain(possible if why is None else refusal(text, why, match, say))

    def complain(self, sentence: str) -> None:
        self.out.print(capital(sentence), style="red")

    def save(self) -> None:
        """Saves a match in which something was decided, and says where."""
        if all(move.chance for move in self.match.history):
            return
        if self.path.exists():
            rewrite(self.path, self.match.save(), self.say)
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            create(self.path, self.match.save(), self.say)
        over, say = self.match.over, self.say
        self.out.print()
        self.out.print(say("Saved. To see it again:") if over else say("Saved. To play on:"))
        self.out.print(f"  teerling {'replay' if over else 'play'} {self.path}", style="cyan", soft_wrap=True)
