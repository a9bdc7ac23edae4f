"""Argument and result of `emit()` in a backend's `emitter.py`, by which a backend writes calls of
the nodes that its kernels compute.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.ir.program import Program, Step
from opsmith.op.kernel import Kernel
from opsmith.op.typed import TypedOp


@dataclass(frozen=True)
class Call:
    """A node that a kernel of the backend computes."""

    step: Step  # the node, its params, and the symbols of its tables in nodes.h
    kernel: Kernel
    params_type: str  # the C++ struct of its params: 'opsmith::add::vendor::Sums'
    params: str  # their initializer
    op: TypedOp  # at the node's variant
    folder: Path  # of the op, where its kernel's file is unless a family or a backend brings it
    # What an ordinary kernel is passed after its params, as C++ that is valid in model.cc: in, out
    # and, where the kernel or the op declares them, tables, scratch and state.
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class BackendPart:
    """Part of a program that kernels of one backend compute.

    A segment is a run of nodes without a node of another backend between them. In a debug build,
    a stream, or where each node is measured or compared, each node is a segment.
    """

    program: Program  # read-only; tensors and addresses: `program.graph`, `.plan`; `tables`
    segments: tuple[tuple[Call, ...], ...]  # in the order in which they run
    folder: str  # of the files, from where the compiler runs: for `.incbin`
    devices: tuple[str, ...] = ()  # of the board, as far as the runtime can use them


@dataclass(frozen=True)
class Emitted:
    """Output of a backend for a program: files, calls and facts for the report."""

    files: dict[str, str | bytes]  # those that `emits` of its runtime.toml lists
    calls: tuple[str, ...]  # each segment's statement in model.cc: 'vendor::run(0);'
    # facts for people, which report.json has under `emitted`: numbers and texts, ready for JSON
    report: dict[str, Any] = field(default_factory=dict)
