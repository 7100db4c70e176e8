"""Tree search for any game, over what one seat can know.

A node of the tree is what the searching seat would know when somebody has to choose: the state as
`observe` leaves it, found again by its hash. Chance lies between nodes and is drawn anew, by its
weights, in every simulation; what the seat does not know is imagined anew as well. So a node gathers
what is good on average, and nobody in the tree plays on what the searching seat can not see.
"""

from math import exp, log, sqrt
from typing import Any

from ..contract import apply, imagine, legal, observe, results
from ..evaluation import evaluate
from ..policy import advise
from ..random import BITS_32, FIRST, SECOND, below, int64, mixed, start_stream
from ..record import CHANCE, OVER, Cells, GameState, Numbers
from ..rule import rule
from .playout import play_out, random_outcome
from .steer import gather, goes_on, likelihoods, play_out_advised

UNKNOWN = -1
"""Where no node is."""
AHEAD = 10.0
"""The lead, in points, that counts half as much as any lead can."""
LARGEST_LEAD = 1e6
OPEN_MIND = 0.1
"""The part of curiosity that goes to all moves alike, whatever the policy advises."""


@rule
def settle(s: GameState, horizon: int, mask: Cells, moves: Cells, weights: Cells, rng: Cells) -> int:
    """Lets nature answer and makes moves that are the only one; how many steps that took.

    Afterwards nothing more is to be looked at, or the mask holds the moves that somebody can choose from.
    """
    steps = 0
    while goes_on(s, horizon):
        if s.turn == CHANCE:
            move = random_outcome(s, weights, rng)
        else:
            legal(s, mask)
            if gather(mask, moves) > 1:
                return steps
            move = moves[0]
        apply(s, move)
        steps += 1
    return steps


@rule
def fingerprint(words: Cells) -> int:
    """A number that tells apart what is known; `words` is the record as 64-bit numbers."""
    found = SECOND
    for i in range(len(words)):
        found = (found ^ words[i]) * FIRST
        found = found ^ (found >> BITS_32)
    return mixed(found)


@rule
def slot_of(tree: Any, slots: Cells, key: int) -> int:
    """The slot in which the node with this key is, or would be."""
    slot = int64(key >> BITS_32) % len(slots)
    while slots[slot] != UNKNOWN and tree[slots[slot]].key != key:
        slot = (slot + 1) % len(slots)
    return slot


@rule
def most_promising(node: Any, moves: Cells, count: int, exploration: float, rng: Cells) -> int:
    """The move with the highest upper confidence bound (UCB1); before that, each is tried once."""
    untried = 0
    tries = 0
    for i in range(count):
        tries += node.visits[moves[i]]
        untried += node.visits[moves[i]] == 0
    if untried > 0:
        left = below(rng, untried)
        for i in range(count):
            if node.visits[moves[i]] == 0:
                if left == 0:
                    return moves[i]
                left -= 1
    best = moves[0]
    highest = -1.0
    spread = exploration * sqrt(log(float(tries)))
    for i in range(count):
        visits = float(node.visits[moves[i]])
        bound = node.total[moves[i]] / visits + spread / sqrt(visits)
        if bound > highest:
            best = moves[i]
            highest = bound
    return best


@rule
def most_promising_advised(
    node: Any, moves: Cells, count: int, likely: Numbers, total: float, exploration: float
) -> int:
    """The move with the highest bound where advice says how likely each is to be good (PUCT)."""
    tries = 0
    gained = 0.0
    for i in range(count):
        tries += node.visits[moves[i]]
        gained += node.total[moves[i]]
    untried = gained / tries if tries > 0 else 0.0
    curiosity = exploration * sqrt(tries + 1.0)
    best = moves[0]
    highest = -1.0
    for i in range(count):
        visits = node.visits[moves[i]]
        mean = node.total[moves[i]] / visits if visits > 0 else untried
        prior = (1.0 - OPEN_MIND) * likely[moves[i]] / total + OPEN_MIND / count
        bound = mean + curiosity * prior / (1.0 + visits)
        if bound > highest:
            best = moves[i]
            highest = bound
    return best


@rule
def judge(
    s: GameState, values: Numbers, evaluation_weights: Numbers, scores: Cells, ranks: Cells, end: Any
) -> None:
    """Every seat's points and share of the win: as they are, or as they may be expected."""
    if s.turn == OVER:
        results(s, scores, ranks)
        winners = 0
        for p in range(s.players):
            winners += ranks[p] == 1
        for p in range(s.players):
            end.points[p] = scores[p]
            end.shares[p] = 1.0 / winners if ranks[p] == 1 else 0.0
    else:
        error = evaluate(s, values, evaluation_weights, end.points)
        most = end.points[0]
        for p in range(1, s.players):
            most = max(most, end.points[p])
        total = 0.0
        for p in range(s.players):
            end.shares[p] = exp((end.points[p] - most) / error)
            total += end.shares[p]
        for p in range(s.players):
            end.shares[p] /= total


@rule
def reward(players: int, end: Any, margin: float) -> None:
    """From 0 to 1 for every seat: its share of the win, and a part for its lead or arrears."""
    for p in range(players):
        lead = LARGEST_LEAD
        for q in range(players):
            if q != p:
                lead = min(lead, end.points[p] - end.points[q])
        ahead = 0.5 + 0.5 * lead / (AHEAD + abs(lead))
        end.rewards[p] = (1.0 - margin) * end.shares[p] + margin * ahead


@rule
def grow(
    seen: Any,
    work: Any,
    look: Any,
    words: Cells,
    scratch: Any,
    values: Numbers,
    evaluation_weights: Numbers,
    advised: bool,
    playout_temperature: float,
    openness: float,
    exploration: float,
    margin: float,
    horizon: int,
    sees_all: bool,
    seat: int,
    seed: int,
    first: int,
    simulations: int,
    tree: Any,
    slots: Cells,
    path: Any,
    scores: Cells,
    ranks: Cells,
    ends: Any,
    tried: Any,
) -> int:
    """Simulations first, first + 1, … of a decision; the number of steps they took.

    `tree[0].nodes` says how many nodes there are; node 0 is the decision itself. `look` and `words`
    are the same memory. `path` holds node, move and seat of every choice, `tried` what came of the
    moves of the decision. `playout_temperature` is that of decisions in playouts, `openness` that of
    advice in the tree; neither goes further than to the stage `horizon`. Whoever `sees_all` cheats.
    """
    mask, moves, rng = scratch[0].mask, scratch[0].moves, scratch[0].rng
    weights, worth = scratch[0].weights, scratch[0].worth
    s = work[0]
    end = ends[0]
    steps = 0
    for simulation in range(first, first + simulations):
        work[0] = seen[0]
        start_stream(rng, seed, simulation)
        imagine(s, seat, rng)
        steps += settle(s, horizon, mask, moves, weights, rng)
        node = 0
        depth = 0
        while node != UNKNOWN and goes_on(s, horizon):
            count = gather(mask, moves)
            if advised:
                advise(s, values, mask, worth)
                total = likelihoods(moves, count, worth, openness)
                move = most_promising_advised(tree[node], moves, count, worth, total, exploration)
            else:
                move = most_promising(tree[node], moves, count, exploration, rng)
            path[depth].node = node
            path[depth].move = move
            path[depth].seat = s.turn
            depth += 1
            apply(s, move)
            steps += 1 + settle(s, horizon, mask, moves, weights, rng)
            node = UNKNOWN
            if depth < len(path) and goes_on(s, horizon):
                look[0] = work[0]
                if not sees_all:
                    observe(look[0], seat)
                key = fingerprint(words)
                slot = slot_of(tree, slots, key)
                node = slots[slot]
                if node == UNKNOWN and tree[0].nodes < len(tree):
                    slots[slot] = tree[0].nodes
                    tree[tree[0].nodes].key = key
                    tree[0].nodes += 1
        if advised:
            steps += play_out_advised(
                s, values, playout_temperature, horizon, mask, moves, weights, worth, rng
            )
        else:
            steps += play_out(s, mask, weights, rng)
        judge(s, values, evaluation_weights, scores, ranks, end)
        reward(s.players, end, margin)
        for i in range(depth):
            move = path[i].move
            tree[path[i].node].visits[move] += 1
            tree[path[i].node].total[move] += end.rewards[path[i].seat]
        record_try(tried[path[0].move], end, seat)
    return steps


@rule
def record_try(move: Any, end: Any, seat: int) -> None:
    """Adds the end of a simulation to what is known of a move of the decision."""
    move.playouts += 1
    move.reward += end.rewards[seat]
    move.wins += end.shares[seat]
    move.score += end.points[seat]
    move.square += end.points[seat] * end.points[seat]
