"""A review as one page that needs nothing else: curves, mistakes, luck and skill, and their figures."""

from collections.abc import Sequence
from html import escape

from ..errors import Phrase
from ..game import Move
from ..words import Figure, Speaker
from .mistakes import Judgement
from .review import Review, SeatReview, Stroke

WIDTH, HEIGHT = 960, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 28, 36
"""The margins of the curves."""
DASHES = ("", "9 4", "2 4", "12 4 2 4", "5 3", "16 5")
"""How the line of each seat is drawn, so that nobody needs colours to tell them apart."""
BAR, ROW = 26, 44
"""How high a bar is, and the row that it stands in."""
LEAST_LABELLED = 34
"""A part of a bar as wide as this has room for its figure."""
GRADE_WORDS = {"blunder": Phrase("blunder"), "mistake": Phrase("mistake"), "slip": Phrase("slip")}
STYLE = """
:root { color-scheme: light dark; --paper: #fffaf0; --ground: #efe3c8; --ink: #2b2018; --faint: #6a5a48;
  --line: #d8c7a3; --s0: #243f8f; --s1: #a92e20; --s2: #17694f; --s3: #7d4f0e; --s4: #6b2d73; --s5: #3d4a52;
  --luck: #e8a52c; --luck-edge: #6b4504; --bad: #a92e20; --start: #f6ead2; --own: #243f8f; --own-ink: #fff;
  --others: #c9b795; }
@media (prefers-color-scheme: dark) { :root { --paper: #241c15; --ground: #17110c; --ink: #f5ead6;
  --faint: #c0ae94; --line: #55452f; --s0: #9db4ff; --s1: #ff9a86; --s2: #74d3ae; --s3: #e9bd75;
  --s4: #dfa3e6; --s5: #b9c6ce; --luck: #f0b84a; --luck-edge: #fff1cf; --bad: #ff9a86;
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
.curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; } .grid { stroke: var(--line); }
.luck { fill: var(--luck); stroke: var(--luck-edge); } .mistake { fill: var(--bad); stroke: var(--paper); }
.start { fill: var(--start); stroke: var(--line); } .own { fill: var(--own); }
.others { fill: var(--others); }
"""


def page_of(review: Review, say: Speaker) -> str:
    """The whole page, as HTML."""
    title = say("Review of a match of {game}", game=review.game.name)
    names = [say.name(seat, review.match.names) for seat in range(review.match.players)]
    winners = [names[seat] for seat in review.match.winners]
    won = say.plural("{who} wins", "{who} win together", len(winners), who=say.listed(winners))
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, review.match.scores, strict=True))
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(won)} · {escape(scores)}</p>",
        _section(
            say("How the match went"), say("Chance to win after every move"), _curves(review, names, say)
        ),
        _section(say("Costliest moves"), "", _cards(review, names, say)),
        _section(
            say("Luck and skill"),
            say("Start, luck, own moves and those of the others add up to the result."),
            _bars(review.seats, names, say) + _accounts(review.seats, names, say),
        ),
        _section(say("All figures"), "", _figures(review, names, say)),
    ]
    return (
        f'<!doctype html>\n<html lang="{say.lang}">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main>\n{chr(10).join(body)}\n</main></body>\n</html>\n"
    )


def signed(share: float, say: Speaker) -> str:
    """A change of the chance to win, with its sign.

    >>> signed(-0.094, Speaker("en")), signed(0.25, Speaker("nl"))
    ('−9%', '+25%')
    """
    number = Figure(round(100 * share))
    return say("{number}%", number=f"{number:+d}" if number else "0")


def move_text(moves: Sequence[Move], say: Speaker) -> str:
    """Moves in a row; equal ones together."""
    texts = [say.move(move) for move in moves]
    counted = {text: texts.count(text) for text in texts}
    return ", ".join(text if count == 1 else f"{count} × {text}" for text, count in counted.items())


def stroke_text(stroke: Stroke, names: Sequence[str], say: Speaker) -> str:
    """A stroke of luck in a sentence."""
    return say(
        "Move {number}: {what}, {change} for {seat}",
        number=stroke.place + 1, what=move_text(stroke.moves, say),
        change=signed(stroke.size, say), seat=names[stroke.seat],
    )  # fmt: skip


def mistake_text(judgement: Judgement, names: Sequence[str], say: Speaker) -> str:
    """A mistake in a sentence."""
    return say(
        "Move {number}: {grade} of {seat}, {change}: “{played}”; better was “{best}”",
        number=judgement.place + 1, grade=say.phrase(GRADE_WORDS[judgement.grade]),
        seat=names[judgement.seat], change=signed(-judgement.loss, say),
        played=say.move(judgement.played), best=say.move(judgement.best),
    )  # fmt: skip


def _section(heading: str, about: str, content: str) -> str:
    note = f'<p class="faint">{escape(about)}</p>' if about else ""
    return f"<section><h2>{escape(heading)}</h2>{note}\n{content}</section>"


def _curves(review: Review, names: Sequence[str], say: Speaker) -> str:
    """The chances of all seats as lines, with marks for luck and mistakes."""
    curve = review.account.curve.clip(0, 1)
    last = len(curve) - 1

    def x(place: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * place / max(1, last)

    def y(share: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)

    parts = []
    for quarter in range(5):
        at = y(quarter / 4)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{say.percent(quarter / 4)}</text>'
        )
    for seat, name in enumerate(names):
        points = " ".join(f"{x(place):.1f},{y(share):.1f}" for place, share in enumerate(curve[:, seat]))
        parts.append(f'<polyline points="{points}" {_pen(seat)}><title>{escape(name)}</title></polyline>')
    for stroke in review.strokes:
        place = stroke.place + len(stroke.moves)
        mark = _triangle(x(place), y(curve[place, stroke.seat]), up=stroke.size > 0)
        parts.append(f"<g>{mark}<title>{escape(stroke_text(stroke, names, say))}</title></g>")
    for each in review.mistakes:
        mark = _diamond(x(each.place + 1), y(curve[each.place + 1, each.seat]))
        parts.append(f"<g>{mark}<title>{escape(mistake_text(each, names, say))}</title></g>")
    below = HEIGHT - 10
    parts.append(f'<text x="{LEFT}" y="{below}">{escape(say("start"))}</text>')
    moves = say.plural("{n} move", "{n} moves", last)
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{below}" text-anchor="end">{escape(moves)}</text>')
    label = escape(say("Chance to win after every move; the table below has the figures"))
    drawn = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    return _legend(names, say) + drawn


def _pen(seat: int) -> str:
    """How the line of a seat is drawn."""
    dash = DASHES[seat % len(DASHES)]
    return f'class="curve" stroke="var(--s{seat % 6})" stroke-dasharray="{dash or "none"}"'


def _triangle(x: float, y: float, up: bool) -> str:
    tip, base = (y - 9, y + 6) if up else (y + 9, y - 6)
    return f'<path class="luck" d="M{x:.1f} {tip:.1f}L{x + 8:.1f} {base:.1f}H{x - 8:.1f}Z"/>'


def _diamond(x: float, y: float) -> str:
    return f'<path class="mistake" d="M{x:.1f} {y - 8:.1f}l8 8l-8 8l-8 -8Z"/>'


def _legend(names: Sequence[str], say: Speaker) -> str:
    """Which line is whose, and what the marks mean."""
    lines = [(f'<path d="M0 8H36" {_pen(seat)}/>', name) for seat, name in enumerate(names)]
    marks = [
        (_triangle(18, 8, up=True), say("good luck")),
        (_triangle(18, 8, up=False), say("bad luck")),
        (_diamond(18, 8), say("mistake")),
    ]
    entries = [
        f'<li><svg viewBox="0 0 36 16" aria-hidden="true">{mark}</svg>{escape(text)}</li>'
        for mark, text in [*lines, *marks]
    ]
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _cards(review: Review, names: Sequence[str], say: Speaker) -> str:
    """The mistakes that are explained, the costliest first; and the strokes of luck."""
    cards = []
    for each in review.mistakes:
        if each.reason is not None:
            low, high = (signed(-end, say) for end in reversed(each.interval))
            lines = [
                f'<span class="loss">{signed(-each.loss, say)}</span><strong>'
                + escape(say("Move {number}", number=each.place + 1))
                + f"</strong> {escape(names[each.seat])} · {escape(say.phrase(GRADE_WORDS[each.grade]))}",
                escape(say("Played: {move}", move=say.move(each.played))),
                escape(say("Better: {move}", move=say.move(each.best))),
                escape(each.reason.said(say)),
                f'<span class="faint">{escape(say("between {low} and {high}", low=low, high=high))}</span>',
            ]
            cards.append(f'<div class="card">{"".join(f"<p>{line}</p>" for line in lines)}</div>')
    told = f'<div class="cards">{"".join(cards)}</div>'
    if not cards:
        told = f"<p>{escape(say('No move was clearly worse than another.'))}</p>"
    strokes = "".join(f"<li>{escape(stroke_text(each, names, say))}</li>" for each in review.strokes)
    return f"{told}<h2>{escape(say('Strokes of luck'))}</h2><ul>{strokes}</ul>"


def _bars(seats: Sequence[SeatReview], names: Sequence[str], say: Speaker) -> str:
    """A bar for every seat: what was lost to the left of the line, what was won to the right."""
    parts = [[("start", s.start), ("luck", s.luck), ("own", s.own), ("others", s.others)] for s in seats]
    left = max(sum(-share for _, share in each if share < 0) for each in parts)
    right = max(sum(share for _, share in each if share > 0) for each in parts)
    room = WIDTH - 180
    scale = room / max(left + right, 1e-9)
    zero = 160 + left * scale
    drawn = []
    for row, (name, shares) in enumerate(zip(names, parts, strict=True)):
        top = row * ROW + 8
        drawn.append(f'<text x="0" y="{top + 18}">{escape(name)}</text>')
        ends = {True: zero, False: zero}
        for kind, share in shares:
            width = abs(share) * scale
            at = ends[share > 0] if share > 0 else ends[False] - width
            ends[share > 0] += width if share > 0 else -width
            drawn.append(
                f'<rect class="{kind}" x="{at:.1f}" y="{top}" width="{width:.1f}" height="{BAR}">'
                f"<title>{escape(_part_name(kind, say))} {signed(share, say)}</title></rect>"
            )
            if width >= LEAST_LABELLED:
                ink = ' style="fill:var(--own-ink)"' if kind == "own" else _dark_on(kind)
                where = f'x="{at + width / 2:.1f}" y="{top + 18}" text-anchor="middle"'
                drawn.append(f"<text {where}{ink}>{signed(share, say)}</text>")
    height = len(seats) * ROW
    drawn.append(f'<path d="M{zero:.1f} 0V{height}" stroke="var(--ink)" stroke-width="2"/>')
    keys = "".join(
        f'<li><svg viewBox="0 0 36 16" aria-hidden="true"><rect class="{kind}" x="4" y="1" '
        f'width="28" height="14"/></svg>{escape(_part_name(kind, say))}</li>'
        for kind, _ in parts[0]
    )
    label = escape(say("Luck and skill; the table below has the figures"))
    return (
        f'<ul class="legend">{keys}</ul>'
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'
    )


def _dark_on(kind: str) -> str:
    """Figures on the colour of luck are dark by day and by night."""
    return ' style="fill:#2b2018"' if kind == "luck" else ""


def _part_name(kind: str, say: Speaker) -> str:
    return {
        "start": say("start"),
        "luck": say("luck"),
        "own": say("own moves"),
        "others": say("moves of the others"),
    }[kind]


def _accounts(seats: Sequence[SeatReview], names: Sequence[str], say: Speaker) -> str:
    """The account of every seat as a table."""
    headings = ["", *account_headings(say)]
    rows = [[name, *account_row(seat, say)] for name, seat in zip(names, seats, strict=True)]
    return _table(headings, rows)


def account_headings(say: Speaker) -> list[str]:
    """What stands above the columns of an account."""
    return [
        say("start"),
        say("luck"),
        say("own moves"),
        say("moves of the others"),
        say("result"),
        say("result without luck"),
        say("error rate"),
    ]


def account_row(seat: SeatReview, say: Speaker) -> list[str]:
    """The figures of a seat."""
    error = "" if seat.luck_error is None else f" ± {say.number(100 * seat.luck_error)}"
    changes = [signed(seat.luck, say) + error, signed(seat.own, say), signed(seat.others, say)]
    result = [say.percent(seat.result), signed_result(seat.adjusted, say)]
    rate = "" if seat.error_rate is None else say.percent(seat.error_rate)
    return [say.percent(seat.start), *changes, *result, rate]


def signed_result(share: float, say: Speaker) -> str:
    """A share of the win that may lie below nothing."""
    return say("{number}%", number=f"{Figure(round(100 * share)):d}")


def _figures(review: Review, names: Sequence[str], say: Speaker) -> str:
    """Every move with the chances after it."""
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
