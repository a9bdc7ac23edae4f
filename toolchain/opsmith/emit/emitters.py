"""Run the emitter of a backend: it writes what computes the nodes that its kernels were chosen for.

model.cc calls a function for each of its segments, which is called like the instance of the first
node, so that whatever looks for the functions of nodes finds it. Its body is what emit() returns.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from opsmith import running
from opsmith.board.runtime import Emitter
from opsmith.contract.bind import params_struct
from opsmith.contract.literals import initializer
from opsmith.emit.operands import operands
from opsmith.errors import Problem, ToolchainError, raise_all, shown
from opsmith.ir.flow import STRAIGHT
from opsmith.ir.program import Program, Step
from opsmith.modules import load_function
from opsmith.op.emitter import Call, Emitted, Part
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.op.traces import failure
from opsmith.running import Running, stops_us


@dataclass(frozen=True)
class Written:
    """What an emitter wrote; nothing where the program's runtime has none."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)  # by path below the model's
    bodies: Mapping[str, str] = field(default_factory=dict)  # node that begins a segment -> C++
    followers: frozenset[str] = frozenset()  # nodes that the call before them computes, too
    report: Mapping[str, Any] = field(default_factory=dict)  # facts for report.json

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that it computes."""
        return self.followers | self.bodies.keys()

    @property
    def headers(self) -> list[str]:
        """What model.cc includes."""
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
    """What the emitter writes for a program whose files go to `folder`; `apart`: node by node.

    Without an emitter, that of the kernels that were chosen. Raises KRN024, OPS061 and OPS071.
    """
    found = emitter or next((e for step in program.steps if (e := _of(step, ops))), None)
    if found is None:
        return NOTHING
    program = _read_only(program)
    segments = list(_segments(program, ops, found, apart=apart))
    calls = tuple(tuple(_call(program, step, ops) for step in each) for each in segments)
    place = (folder / found.backend).as_posix().removeprefix("./")
    part = Part(program, calls, place, devices)
    made, again = _checked(found, part), _checked(found, part)
    raise_all(_differences(found, made, again))
    names = [[step.node.name for step in each] for each in segments]
    return Written(
        {f"{found.backend}/{name}": made.files[name] for name in found.writes},
        {first: call for (first, *_), call in zip(names, made.calls, strict=True)},
        frozenset(name for _, *others in names for name in others),
        made.report,
    )


def _read_only(program: Program) -> Program:
    """The program, whose mappings its emitter cannot edit."""
    graph, proxy = program.graph, MappingProxyType
    plan = graph.plan
    assert plan is not None
    plan = replace(plan, placements=proxy(plan.placements), arenas=proxy(plan.arenas))
    graph = replace(graph, tensors=proxy(graph.tensors), plan=plan)
    steps = tuple(
        replace(step, tables=proxy(step.tables), states=proxy(step.states))
        for step in program.steps
    )
    return replace(program, graph=graph, steps=steps, constants=proxy(program.constants))


def _of(step: Step, ops: OpIndex) -> Emitter | None:
    return None if step.in_place else _kernel(step, ops).emitter


def _kernel(step: Step, ops: OpIndex) -> Kernel:
    return ops.kernel(step.instance.op, step.instance.types, step.instance.index)[1]


def _segments(
    program: Program, ops: OpIndex, emitter: Emitter, *, apart: bool
) -> Iterator[list[Step]]:
    """The runs of nodes that the backend computes, which those in place do not end."""
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


def _checked(emitter: Emitter, part: Part) -> Emitted:
    """What its function returns, once that is known to be right."""
    made = _made(emitter, part)
    raise_all(_problems(emitter, part, made))
    assert isinstance(made, Emitted)
    return made


def _made(emitter: Emitter, part: Part) -> Any:
    """What its function returns, which is the author's code."""
    emit = load_function(emitter.file, "emit", "KRN024")
    who = f"backend '{emitter.backend}'"
    try:
        with Running(running.CALLING_SECONDS, f"emit of {who}", str(emitter.file)):
            made = emit(part)
    except BaseException as error:
        if stops_us(error) or (isinstance(error, ToolchainError) and error.problems):
            raise
        fix = "correct it; for a program without nodes of the backend, part.segments is ()"
        raise failure(error, emitter.file, who, f"emit of {who}", fix) from error
    if inspect.iscoroutine(made):  # of an `async def`: Python would warn that nobody awaits it
        made.close()
        return type(made)
    return made


def _problems(emitter: Emitter, part: Part, made: Any) -> Iterator[Problem]:
    """What is wrong with a result. Codes KRN024."""

    def problem(what: str, fix: str) -> Problem:
        return Problem("KRN024", what, str(emitter.file), fix)

    if type(made) is Emitted and type(made.files) is not dict:
        yield problem(f"files= is a {type(made.files).__name__}", "return Emitted({name: text}, …)")
        return
    if type(made) is not Emitted:
        what = f"emit gives {shown(made)[:60]}, not Emitted(files, calls)"
        yield problem(what, "return Emitted({name: text}, calls)")
        return
    if odd := [name for name in made.files if type(name) is not str]:
        yield problem(f"{shown(odd[0])} is no name of a file", "return {name: text}")
        return
    for name in dict.fromkeys([*emitter.writes, *made.files]):
        if name not in made.files:
            yield problem(f"emit writes no {name}", "return every file that `emits` lists")
        elif name not in emitter.writes:
            what = f"emit writes {shown(name)}, which `emits` does not list"
            yield problem(what, "add it to `emits` in runtime.toml")
        elif not _can_be_written(made.files[name]):
            yield problem(f"{name} is no text, and no bytes", "return a str or bytes")
    calls = made.calls
    if type(calls) is not tuple or len(calls) != len(part.segments):
        what = f"emit gives {shown(calls)[:60]} for {len(part.segments)} segments"
        yield problem(what, "return a tuple with one statement for each segment")
    elif bad := [call for call in calls if not (type(call) is str and _is_statement(call))]:
        what = f"{shown(bad[0])[:60]} is no statement on one line"
        yield problem(what, 'return C++ such as "vendor::run(0);"')
    if type(made.report) is not dict or not _is_json(made.report):
        what = f"report= is {shown(made.report)[:60]}, which JSON cannot hold"
        yield problem(what, "use dicts with texts as keys, lists, texts, whole numbers and floats")


def _differences(emitter: Emitter, made: Emitted, again: Emitted) -> Iterator[Problem]:
    """What an emitter does not write again for the same program. Codes KRN024."""
    differs = [name for name in emitter.writes if made.files[name] != again.files[name]]
    differs += ["calls"] if made.calls != again.calls else []
    differs += ["report"] if made.report != again.report else []
    for name in differs:
        what = f"emit gives other contents of {name} when it is called again"
        fix = "let it depend on nothing but the program and files of its folder"
        yield Problem("KRN024", what, str(emitter.file), fix)


def _can_be_written(content: Any) -> bool:
    if type(content) is not str:
        return type(content) is bytes
    try:
        content.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(value: Any) -> bool:
    """Whether JSON gives it back as it is."""
    try:
        text = json.dumps(value, allow_nan=False)
        return bool(json.loads(text) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def _is_statement(text: str) -> bool:
    return text.isprintable() and text.endswith((";", "}")) and "//" not in text
