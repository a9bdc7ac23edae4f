"""Run the emitter of a backend: it writes what computes the nodes that its kernels were chosen for.

model.cc calls a function for each of its segments, which is called like the instance of the first
node, so that whatever looks for the functions of nodes finds it. Its body is what emit() returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolchain import running
from toolchain.board.runtime import Emitter
from toolchain.contract.bind import params_struct
from toolchain.contract.literals import initializer
from toolchain.emit.operands import operands
from toolchain.errors import Problem, ToolchainError, raise_all, shown
from toolchain.ir.program import Program, Step
from toolchain.modules import load_function
from toolchain.op.discover import OpIndex
from toolchain.op.emitter import Call, Emitted, Part
from toolchain.op.kernel import Kernel
from toolchain.op.traces import failure
from toolchain.running import Running, stops_us


@dataclass(frozen=True)
class Written:
    """What an emitter wrote; nothing where the program's runtime has none."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)  # by path below the model's
    bodies: Mapping[str, str] = field(default_factory=dict)  # node that begins a segment -> C++
    followers: frozenset[str] = frozenset()  # nodes that the call before them computes, too

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
    *,
    apart: bool = False,
) -> Written:
    """What the emitter writes for a program whose files go to `folder`; `apart`: node by node.

    Without an emitter, that of the kernels that were chosen. Raises KRN024, OPS061 and OPS071.
    """
    found = emitter or next((e for step in program.steps if (e := _of(step, ops))), None)
    if found is None:
        return NOTHING
    segments = list(_segments(program, ops, apart=apart))
    calls = tuple(tuple(_call(program, step, ops) for step in each) for each in segments)
    part = Part(program, calls, (folder / found.backend).as_posix().removeprefix("./"))
    made = _made(found, part)
    raise_all(_problems(found, part, made))
    assert isinstance(made, Emitted)
    names = [[step.node.name for step in each] for each in segments]
    return Written(
        {f"{found.backend}/{name}": made.files[name] for name in found.writes},
        {first: call for (first, *_), call in zip(names, made.calls, strict=True)},
        frozenset(name for _, *others in names for name in others),
    )


def _of(step: Step, ops: OpIndex) -> Emitter | None:
    return None if step.in_place else _kernel(step, ops).emitter


def _kernel(step: Step, ops: OpIndex) -> Kernel:
    return ops.kernel(step.instance.op, step.instance.types, step.instance.index)[1]


def _segments(program: Program, ops: OpIndex, *, apart: bool) -> Iterator[list[Step]]:
    """The runs of nodes that the backend computes, which those in place do not end."""
    apart = apart or program.stepwise or program.guards or program.graph.stream is not None
    run: list[Step] = []
    for step in (each for each in program.steps if not each.in_place):
        ours = _of(step, ops) is not None
        if run and (apart or not ours):
            yield run
            run = []
        run += [step] if ours else []
    if run:
        yield run


def _call(program: Program, step: Step, ops: OpIndex) -> Call:
    op, kernel = ops.kernel(step.instance.op, step.instance.types, step.instance.index)
    given, struct = tuple(operands(program, step, ops)), params_struct(op, kernel)
    return Call(step, kernel, struct, initializer(step.params), given)


def _made(emitter: Emitter, part: Part) -> Any:
    """What its function returns, which is the author's code."""
    emit = load_function(emitter.file, "emit", "KRN024")
    who = f"backend '{emitter.backend}'"
    try:
        with Running(running.CALLING_SECONDS, f"emit of {who}", str(emitter.file)):
            return emit(part)
    except BaseException as error:
        if stops_us(error) or (isinstance(error, ToolchainError) and error.problems):
            raise
        raise failure(error, emitter.file, who, f"emit of {who}") from error


def _problems(emitter: Emitter, part: Part, made: Any) -> Iterator[Problem]:
    """What is wrong with a result. Codes KRN024."""

    def problem(what: str, fix: str) -> Problem:
        return Problem("KRN024", what, str(emitter.file), fix)

    if type(made) is not Emitted or not isinstance(made.files, Mapping):
        what = f"emit gives {shown(made)[:60]}, not Emitted(files, calls)"
        yield problem(what, "return Emitted({name: text}, calls)")
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
    if not isinstance(calls, tuple) or len(calls) != len(part.segments):
        what = f"emit gives {shown(calls)[:60]} for {len(part.segments)} segments"
        yield problem(what, "return a tuple with one statement for each segment")
    elif bad := [call for call in calls if not (isinstance(call, str) and _is_statement(call))]:
        what = f"{shown(bad[0])[:60]} is no statement on one line"
        yield problem(what, 'return C++ such as "vendor::run(0);"')


def _can_be_written(content: Any) -> bool:
    if type(content) is not str:
        return type(content) is bytes
    try:
        content.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_statement(text: str) -> bool:
    return text.isprintable() and text.endswith((";", "}")) and "//" not in text
