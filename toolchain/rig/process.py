"""The host's rig: the firmware is a native program that communicates over stdin and stdout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from toolchain.errors import ToolchainError
from toolchain.rig.channel import DescriptorChannel, Ended
from toolchain.rig.child import running
from toolchain.rig.text import escaped


@contextmanager
def native(program: Path) -> Iterator[DescriptorChannel]:
    """A channel to the started program."""
    with ExitStack() as stack:
        try:
            child = stack.enter_context(running([str(program.resolve())]))
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
        yield DescriptorChannel("host", stdout.fileno(), stdin.fileno(), child.ending)
