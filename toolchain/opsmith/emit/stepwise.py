"""A program that runs one node per call, so that every output of a node can be read after it.

Nodes, kernels and memory plan are those of the program that ships, so that an examination shows the
shipped behaviour and takes no more memory.
"""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import indent

from opsmith.ir.program import Program


def stepwise(program: Program) -> Program:
    """Program whose outputs include everything that nodes write, each valid after its node."""
    graph = program.graph
    written = dict.fromkeys(name for step in program.steps for name in step.node.outputs)
    extra = tuple(name for name in written if name not in graph.outputs)
    return replace(program, graph=replace(graph, outputs=graph.outputs + extra), stepwise=True)


def each_apart(calls: Sequence[str]) -> list[str]:
    """Calls as cases of a switch; invoke() returns before a case if it has made another call."""
    return [
        f"""  if (ran) {{
    next = {number};
    return;
  }}
  [[fallthrough]];
case {number}:
{call}
  ran = true;"""
        for number, call in enumerate(calls, start=1)
    ]


def all_calls(lines: Sequence[str], first: Sequence[str] = ()) -> list[str]:
    """Lines of invoke() as it ships: the lines `first`, then the sequence."""
    return ["void invoke() {", *first, *lines, "}"]


def one_call_each(lines: Sequence[str], first: Sequence[str] = ()) -> list[str]:
    """Lines of invoke() that makes the next call of a sequence from `each_apart`, and starts again
    after the last.

    Cases are in the branches and loops of the sequence, so that the next call of invoke() continues
    within them. The next case is decided right after a call, while conditions are as it left them.
    """
    head = ["// Runs one node per call.", "void invoke() {", *first, "  static int32_t next = 0;"]
    head += ["  bool ran = false;", "  switch (next) {", "    case 0:"]
    body = [indent(line, "    ") for line in lines]
    return [*head, *body, "      next = 0;", "  }", "}"]
