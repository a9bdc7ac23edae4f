"""The host's rig: the firmware is a native program that talks over its stdin and stdout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolchain.errors import ToolchainError
from toolchain.rig.channel import DescriptorChannel
from toolchain.rig.child import running


@contextmanager
def native(program: Path) -> Iterator[DescriptorChannel]:
    """A channel to the started program."""
    try:
        with running([str(program.resolve())]) as child:
            stdin, stdout = child.process.stdin, child.process.stdout
            assert stdin, "a pipe"
            assert stdout, "a pipe"
            yield DescriptorChannel("host", stdout.fileno(), stdin.fileno(), child.ending)
    except OSError as error:
        raise ToolchainError.of(
            "RIG004",
            f"the program does not start: {error}",
            where=str(program),
            fix="build it again",
        ) from error
