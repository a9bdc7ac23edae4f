"""Seeded inputs that lead to valid positions, such as tokens of a vocabulary.

Ops declare which operands name positions (`limits` of an Input). The numpy models compute the
operands that follow from inputs: inputs are widened, as long as all such operands lie within the
limits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph, Node
from opsmith.ir.flow import STRAIGHT
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs, view
from opsmith.oracle.bounded import Died, bounded
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.numpy_runs import as_read
from opsmith.oracle.question import Question
from opsmith.rig.build import Build, PortTensor, load_report
from opsmith.text import escaped

SECONDS = 60.0  # seconds for the whole search
LARGEST = 2**24  # largest magnitude tried; float32 has all integers up to here
FIRST = (1, -1, *(sign * 2**n for n in range(1, 17) for sign in (1, -1)))
Misses = Callable[[Sequence[Array]], float]


def naming_positions(
    build: Build, model: Path, seeded: Sequence[Array], platforms: Sequence[Path]
) -> list[Array]:
    """Arrays like the seeded ones, from which the model computes valid positions.

    Raises RIG057 where none are found.
    """

    def search() -> list[Array] | None:
        of_build = build.folder, load_report(build.folder), model
        graph, ops = as_read(Question.of_build(*of_build, seeded, (), platforms))
        return found_inputs(build.inputs, seeded, missing(graph, ops))

    try:
        found = bounded(search, SECONDS)
    except (TimeoutError, Died, ToolchainError):  # the later run of a reference reports these
        return list(seeded)
    if found is None:
        names = ", ".join(f"'{escaped(each.name)}'" for each in build.inputs if each.names)
        what = f"no seeded values of {names} lead to positions that exist, such as rows of a table"
        fix = "give values that the model was made for: input=FILE.npz"
        raise ToolchainError.of("RIG057", what, where=escaped(str(model)), fix=fix)
    return found


def missing(graph: Graph, ops: OpIndex) -> Misses:
    """Function that gives the excess of operands over their limits for inputs of a legal graph."""
    limited: dict[str, list[tuple[str, int, int]]] = {}  # node -> tensor, least, greatest
    for node in graph.nodes:
        op = ops.of(graph, node)
        for value, name in named_inputs(op, node):
            if value.limits is not None and name is not None:
                limits = value.limits(view(graph, node, op))
                limited.setdefault(node.name, []).append((name, *limits))
    part = _before(graph, limited)

    def misses(inputs: Sequence[Array]) -> float:
        beyond = [0.0]

        def watch(node: Node, values: Mapping[str, Array]) -> None:
            for name, least, greatest in limited.get(node.name, ()):
                given = values[name].astype(np.float64)
                beyond.append(float(np.max(least - given, initial=0)))
                beyond.append(float(np.max(given - greatest, initial=0)))

        with np.errstate(all="ignore"):
            Evaluator(part, ops, watch).run(inputs)
        return max(beyond)

    return misses


def found_inputs(
    tensors: Sequence[PortTensor], seeded: Sequence[Array], misses: Misses
) -> list[Array] | None:
    """Seeded arrays without excess; None where none are found."""
    if not misses(seeded):
        return list(seeded)
    free = (each.names and not each.expected and each.dtype != "bool" for each in tensors)
    asked = [n for n, each in enumerate(free) if each]

    def filled(values: Mapping[int, int]) -> list[Array]:
        return [
            np.full_like(each, values[n]) if n in values else each for n, each in enumerate(seeded)
        ]

    def missed(values: Mapping[int, int]) -> float:
        fits = (_fits(value, seeded[n]) for n, value in values.items())
        return misses(filled(values)) if all(fits) else np.inf

    base = _base(asked, missed)
    if base is None:
        return None

    def held(n: int, value: int) -> bool:
        return not missed({**base, n: value})

    low, high = ({n: _furthest(partial(held, n), base[n], sign) for n in asked} for sign in (-1, 1))
    random = np.random.default_rng(0)
    while True:
        inputs = list(seeded)
        for n in asked:
            inputs[n] = random.integers(low[n], high[n], seeded[n].shape, endpoint=True).astype(
                seeded[n].dtype
            )
        if not misses(inputs):
            return inputs
        if low == high == base:
            return None
        low, high = ({n: base[n] + int((of[n] - base[n]) / 2) for n in asked} for of in (low, high))


def _base(
    asked: Sequence[int], missed: Callable[[Mapping[int, int]], float]
) -> dict[int, int] | None:
    """A value that all adjustable inputs can have without exceeding a limit, by index of the input;
    None where none is found.
    """
    at = {value: missed(dict.fromkeys(asked, value)) for value in (0, 1)}
    slope = at[0] - at[1]  # by how much less a value misses that is greater by one
    guess = [round(at[0] / slope)] if slope and np.isfinite(slope) else []
    for value in (0, *guess, *FIRST):
        if not missed(found := dict.fromkeys(asked, value)):
            return found
    return None


def _furthest(held: Callable[[int], bool], start: int, sign: int) -> int:
    """Last number in a direction from `start` that holds, if all between both hold."""
    step = 1
    while step <= LARGEST and held(start + sign * step):
        step *= 2
    reached, beyond = step // 2, min(step, LARGEST + 1)
    while beyond - reached > 1:
        middle = (reached + beyond) // 2
        reached, beyond = (middle, beyond) if held(start + sign * middle) else (reached, middle)
    return start + sign * reached


def _fits(value: int, array: Array) -> bool:
    """True if a value is in the range of an array's type."""
    if array.dtype.kind == "f":
        return True
    limits = np.iinfo(array.dtype)
    return limits.min <= value <= limits.max


def _before(graph: Graph, limited: Mapping[str, object]) -> Graph:
    """Graph of the nodes that compute limited operands; all of it if it has branches or loops."""
    if graph.flow != STRAIGHT:
        return graph
    kept, needed = list[Node](), set[str | None]()
    for node in reversed(graph.nodes):
        if node.name in limited or needed.intersection(node.outputs):
            kept.append(node)
            needed.update(node.inputs)
    return replace(graph, nodes=tuple(reversed(kept)))
