"""Rig of hosted boards: the firmware is a process that communicates over stdin and stdout."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.child import Ended, running
from opsmith.errors import ToolchainError
from opsmith.rig.channel import DescriptorChannel
from opsmith.text import escaped


@contextmanager
def hosted(
    program: Path, architecture: Architecture, environment: Mapping[str, str] | None = None
) -> Iterator[DescriptorChannel]:
    """Channel to a program that is started, by an emulator if needed. `environment` has variables
    that are added to those of this process. Raises RIG003.
    """
    emulator = architecture.process_emulator
    before: list[str] = []
    if emulator is not None:
        found = emulator.find()
        if found is None:
            raise missing_program("RIG003", emulator.program, architecture.packages)
        before = [found, *emulator.options]
    title = emulator.program if emulator else "host"
    with started([*before, os.path.abspath(program)], title, str(program), environment) as channel:
        yield channel


@contextmanager
def started(
    command: Sequence[str],
    title: str,
    where: str,
    environment: Mapping[str, str] | None = None,
) -> Iterator[DescriptorChannel]:
    """Channel to the standard input and output of a command that is started. Raises RIG004."""
    with ExitStack() as stack:
        try:
            child = stack.enter_context(running(command, environment))
        except (Ended, OSError, ValueError) as error:  # ValueError: a NUL in the path
            what = f"the program does not start: {error}"
            fix = "build it again"
            raise ToolchainError.of("RIG004", what, where=escaped(where), fix=fix) from error
        stdin, stdout = child.process.stdin, child.process.stdout
        assert stdin, "a pipe"
        assert stdout, "a pipe"
        os.set_blocking(stdin.fileno(), False)
        yield DescriptorChannel(title, stdout.fileno(), stdin.fileno(), child.ending)
