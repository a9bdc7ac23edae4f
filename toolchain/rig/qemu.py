"""QEMU as a board on a desk: its UART is a pty, and it starts only once we listen."""

from __future__ import annotations

import json
import os
import select
import shutil
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolchain.errors import ToolchainError
from toolchain.rig.channel import DescriptorChannel, Ended
from toolchain.rig.child import Child, running

PROGRAM = "qemu-system-arm"
_START_SECONDS = 30.0
# A UART takes one byte, and QEMU would wait for the guest to read it before it fetches the next. A
# multiplexer keeps 32: a quarter of the time. No byte is its escape character.
_CONSOLE = ["-chardev", "pty,id=console,mux=on", "-serial", "chardev:console", "-echr", "0x100"]


@contextmanager
def emulated(elf: Path, machine: str, options: Sequence[str] = ()) -> Iterator[DescriptorChannel]:
    """A channel to the UART of a machine that runs elf; options are more of QEMU's."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise ToolchainError.of(
            "RIG003",
            f"{PROGRAM} is not installed",
            where="PATH",
            fix="apt-get install qemu-system-arm",
        )
    # No semihosting: what faults must tell so over the console, as on a board without debugger.
    # QEMU looks once a second who listens on a pty, and when it makes its devices: listen before.
    machine_options = ["-M", machine, "-kernel", str(elf), "-S", "--preconfig"]
    quiet = ["-display", "none", "-nic", "none", "-monitor", "none"]
    command = [program, *machine_options, *quiet, *_CONSOLE, "-qmp", "stdio", *options]
    with running(command) as child:
        descriptor = -1
        try:
            control = _Control(child)
            descriptor = _open_pty(control)
            control.execute("x-exit-preconfig")
            control.execute("cont")
        except (Ended, OSError) as error:
            if descriptor >= 0:
                os.close(descriptor)
            raise ToolchainError.of(
                "RIG004",
                f"QEMU does not start: {error}",
                where=" ".join(command),
                fix="run this command by hand; QEMU 7.2 or later has these machines",
            ) from error
        try:
            yield DescriptorChannel(f"QEMU {machine}", descriptor, descriptor, child.ending)
        finally:
            os.close(descriptor)


def _open_pty(control: _Control) -> int:
    """The descriptor of the console's pty, raw and not blocking."""
    devices = control.execute("query-chardev")
    names = [str(device["filename"]) for device in devices if device["label"] == "console-base"]
    if not names or not names[0].startswith("pty:"):
        raise Ended(f"it gave no pty but {names}")
    path = names[0].removeprefix("pty:")
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(descriptor)
    return descriptor


class _Control:
    """QEMU's machine protocol (QMP) over the child's stdin and stdout."""

    def __init__(self, child: Child):
        assert child.process.stdin, "a pipe"
        assert child.process.stdout, "a pipe"
        self._child = child
        self._writes = child.process.stdin
        self._reads = child.process.stdout.fileno()
        self._buffer = b""
        self._deadline = time.monotonic() + _START_SECONDS
        self._answer("QMP")
        self.execute("qmp_capabilities")

    def execute(self, command: str) -> Any:
        """What the command returns; raises Ended when QEMU ends, refuses or keeps silent."""
        self._writes.write(json.dumps({"execute": command}).encode() + b"\n")
        self._writes.flush()
        return self._answer("return")

    def _answer(self, key: str) -> Any:
        """The value under key of the next message that has it; events are passed over."""
        while True:
            message = self._message()
            if "error" in message:
                raise Ended(str(message["error"]))
            if key in message:
                return message[key]

    def _message(self) -> dict[str, Any]:
        while True:
            line, found, rest = self._buffer.partition(b"\n")
            if not found:
                self._fill()
                continue
            self._buffer = rest
            if line.startswith(b"{"):  # "char device redirected to …" comes over stdout as well
                message: dict[str, Any] = json.loads(line)
                return message

    def _fill(self) -> None:
        wait = max(0.0, self._deadline - time.monotonic())
        if not select.select([self._reads], [], [], wait)[0]:
            raise Ended(f"no answer within {_START_SECONDS:.0f} s")
        data = os.read(self._reads, 65536)
        if not data:
            raise Ended(self._child.ending())
        self._buffer += data
