"""A review as one page that needs nothing else: curves, mistakes, luck and skill, and their figures."""

from collections.abc import Sequence
from html import escape

from ..words import Speaker, capital
from .review import Review, SeatReview
from .review_drawing import Course, bands_of, bars, curves, legend
from .review_words import Telling, account_headings, account_row, meaning, signed, told_of

STYLE = """
:root { color-scheme: light dark; --paper: #fffaf0; --ground: #efe3c8; --ink: #2b2018; --faint: #6a5a48;
  --line: #d8c7a3; --seat0: #243f8f; --seat1: #a92e20; --seat2: #17694f; --seat3: #7d4f0e;
  --seat4: #6b2d73; --seat5: #3d4a52;
  --luck: #e8a52c; --luck-edge: #6b4504; --bad: #a92e20; --start: #f6ead2; --own: #243f8f; --own-ink: #fff;
  --others: #c9b795; }
@media (prefers-color-scheme: dark) { :root { --paper: #241c15; --ground: #17110c; --ink: #f5ead6;
  --faint: #c0ae94; --line: #55452f; --seat0: #9db4ff; --seat1: #ff9a86; --seat2: #74d3ae; --seat3: #e9bd75;
  --seat4: #dfa3e6; --seat5: #b9c6ce; --luck: #f0b84a; --luck-edge: #fff1cf; --bad: #ff9a86;
  --start: #4a3c29; --own: #4f6fd6;
  --others: #6e5c42; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 48px; }
section { background: var(--paper); border-radius: 12px; padding: 16px 20px; margin: 16px 0; }
h1, h2 { font-family: Georgia, serif; line-height: 1.2; margin: 0 0 8px; }
h1 { font-size: 1.9rem; } h2 { font-size: 1.35rem; } p { margin: 4px 0; } .faint { color: var(--faint); }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: 6px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, td.text, th.text { text-align: left; } td.text { white-space: normal; }
.cards + h2 { margin-top: 20px; }
ul.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0; margin: 0 0 8px; }
ul.legend svg { display: inline-block; width: 36px; height: 16px; vertical-align: middle; margin-right: 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 16px; }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.loss { float: right; color: var(--bad); font-weight: 700; } summary { cursor: pointer; padding: 12px 0; }
.curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
.end { fill: var(--paper); stroke-width: 4; } .grid { stroke: var(--line); }
.luck { fill: var(--luck); stroke: var(--luck-edge); } .mistake { fill: var(--bad); stroke: var(--paper); }
.start { fill: var(--start); stroke: var(--line); } .own { fill: var(--own); }
.others { fill: var(--others); } .hatch { stroke: var(--line); stroke-width: 1.5; }
.zero { stroke: var(--ink); stroke-width: 2; }
.seat0 { stroke: var(--seat0); } .seat1 { stroke: var(--seat1); } .seat2 { stroke: var(--seat2); }
.seat3 { stroke: var(--seat3); } .seat4 { stroke: var(--seat4); } .seat5 { stroke: var(--seat5); }
.band0 { fill: none; } .band1 { fill: var(--line); opacity: 0.3; }
svg .on-own { fill: var(--own-ink); } svg .on-luck { fill: #2b2018; } svg.narrow { display: none; }
@media (max-width: 700px) { svg.wide { display: none; } svg.narrow { display: block; } }
"""


def page_of(review: Review, say: Speaker) -> str:
    """The whole page, as HTML."""
    title = say("Review of a match of {game}", game=review.game.name)
    names = tuple(say.name(seat, review.match.names) for seat in range(review.match.players))
    telling = Telling(say, names, sentences=told_of(review.match, names, say))
    winners = [names[seat] for seat in review.match.winners]
    won = say.plural("{who} wins", "{who} win together", len(winners), who=say.listed(winners))
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, review.match.scores, strict=True))
    course = Course(review.account.curve, review.strokes, review.mistakes, bands=bands_of(review.match))
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(capital(won))} · {escape(scores)}</p>",
        _section(
            say("How the match went"),
            say("Chance to win after every move"),
            legend(telling) + curves(course, telling),
        ),
        _section(say("Costliest moves"), "", _cards(review, telling)),
        _section(
            say("Luck and skill"),
            say("Start, luck, own moves and those of the others add up to the result."),
            bars(review.seats, telling) + _accounts(review.seats, telling) + _meaning(review.playouts, say),
        ),
        _section(say("All figures"), "", _figures(review, telling)),
    ]
    return (
        f'<!doctype html>\n<html lang="{say.lang}">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n{chr(10).join(body)}\n</main></body>\n</html>\n"
    )


def _section(heading: str, about: str, content: str) -> str:
    note = f'<p class="faint">{escape(about)}</p>' if about else ""
    return f"<section><h2>{escape(heading)}</h2>{note}\n{content}</section>"


def _cards(review: Review, telling: Telling) -> str:
    """The mistakes that are explained, the costliest first; and the strokes of luck."""
    say, cards = telling.say, []
    for each in review.mistakes:
        if each.reason is not None:
            lines = [
                f'<span class="loss">{signed(-each.loss, say)}</span><strong>'
                + escape(say("Move {number}", number=telling.number(each.place)))
                + f"</strong> {escape(telling.names[each.seat])} · {escape(telling.grade(each))}",
                escape(say("Played: {move}", move=say.move(each.played))),
                escape(say("Better: {move}", move=say.move(each.best))),
                escape(each.reason.said(say)),
                f'<span class="faint">{escape(telling.between(each))}</span>',
            ]
            cards.append(f'<div class="card">{"".join(f"<p>{line}</p>" for line in lines)}</div>')
    told = f'<div class="cards">{"".join(cards)}</div>'
    if not cards:
        told = f"<p>{escape(say('No move was clearly worse than another.'))}</p>"
    strokes = "".join(f"<li>{escape(telling.stroke(each))}</li>" for each in review.strokes)
    return f"{told}<h2>{escape(say('Strokes of luck'))}</h2><ul>{strokes}</ul>"


def _accounts(seats: Sequence[SeatReview], telling: Telling) -> str:
    """The account of every seat as a table."""
    headings = ["", *account_headings(telling.say)]
    rows = [[name, *account_row(seat, telling.say)] for name, seat in zip(telling.names, seats, strict=True)]
    return _table(headings, rows)


def _meaning(playouts: int, say: Speaker) -> str:
    """What luck and mistakes are, for whoever wants to know."""
    opens = escape(say("What luck means here"))
    told = "".join(f"<p>{escape(each)}</p>" for each in meaning(playouts, say))
    return f"<details><summary>{opens}</summary>{told}</details>"


def _figures(review: Review, telling: Telling) -> str:
    """Every move with the chances after it."""
    say, names = telling.say, telling.names
    headings = ["", say("who"), say("move"), *names]
    rows = [
        [
            str(step.place + 1),
            say("chance") if step.seat is None else names[step.seat],
            say.move(step.move),
            *(say.percent(min(1.0, max(0.0, share)), 1) for share in step.values),
        ]
        for step in review.steps
    ]
    opens = escape(say("Every move with the chances after it"))
    return f"<details><summary>{opens}</summary>{_table(headings, rows)}</details>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
