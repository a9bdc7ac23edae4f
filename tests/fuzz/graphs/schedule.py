"""Schedule of the nodes that the graph of a number has: each kind has its turn, and chance adds
others.

The kinds are dealt to the graphs in turn, so that each is used equally often. Those of one type
come one after the other, for a node can read only what others of its type computed. A node that
fits nowhere in its turn gets an input of its own.
"""

import random
from functools import cache
from itertools import accumulate

from tests.fuzz.graphs import (
    control,
    elementwise,
    further_elementwise,
    indexing,
    layers,
    movement,
    own_cases,
    reductions,
    sequences,
    stablehlo,
    variables,
    window,
)
from tests.fuzz.graphs.builder import INPUTS, Builder
from tests.fuzz.graphs.kind import Kind

KINDS: tuple[Kind, ...] = (
    *elementwise.KINDS, *further_elementwise.KINDS, *movement.KINDS, *indexing.KINDS,
    *stablehlo.KINDS, *layers.KINDS, *window.KINDS, *reductions.KINDS, *sequences.KINDS,
    *variables.KINDS, *own_cases.KINDS, *control.KINDS,
)  # fmt: skip
SIZES = (*range(5, 41), *range(20, 41))  # nodes of a graph whose turn it is
MOST_INPUTS = 2 * INPUTS  # of a graph in which nodes did not fit in their turn
FURTHER = 0.1  # nodes that chance adds to each


def graph(seed: int, number: int, attempt: int = 0, kinds: tuple[Kind, ...] = KINDS) -> Builder:
    """The graph of this number; each attempt has nodes of the same kinds, but other graphs."""
    chance = random.Random(f"graph {seed} {number} {attempt}")
    build = Builder(chance)
    weighted = [kind for kind in kinds if kind.weight]
    weights = [kind.weight for kind in weighted]
    for kind in turn(seed, number, kinds):
        _take_turn(kind, build)
        if chance.random() < FURTHER or not build.tensors:
            chance.choices(weighted, weights)[0].add(build)
    return build


def _take_turn(kind: Kind, build: Builder) -> None:
    """Add a node of this kind, with more inputs than graphs have otherwise where none fits."""
    while not kind.add(build) and build.most_inputs < MOST_INPUTS:
        build.most_inputs += 1


def turn(seed: int, number: int, kinds: tuple[Kind, ...] = KINDS) -> list[Kind]:
    """The kinds of nodes whose turn it is in this graph."""
    sizes = random.Random(f"sizes {seed}").sample(SIZES, len(SIZES))
    starts = [0, *accumulate(sizes)]
    rounds, which = divmod(number, len(sizes))
    start = rounds * starts[-1] + starts[which]
    places = [divmod(at, len(kinds)) for at in range(start, start + sizes[which])]
    orders = {cycle: _order(seed, cycle, kinds) for cycle in {cycle for cycle, _ in places}}
    return [orders[cycle][at] for cycle, at in places]


@cache
def _order(seed: int, cycle: int, kinds: tuple[Kind, ...]) -> list[Kind]:
    """Kinds of nodes in random order, those of one element type together."""
    chance = random.Random(f"order {seed} {cycle}")
    types = sorted({kind.types[0] for kind in kinds})
    chance.shuffle(types)
    found = chance.sample(kinds, len(kinds))
    return sorted(found, key=lambda kind: types.index(kind.types[0]))
