"""Rig: anything that runs a firmware, as a function from arrays to arrays."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError
from opsmith.oracle.deadline import INVOKE, Deadline, check_timeout
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, LinkedFirmware, load_build, load_report
from opsmith.rig.channel import Channel
from opsmith.rig.fault import decoder_of
from opsmith.rig.fill import Fill
from opsmith.rig.lock import held
from opsmith.rig.phases import COLLECT, LOAD, RUN, Phases
from opsmith.rig.place import ALWAYS, ANYWHERE, Place, RunRequest, Where, find_places
from opsmith.rig.protocol import Overrun, Session
from opsmith.rig.recognition import ExpectedFirmware
from opsmith.rig.start import Start
from opsmith.text import escaped


class Rig:
    """A running firmware: `title` names its target, `cycles` is the time of the last invoke."""

    def __init__(
        self,
        build: Build,
        session: Session,
        title: str,
        deadline: Deadline | None = None,
        phases: Phases | None = None,
    ):
        self.build = build
        self.title = title
        self.cycles = 0
        self._session = session
        self._deadline = deadline
        self._phases = phases or Phases()
        self._check()

    def invoke(self, inputs: Sequence[Array | Fill]) -> list[Array]:
        """Return the model's outputs for given inputs.

        Inputs of one repeated byte, or of two alternating ones, do not cross the console; nor do
        Fills.
        """
        self.write(inputs)
        return self.step(range(len(self.build.outputs)))

    def write(self, inputs: Sequence[Array | Fill]) -> None:
        """Fill the model's inputs."""
        expanded = [
            given.array(tensor) if isinstance(given, Fill) else given
            for given, tensor in zip(inputs, self.build.inputs, strict=False)
        ]
        checked = arrays.check(expanded, self.build.inputs, "the inputs")
        with self._phases.phase(LOAD, self._session.transfer(self.build.inputs)):
            for index, (given, array) in enumerate(zip(inputs, checked, strict=True)):
                data = arrays.to_bytes(array)
                fill = given if isinstance(given, Fill) else Fill.of(data)
                if fill is not None:
                    self._session.fill(index, fill.start, fill.multiplier, fill.increment)
                else:
                    self._session.write(index, data)

    def step(self, outputs: Sequence[int]) -> list[Array]:
        """Outputs, by their numbers, after one call of invoke() on inputs already written."""
        seconds = None if self._deadline is None else self._deadline.invoke()
        with self._phases.phase(RUN, seconds or self._session.patience.invoke):
            try:
                self.cycles = self._session.invoke(seconds)
            except Overrun as overrun:
                raise self._overrun(overrun) from None
        tensors = [(index, self.build.outputs[index]) for index in outputs]
        with self._phases.phase(COLLECT, self._session.transfer(self.build.outputs)):
            return [
                arrays.from_bytes(self._session.read(index, tensor.bytes), tensor)
                for index, tensor in tensors
            ]

    def stack(self) -> tuple[int, int]:
        """Return the high-water mark of the stack and its size in bytes; 0, 0 on the host."""
        return self._session.stack()

    def _check(self) -> None:
        """Raise unless the running firmware is the one of the build."""
        firmware = self._session.firmware
        ExpectedFirmware(self.build, self.title).check(firmware)
        for kind, found, built in (
            ("inputs", firmware.inputs, self.build.inputs),
            ("outputs", firmware.outputs, self.build.outputs),
        ):
            expected = tuple(tensor.bytes for tensor in built)
            if found != expected:
                self._refuse(f"has {kind} of {list(found)} bytes, not {list(expected)}")

    def _overrun(self, overrun: Overrun) -> ToolchainError:
        """Return the error that names the node, its kernel and the overwritten bytes."""
        try:
            node = load_report(self.build.folder)["nodes"][overrun.node]
            kept = node["keeps"][overrun.range]
        except (LookupError, TypeError):
            self._refuse(f"names node {overrun.node} and range {overrun.range}, which are not")
        last = kept["offset"] + kept["bytes"] - 1
        place = escaped(f"the arena in {kept['memory']}, {kept['what']}")
        return ToolchainError.of(
            "RIG018",
            f"node {overrun.node}, {described(node)}, changed "
            f"bytes {kept['offset']} to {last} of {place}",
            where=escaped(self.title),
            fix="correct the kernel: it writes outside of its outputs and scratch buffers",
        )

    def _refuse(self, what: str) -> NoReturn:
        raise ToolchainError.of(
            "RIG010",
            f"the firmware {what}",
            where=escaped(self.title),
            fix="build and flash it again",
        )


@contextmanager
def open_rig(
    build_dir: Path,
    board: Board,
    *,
    where: Where = ANYWHERE,
    invoke_timeout: float = INVOKE,
    deadline: Deadline | None = None,
    emulator_options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    phases: Phases | None = None,
) -> Iterator[Rig]:
    """Start the firmware of build_dir: on the host, in QEMU, on a connected board, or at the place
    that `where` names.

    `deadline`, if given, limits each invoke in place of `invoke_timeout`. A program on the host
    gets the variables of `environment` in addition to those of this process.
    """
    check_timeout(invoke_timeout)
    build = load_build(build_dir)
    asked = RunRequest(build, board, "", emulator_options, environment or {})
    of = deadline, invoke_timeout, phases or Phases()
    with started(build, board, find_places(asked, where), where, *of) as rig:
        yield rig


@contextmanager
def started(
    build: Build,
    board: Board,
    places: Sequence[Place],
    where: Where = ANYWHERE,
    deadline: Deadline | None = None,
    invoke_timeout: float = INVOKE,
    phases: Phases | None = None,
) -> Iterator[Rig]:
    """Lock the first place that is free, and start the firmware of a build there."""
    decoder = decoder_of(board.core.architecture, str(build.elf))
    phases, always = phases or Phases(), where.flash == ALWAYS
    with held(*(each.locks() for each in places), wait=where.wait) as chosen:
        start = Start(build, places[chosen], decoder, phases, invoke_timeout, always)
        with start.session() as (session, title):
            yield Rig(build, session, title, deadline, phases)


def described(node: Mapping[str, Any]) -> str:
    """Description of a node of a report, for a message."""
    return escaped(f"{node.get('op')} by {node.get('kernel')} ({node.get('source')})")


def require_stepwise(report: Mapping[str, Any], folder: Path, target: str) -> None:
    """Raise unless the firmware runs one node per call, as `scons … <target>` builds it."""
    if not report.get("stepwise"):
        what, fix = "the build runs all nodes in one call", f"build it by scons … {target}"
        raise ToolchainError.of("RIG016", what, where=escaped(str(folder)), fix=fix)


@contextmanager
def open_channel(
    build: LinkedFirmware,
    board: Board,
    where: Where = ANYWHERE,
    emulator_options: Sequence[str] = (),
) -> Iterator[Channel]:
    """Channel to the console of a build's firmware, of any application, which is started."""
    asked = RunRequest(build, board, "", emulator_options)
    places = find_places(asked, where)
    with (
        held(*(each.locks() for each in places), wait=where.wait) as chosen,
        places[chosen].console() as channel,
    ):
        if places[chosen].attached:
            places[chosen].flash()
        yield channel
