"""Failures that op tests report without the frames of the harness, which say nothing about an op.

pytest leaves out the frames of modules that have `__tracebackhide__ = hides`, where an assertion
failed; `--full-trace` shows them.
"""

import subprocess
from collections.abc import Sequence
from operator import methodcaller

hides = methodcaller("errisinstance", AssertionError)
__tracebackhide__ = hides


def cause(error: BaseException) -> str:
    """Lines of a failure that name an error or a memory's overflow; all of it where none does."""
    named = ("error", "overflowed")
    lines = [line for line in str(error).splitlines() if any(word in line for word in named)]
    return "\n".join(lines) or str(error)


def run_compiler(command: Sequence[str]) -> None:
    """Run a compiler or linker. Fails with its messages, followed by its command."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"it does not compile:\n{done.stderr}by: {' '.join(command)}")
