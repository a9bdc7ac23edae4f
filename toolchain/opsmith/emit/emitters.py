"""Runs the emitter of a backend, which writes the code of nodes that its kernels compute.

model.cc calls one function per segment, named like the instance of the segment's first node, so
that tools which look for the functions of nodes find it. emit() returns the body of each.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.board.emitter import Emitter
from opsmith.contract.bind import params_struct
from opsmith.contract.literals import initializer
from opsmith.emit.operands import operands
from opsmith.errors import Problem, ToolchainError, raise_all, shown
from opsmith.ir.flow import STRAIGHT
from opsmith.ir.program import Program, Step
from opsmith.modules import load_function
from opsmith.op.emitter import BackendPart, Call, Emitted
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.traces import failure


@dataclass(frozen=True)
class Written:
    """Output of an emitter; empty where the program's runtime has none."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)  # by path below the model's
    bodies: Mapping[str, str] = field(default_factory=dict)  # first node of a segment -> C++
    followers: frozenset[str] = frozenset()  # nodes that an earlier node's call computes
    report: Mapping[str, Any] = field(default_factory=dict)  # facts for report.json

    @property
    def nodes(self) -> frozenset[str]:
        """Names of the nodes that the emitted code computes."""
        return self.followers | self.bodies.keys()

    @property
    def headers(self) -> list[str]:
        """Emitted headers that model.cc includes."""
        return [name for name in self.files if name.endswith(".h")]


NOTHING = Written()


def run_emitter(
    program: Program,
    ops: OpIndex,
    emitter: Emitter | None,
    folder: Path = Path(),
    devices: tuple[str, ...] = (),
    *,
    apart: bool = False,
) -> Written:
    """Output of the emitter for a program whose files go to `folder`; with `apart`, each node is a
    segment.

    Without `emitter`, the emitter of the chosen kernels is run. Raises KRN024 and OPS061.
    """
    found = emitter or next((e for step in program.steps if (e := _of(step, ops))), None)
    if found is None:
        return NOTHING
    segments = list(_segments(program, ops, found, apart=apart))
    calls = tuple(tuple(_call(program, step, ops) for step in each) for each in segments)
    place = (folder / found.backend).as_posix().removeprefix("./")
    part = BackendPart(program, calls, place, devices)
    made = _checked(found, part)
    names = [[step.node.name for step in each] for each in segments]
    return Written(
        {f"{found.backend}/{name}": made.files[name] for name in found.writes},
        {first: call for (first, *_), call in zip(names, made.calls, strict=True)},
        frozenset(name for _, *others in names for name in others),
        made.report,
    )


def _of(step: Step, ops: OpIndex) -> Emitter | None:
    return None if step.in_place else _kernel(step, ops).emitter


def _kernel(step: Step, ops: OpIndex) -> Kernel:
    return ops.kernel(step.instance.op, step.instance.types, step.instance.index)[1]


def _segments(
    program: Program, ops: OpIndex, emitter: Emitter, *, apart: bool
) -> Iterator[list[Step]]:
    """Runs of nodes that the backend computes; nodes in place do not end a run."""
    apart = apart or program.stepwise or program.guards or program.graph.stream is not None
    apart = apart or program.graph.flow != STRAIGHT
    run: list[Step] = []
    for step in (each for each in program.steps if not each.in_place):
        by = _of(step, ops)
        ours = by is not None and by.backend == emitter.backend  # their paths may differ
        if run and (apart or not ours):
            yield run
            run = []
        run += [step] if ours else []
    if run:
        yield run


def _call(program: Program, step: Step, ops: OpIndex) -> Call:
    op, kernel = ops.kernel(step.instance.op, step.instance.types, step.instance.index)
    given, struct = tuple(operands(program, step, ops)), params_struct(op, kernel)
    folder = ops.by_name[op.name].folder
    return Call(step, kernel, struct, initializer(step.params), op, folder, given)


def _checked(emitter: Emitter, part: BackendPart) -> Emitted:
    """Result of the emitter's `emit()`, after checks."""
    made = _made(emitter, part)
    raise_all(_problems(emitter, part, made))
    assert isinstance(made, Emitted)
    return made


def _made(emitter: Emitter, part: BackendPart) -> Any:
    """Result of the emitter's `emit()` without checks, with the author's exceptions reported."""
    emit = load_function(emitter.file, "emit", "KRN024")
    who = f"backend '{emitter.backend}'"
    try:
        return emit(part)
    except ToolchainError:
        raise
    except Exception as error:
        fix = "correct it; for a program without nodes of the backend, part.segments is ()"
        raise failure(error, emitter.file, who, f"emit of {who}", fix) from error


def _problems(emitter: Emitter, part: BackendPart, made: Any) -> Iterator[Problem]:
    """Problems, code KRN024, with the result of an emitter."""

    def problem(what: str, fix: str) -> Problem:
        return Problem("KRN024", what, str(emitter.file), fix)

    if not isinstance(made, Emitted):
        what = f"emit gives {shown(made)[:60]}, not Emitted(files, calls)"
        yield problem(what, "return Emitted({name: text}, calls)")
        return
    for name in dict.fromkeys([*emitter.writes, *made.files]):
        if name not in made.files:
            yield problem(f"emit writes no {name}", "return every file that `emits` lists")
        elif name not in emitter.writes:
            what = f"emit writes {shown(name)}, which `emits` does not list"
            yield problem(what, "add it to `emits` in runtime.toml")
        elif not isinstance(made.files[name], str | bytes):
            yield problem(f"{name} is no text, and no bytes", "return a str or bytes")
    calls = made.calls
    if not isinstance(calls, tuple) or len(calls) != len(part.segments):
        what = f"emit gives {shown(calls)[:60]} for {len(part.segments)} segments"
        yield problem(what, "return a tuple with one statement for each segment")
    elif bad := [call for call in calls if not (isinstance(call, str) and _is_statement(call))]:
        what = f"{shown(bad[0])[:60]} is no statement on one line"
        yield problem(what, 'return C++ such as "vendor::run(0);"')
    if not _is_json(made.report):
        what = f"report= is {shown(made.report)[:60]}, which JSON cannot hold"
        yield problem(what, "use dicts with texts as keys, lists, texts, integers and floats")


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _is_statement(text: str) -> bool:
    return text.isprintable() and text.endswith((";", "}")) and "//" not in text
