"""QEMU in place of a board: its UART is a pty, and it starts only once we listen."""

import os
import shlex
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.child import Ended, running
from opsmith.errors import ToolchainError
from opsmith.rig.channel import DescriptorChannel
from opsmith.rig.qmp import Control
from opsmith.text import escaped

_START_SECONDS = 30.0
# A UART takes one byte, and QEMU would wait for the guest to read it before it fetches the next. A
# multiplexer keeps 32: a quarter of the time. No byte is its escape character.
_CONSOLE = ["-chardev", "pty,id=console,mux=on", "-serial", "chardev:console", "-echr", "0x100"]


@contextmanager
def emulated(
    architecture: Architecture,
    elf: Path,
    machine: str,
    options: Sequence[str] = (),
    seconds: float = _START_SECONDS,
) -> Iterator[DescriptorChannel]:
    """Open a channel to the UART of a machine that runs `elf`, with more options for QEMU.

    QEMU has this many seconds to start.
    """
    emulator = architecture.emulator
    assert emulator is not None, "the manifest of a board that QEMU plays has one"
    program = emulator.find()
    if program is None:
        raise missing_program("RIG003", emulator.program, architecture.packages)
    # No semihosting: what faults must tell so over the console, as on a board without debugger.
    # QEMU looks once a second who listens on a pty, and when it makes its devices: listen before.
    machine_options = ["-M", machine, "-kernel", str(elf), "-S", "--preconfig"]
    quiet = ["-display", "none", "-nic", "none", "-monitor", "none"]
    command = [program, *machine_options, *quiet, *_CONSOLE, "-qmp", "stdio"]
    command += [*emulator.options, *options]
    try:
        with ExitStack() as stack:
            channel = _listening(stack, command, machine, seconds)
            started = stack.pop_all()
    except (Ended, OSError) as error:
        raise ToolchainError.of(
            "RIG004",
            f"QEMU does not start: {error}",
            where=escaped(shlex.join(command)),
            fix="run this command by hand; QEMU 7.2 or later has these machines",
        ) from error
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
    except Ended:
        over = "-semihosting-config" in command and child.process.poll() is not None
        if not over:  # else the program has ended QEMU before that could answer
            raise
    return DescriptorChannel(f"QEMU {machine}", descriptor, descriptor, child.ending)


@contextmanager
def terminal(path: str) -> Iterator[int]:
    """The descriptor of a pty, raw and not blocking. Raises RIG043."""
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
