"""A program that runs one node per call, so that everything a node writes can be read after it.

Nodes, kernels and memory plan are those of the program that ships: what is examined this way is
what runs otherwise, in no more memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolchain.errors import ToolchainError
from toolchain.ir import Graph
from toolchain.ir.flow import STRAIGHT
from toolchain.ir.program import Program


def stepwise(program: Program) -> Program:
    """The program with everything its nodes write as further outputs, each valid after its node."""
    graph = program.graph
    written = dict.fromkeys(name for step in program.steps for name in step.node.outputs)
    extra = tuple(name for name in written if name not in graph.outputs)
    return replace(program, graph=replace(graph, outputs=graph.outputs + extra), stepwise=True)


def check_straight(graph: Graph, where: str) -> None:
    """Raise MDL025 where nodes do not all run once, one after the other."""
    if graph.flow != STRAIGHT:
        raise not_straight(where)


def not_straight(where: str) -> ToolchainError:
    """The error of a model whose nodes cannot be looked at one by one."""
    what = "the model has branches or loops, so its nodes cannot be looked at one after the other"
    fix = "crosscheck, profile and tune take models without; `run` compares all outputs"
    return ToolchainError.of("MDL025", what, where=where, fix=fix)


def all_calls(calls: Sequence[str], first: Sequence[str] = ()) -> list[str]:
    """invoke() as it ships: the lines `first`, then the sequence."""
    return ["void invoke() {", *first, *calls, "}"]


def one_call_each(calls: Sequence[str], first: Sequence[str] = ()) -> list[str]:
    """invoke() that makes the next call of the sequence, and starts again after the last."""
    lines = ["// Runs one node per call.", "void invoke() {", *first, "  static int32_t next = 0;"]
    lines += ["  switch (next++) {"]
    for number, call in enumerate(calls):
        body = "\n".join(f"    {line}" for line in call.splitlines())
        lines += [f"    case {number}:", body]
        lines += ["      next = 0;"] if number + 1 == len(calls) else []
        lines += ["      break;"]
    return [*lines, "  }", "}"]
