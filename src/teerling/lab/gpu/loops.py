"""Changes in what Numba hands over to be compiled (LLVM's language, as text), so that loops suit a card."""

import re
from itertools import count

DEFINITION = re.compile(rb"^(define .*\))\s*(#\d+)?\s*(\{)?\s*$", re.MULTILINE)
RANGE = re.compile(
    rb"(^\s*(%\S+) = icmp sgt i64 %\S+, 0\n.*\n\s*store i1 \2, .*\n\s*br)"
    rb' i1 \2, (label %"B\S+\.if"), label .*$',
    re.MULTILINE,
)
"""Where the next number of a range is asked for: whether there is one, before it is counted."""
LABEL = re.compile(rb'^"?([-\w.$]+)"?:')
BRANCH = re.compile(rb'^\s*br (?:i1 \S+, )?label %"?([-\w.$]+)"?(?:, label %"?([-\w.$]+)"?)?\s*$')
FIRST_NODE = 900_000
"""More nodes than Numba writes."""


def for_size(module: bytes) -> bytes:
    """Functions are compiled for size: loops are not unrolled before a card's own assembler sees them."""
    return DEFINITION.sub(rb"\1 \2 optsize \3", module)


def counted_at_once(module: bytes) -> bytes:
    """Ranges count whether or not there is a number left, which nobody reads then.

    Numba counts only if there is one. Then the compiler does not see how often a loop is gone through, and
    asks in every round whether an index is negative: 15 instructions instead of 7 for a byte to be cleared.
    """
    return RANGE.sub(rb"\1 \3", module)


def never_unrolled(module: bytes) -> bytes:
    """No loop is unrolled, by the card's assembler neither: branches to what stands above forbid it."""
    lines: list[bytes] = []
    nodes: list[bytes] = []
    numbers = count(FIRST_NODE)
    forbidden = next(numbers)
    above: set[bytes] = set()
    for line in module.split(b"\n"):
        if line.startswith(b"define"):
            above.clear()
        if label := LABEL.match(line):
            above.add(label[1])
        branch = BRANCH.match(line)
        if branch and above & set(branch.groups()):
            node = next(numbers)
            nodes.append(b"!%d = distinct !{!%d, !%d}" % (node, node, forbidden))
            line += b", !llvm.loop !%d" % node
        lines.append(line)
    if nodes:
        nodes.append(b'!%d = !{!"llvm.loop.unroll.disable"}' % forbidden)
    return b"\n".join(lines + nodes)
