"""Tree search for any game, over what one seat can know.

A node of the tree is what the searching seat would know when somebody has to choose: the state as
`observe` leaves it, found again by its hash. Chance lies between nodes and is drawn anew, by its
weights, in every simulation; what the seat does not know is imagined anew as well. So a node gathers
what is good on average, and nobody in the tree plays on what the searching seat cannot see.
"""

from math import exp, log, sqrt
from typing import Any

from ..cells import clear
from ..contract import apply, imagine, legal, observe, results
from ..evaluation import evaluate
from ..policy import advise
from ..random import BITS_32, FIRST, SECOND, below, int64, mixed, start_stream
from ..record import CHANCE, OVER, Cells, Fields, GameState, Numbers
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
DEEPEST = 60
"""How many choices in a row a tree follows at most."""
TRIED: Fields = [("playouts", "i8"), ("reward", "f8"), ("wins", "f8"), ("score", "f8"), ("square", "f8")]
"""What came of a move of the decision."""


def settings_fields(values: int, evaluation_weights: int) -> Fields:
    """Fields of a search's settings: whose decision it is, how its tree grows and how playouts go.

    `openness` is the temperature of advice in the tree, `playout_temperature` that of decisions in playouts;
    neither goes further than to the stage `horizon`. A seat that `sees_all` cheats.
    """
    return [
        ("seat", "i8"),
        ("seed", "i8"),
        ("horizon", "i8"),
        ("advised", "?"),
        ("sees_all", "?"),
        ("exploration", "f8"),
        ("margin", "f8"),
        ("openness", "f8"),
        ("playout_temperature", "f8"),
        ("values", "f8", values),
        ("evaluation_weights", "f8", evaluation_weights),
    ]


def workspace_fields(players: int, deepest: int = DEEPEST) -> Fields:
    """Fields that a search needs besides scratch memory: the choices of a simulation, and its end.

    Of each choice, its node, its move and the seat that made it; of each seat, its points, its share of the
    win and its reward.
    """
    return [
        ("path_nodes", "i4", deepest),
        ("path_moves", "i4", deepest),
        ("path_seats", "i4", deepest),
        ("points", "f8", players),
        ("shares", "f8", players),
        ("rewards", "f8", players),
        ("scores", "i2", players),
        ("ranks", "i1", players),
    ]


def node_fields(moves: int) -> Fields:
    """Fields of a tree's node: its key, how often each move was tried, and the sum of its rewards.

    In the first node, `nodes` is how many there are.
    """
    return [("key", "u8"), ("nodes", "i8"), ("visits", "i4", moves), ("total", "f8", moves)]


@rule
def settle(s: GameState, horizon: int, room: Any) -> int:
    """Lets nature answer and makes moves that are the only one; how many steps that took.

    Afterwards nothing more is to be looked at, or the mask holds the moves that somebody can choose from.
    """
    steps = 0
    while goes_on(s, horizon):
        if s.turn == CHANCE:
            move = random_outcome(s, room.weights, room.rng)
        else:
            clear(room.mask)
            legal(s, room.mask)
            if gather(room.mask, room.moves) > 1:
                return steps
            move = room.moves[0]
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
def judge(s: GameState, values: Numbers, evaluation_weights: Numbers, room: Any) -> None:
    """Every seat's points and share of the win: as they are, or as they may be expected."""
    points, shares = room.points, room.shares
    if s.turn == OVER:
        results(s, room.scores, room.ranks)
        winners = 0
        for p in range(s.players):
            winners += room.ranks[p] == 1
        for p in range(s.players):
            points[p] = room.scores[p]
            shares[p] = 1.0 / winners if room.ranks[p] == 1 else 0.0
    else:
        error = evaluate(s, values, evaluation_weights, points)
        most = points[0]
        for p in range(1, s.players):
            most = max(most, points[p])
        total = 0.0
        for p in range(s.players):
            shares[p] = exp((points[p] - most) / error)
            total += shares[p]
        for p in range(s.players):
            shares[p] /= total


@rule
def reward(players: int, room: Any, margin: float) -> None:
    """From 0 to 1 for every seat: its share of the win, and a part for its lead or arrears."""
    for p in range(players):
        lead = LARGEST_LEAD
        for q in range(players):
            if q != p:
                lead = min(lead, room.points[p] - room.points[q])
        ahead = 0.5 + 0.5 * lead / (AHEAD + abs(lead))
        room.rewards[p] = (1.0 - margin) * room.shares[p] + margin * ahead


@rule
def grow(
    seen: Any,
    settings: Any,
    tree: Any,
    slots: Cells,
    tried: Any,
    work: Any,
    look: Any,
    words: Cells,
    workspace: Any,
    first: int,
    simulations: int,
) -> int:
    """Makes simulations first, first + 1, … of a decision and returns the number of steps they took.

    `seen` is what the seat knows, `settings` how the tree grows (`settings_fields`). Node 0 of `tree` is the
    decision itself; `slots` finds nodes by their keys; `tried` gathers what came of the decision's moves. The
    rest is memory to work in: `work` and `look` hold a state each, `words` is the memory of `look`,
    `workspace` has the fields of `scratch` and of `workspace_fields`.
    """
    s, room = work[0], workspace[0]
    mask, moves, worth, rng = room.mask, room.moves, room.worth, room.rng
    seat, seed, horizon = settings[0].seat, settings[0].seed, settings[0].horizon
    advised, sees_all = settings[0].advised, settings[0].sees_all
    exploration, margin, openness = settings[0].exploration, settings[0].margin, settings[0].openness
    values, evaluation_weights = settings[0].values, settings[0].evaluation_weights
    steps = 0
    for simulation in range(first, first + simulations):
        work[0] = seen[0]
        start_stream(rng, seed, simulation)
        imagine(s, seat, rng)
        steps += settle(s, horizon, room)
        node = 0
        depth = 0
        while node != UNKNOWN and goes_on(s, horizon):
            count = gather(mask, moves)
            if advised:
                advise(s, values, mask, worth, room.notes)
                total = likelihoods(moves, count, worth, openness)
                move = most_promising_advised(tree[node], moves, count, worth, total, exploration)
            else:
                move = most_promising(tree[node], moves, count, exploration, rng)
            room.path_nodes[depth] = node
            room.path_moves[depth] = move
            room.path_seats[depth] = s.turn
            depth += 1
            apply(s, move)
            steps += 1 + settle(s, horizon, room)
            node = UNKNOWN
            if depth < len(room.path_nodes) and goes_on(s, horizon):
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
            steps += play_out_advised(s, values, settings[0].playout_temperature, horizon, room)
        else:
            steps += play_out(s, mask, room.weights, rng)
        judge(s, values, evaluation_weights, room)
        reward(s.players, room, margin)
        for i in range(depth):
            node, move = room.path_nodes[i], room.path_moves[i]
            tree[node].visits[move] += 1
            tree[node].total[move] += room.rewards[room.path_seats[i]]
        record_try(tried[room.path_moves[0]], room, seat)
    return steps


@rule
def record_try(move: Any, room: Any, seat: int) -> None:
    """Adds the end of a simulation to what is known of a move of the decision."""
    move.playouts += 1
    move.reward += room.rewards[seat]
    move.wins += room.shares[seat]
    move.score += room.points[seat]
    move.square += room.points[seat] * room.points[seat]
