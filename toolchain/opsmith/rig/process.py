"""The rig of hosted boards: the firmware is a process that communicates over stdin and stdout."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
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
    """A channel to the started program, which an emulator runs where need be; `environment` has
    variables that it gets besides ours. Raises RIG003.
    """
    emulator = architecture.process_emulator
    before: list[str] = []
    if emulator is not None:
        found = emulator.find()
        if found is None:
            raise missing_program("RIG003", emulator.program, architecture.packages)
        before = [found, *emulator.options]
    with ExitStack() as stack:
        try:
            child = stack.enter_context(running([*before, str(program.resolve())], environment))
        except (Ended, OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise ToolchainError.of(
                "RIG004",
                f"the program does not start: {error}",
                where=escaped(str(program)),
                fix="build it again",
            ) from error
        stdin, stdout = child.process.stdin, child.process.stdout
        assert stdin, "a pipe"
        assert stdout, "a pipe"
        os.set_blocking(stdin.fileno(), False)
        title = emulator.program if emulator else "host"
        yield DescriptorChannel(title, stdout.fileno(), stdin.fileno(), child.ending)
