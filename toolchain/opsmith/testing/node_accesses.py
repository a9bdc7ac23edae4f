"""Buffers that nodes of a program may read and write, and calls of kernels in its model.cc."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from opsmith.ir import Graph, Node
from opsmith.ir.program import Program
from opsmith.ir.types import i8
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class Region:
    """Buffer that a node reads or writes; nodes count from 1, the caller is before and after."""

    node: int
    buffer: str
    output: bool
    seen: bool
    whole: bool = True


def accesses(graph: Graph, ops: OpIndex, node: Node, number: int) -> Iterator[Region]:
    """Regions that a node with a given number reads or writes."""
    assert graph.plan is not None
    for name in dict.fromkeys(node.inputs):
        if name is not None and name in graph.plan.placements:
            tensor = graph.tensors[name]
            yield Region(number, name, tensor.variable, tensor.dtype == i8, whole=False)
    for name in node.outputs:
        yield Region(number, name, True, graph.tensors[name].dtype == i8)
    assert node.kernel is not None
    for buffer, dtype in ops.of(graph, node).kernels[node.kernel.index].scratch.items():
        yield Region(number, f"{node.name}.{buffer}", True, dtype == i8, whole=False)


def before_calls(text: str, program: Program, line: Callable[[int], str]) -> str:
    """Text of model.cc with a line before each node's call, which `line` returns for its number."""
    calls = [step for step in program.steps if not step.in_place]
    numbers, stream = [*range(1, len(program.steps) + 1)], program.graph.stream
    if stream is not None:  # the function that makes a pass is first
        numbers = [*numbers[stream.first : stream.end], *numbers[: stream.first]]
        numbers += range(stream.end + 1, len(program.steps) + 1)
    found = iter(i for i in numbers if not program.steps[i - 1].in_place)
    names = "|".join(sorted({step.instance.name for step in calls})) or "$^"
    pattern = re.compile(rf"^( +)(?=(?:{names})\()", re.MULTILINE)
    called = pattern.sub(lambda m: f"{m[1]}{line(next(found))}{m[1]}", text)
    assert next(found, None) is None, "some node is not called"
    return called
