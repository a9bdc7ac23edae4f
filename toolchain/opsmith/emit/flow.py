"""Writes branches and loops around the calls of a sequence."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent

from opsmith.emit.operands import pointer
from opsmith.ir.flow import Branch, Flow, Loop, spans, with_conditions
from opsmith.ir.program import Program


def in_flow(program: Program, calls: Sequence[str]) -> list[str]:
    """Lines that run nodes by their calls; a branch or loop takes several lines."""
    graph = program.graph
    flow = with_conditions(graph.flow, lambda name: pointer(program, name))
    where = spans(graph.flow, [node.block for node in graph.nodes])
    return [*_lines(flow, {block: calls[at.start : at.stop] for block, at in where.items()})]


def _lines(flow: Flow, calls: Mapping[int, Sequence[str]]) -> Iterator[str]:
    for item in flow:
        match item:
            case Branch():
                yield "\n".join(_branch(item, calls))
            case Loop():
                yield "\n".join(_loop(item, calls))
            case _:
                yield from calls[item]


def _branch(item: Branch, calls: Mapping[int, Sequence[str]]) -> Iterator[str]:
    then, otherwise = (_inside(part, calls) for part in (item.then, item.otherwise))
    yield f"  if ({'' if then else '!'}{item.condition}[0]) {{"
    yield from then or otherwise
    if then and otherwise:
        yield "  } else {"
        yield from otherwise
    yield "  }"


def _loop(item: Loop, calls: Mapping[int, Sequence[str]]) -> Iterator[str]:
    test = _inside(item.test, calls)
    yield "  for (;;) {" if test else f"  while ({item.condition}[0]) {{"
    yield from test
    if test:
        yield f"    if (!{item.condition}[0]) break;"
    yield from _inside(item.body, calls)
    yield "  }"


def _inside(flow: Flow, calls: Mapping[int, Sequence[str]]) -> list[str]:
    return [indent(each, "  ") for each in _lines(flow, calls)]
