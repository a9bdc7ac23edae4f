"""QEMU in place of a board: its UART is a pty, and it starts only once the host listens."""

import json
import os
import select
import shlex
import termios
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.child import Ended, running
from opsmith.errors import ToolchainError
from opsmith.rig.channel import DescriptorChannel
from opsmith.rig.fault import LOCKUP
from opsmith.text import escaped, excerpt

_MOST_BYTES = 1 << 20  # limit of QEMU's output before it runs; usual are 1,000 bytes

_START_SECONDS = 30.0
# QEMU passes one byte to a UART, and waits until the guest has read it. A multiplexer buffers 32,
# which takes a quarter of the time; its escape character is set to no byte.
_CONSOLE = ["-chardev", "pty,id=console,mux=on", "-serial", "chardev:console", "-echr", "0x100"]


@contextmanager
def emulated(
    architecture: Architecture,
    elf: Path,
    machine: str,
    options: Sequence[str] = (),
    seconds: float = _START_SECONDS,
) -> Iterator[DescriptorChannel]:
    """Channel to the UART of a machine that runs `elf`, with more options for QEMU.

    QEMU has `seconds` to start.
    """
    emulator = architecture.emulator
    assert emulator is not None, "the manifest of a board that QEMU plays has one"
    program = emulator.find()
    if program is None:
        raise missing_program("RIG003", emulator.program, architecture.packages)
    # No semihosting: faults are reported over the console, as on a board without a debugger. QEMU
    # checks for listeners on a pty once a second and when it creates devices: listen before that.
    machine_options = ["-M", machine, "-kernel", str(elf), "-S", "--preconfig"]
    quiet = ["-display", "none", "-nic", "none", "-monitor", "none"]
    command = [program, *machine_options, *quiet, *_CONSOLE, "-qmp", "stdio"]
    command += [*emulator.options, *options]
    try:
        with ExitStack() as stack:
            channel = _listening(stack, command, machine, seconds)
            started = stack.pop_all()
    except (Ended, OSError) as error:
        fix = "run this command by hand; QEMU 7.2 or later has these machines"
        if "unsupported machine type" in str(error):
            fix = f"correct run.qemu.machine of board.toml: `{program} -machine help` lists them"
        what, where = f"QEMU does not start: {error}", escaped(shlex.join(command))
        raise ToolchainError.of("RIG004", what, where=where, fix=fix) from error
    with started:
        yield channel


def _listening(
    stack: ExitStack, command: Sequence[str], machine: str, seconds: float
) -> DescriptorChannel:
    """Return the console of a QEMU that has just started; the stack ends the process."""
    child = stack.enter_context(running(command))
    assert child.process.stdin, "a pipe"
    assert child.process.stdout, "a pipe"
    reads, writes = child.process.stdout.fileno(), child.process.stdin.fileno()
    control = Control(reads, writes, child.ending, seconds)
    descriptor = stack.enter_context(terminal(control.console()))
    control.execute("x-exit-preconfig")
    try:
        control.execute("cont")
    except Ended as ended:  # maybe the program ended QEMU before it could answer
        programs = "-semihosting-config" in command or LOCKUP in str(ended)
        if not programs or child.process.poll() is None:
            raise
    return DescriptorChannel(f"QEMU {machine}", descriptor, descriptor, child.ending)


@contextmanager
def terminal(path: str) -> Iterator[int]:
    """Descriptor of a pty, raw and non-blocking. Raises RIG043."""
    descriptor = -1
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        tty.setraw(descriptor)
    except (OSError, ValueError, termios.error) as error:
        if descriptor >= 0:
            os.close(descriptor)
        reason = error.args[-1] if error.args else error
        raise ToolchainError.of(
            "RIG043",
            f"QEMU's console is not a terminal that can be used: {reason}",
            where=escaped(path)[:200],
            fix="see which program of QEMU is first on the PATH, and that /dev/pts is mounted",
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Control:
    """QEMU's machine protocol, QMP, over two descriptors. Unintelligible replies raise RIG042."""

    def __init__(self, reads: int, writes: int, ending: Callable[[], str], seconds: float):
        self._reads, self._writes, self._ending = reads, writes, ending
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._lines: deque[bytes] = deque()
        self._buffer = b""
        self._received = 0
        self._answer("QMP")
        self.execute("qmp_capabilities")

    def execute(self, command: str) -> Any:
        """Return the result of a command. Raises Ended when QEMU ends, refuses or is silent."""
        try:
            os.write(self._writes, json.dumps({"execute": command}).encode() + b"\n")
        except OSError as error:
            raise Ended(self._ending()) from error
        return self._answer("return")

    def console(self) -> str:
        """Return the path of the pty that is the console."""
        devices = self.execute("query-chardev")
        listed = devices if isinstance(devices, list) else []
        names = [
            device.get("filename")
            for device in listed
            if isinstance(device, dict) and device.get("label") == "console-base"
        ]
        name = names[0] if names else None
        if not isinstance(name, str) or not name.startswith("pty:"):
            raise _garbled(f"the console is no pty but {names}")
        return name.removeprefix("pty:")

    def _answer(self, key: str) -> Any:
        """Return the value under `key` of the next message that has the key; events are skipped."""
        while True:
            message = self._message()
            if "error" in message:
                raise Ended(excerpt(str(message["error"])))
            if key in message:
                return message[key]

    def _message(self) -> dict[str, Any]:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if line.startswith(b"{"):  # "char device redirected to …" comes over stdout as well
                    return _parsed(line)
            self._fill()

    def _fill(self) -> None:
        wait = self._deadline - time.monotonic()
        if wait <= 0 or not select.select([self._reads], [], [], wait)[0]:
            raise Ended(f"no answer within {self._seconds:g} s")
        data = os.read(self._reads, 65536)
        if not data:
            raise Ended(self._ending())
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._lines += lines
        self._received += len(data)
        if self._received > _MOST_BYTES:
            raise _garbled(f"more than {_MOST_BYTES:,} bytes, at last {excerpt(data[-80:])}")


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _garbled(excerpt(line[:80])) from error
    assert isinstance(message, dict), "JSON that starts with {"
    return message


def _garbled(what: str) -> ToolchainError:
    return ToolchainError.of(
        "RIG042",
        f"QEMU's answer does not follow its machine protocol, QMP: {excerpt(what, 400)}",
        where="QEMU's standard output",
        fix="see which program of QEMU is first on the PATH; a wrapper may print nothing there",
    )
