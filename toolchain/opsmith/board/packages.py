"""Debian packages that contain a program or file, for errors about a missing one."""

from collections.abc import Sequence
from pathlib import Path

from opsmith.board.architecture import OPTIONAL
from opsmith.errors import ToolchainError
from opsmith.home import HOME, INSTALLED, doctor


def missing_program(code: str, program: str, lists: Sequence[Path]) -> ToolchainError:
    """Error for a program, or a file, that is not installed, with the command that installs it."""
    found = _entry(program, lists)
    package, listed = found if found else (program, lists[-1])
    install = f"sudo apt-get install -y --no-install-recommends {package}"
    bootstrap = "./bootstrap --all" if listed.name == OPTIONAL else "./bootstrap"
    ours = not INSTALLED and listed.resolve().is_relative_to(HOME)  # bootstrap installs from it
    fix = f"run {bootstrap}, or: {install}" if ours else f"run: {install}"
    return ToolchainError.of(
        code,
        f"{program} is not installed",
        where="/" if program.startswith("/") else "PATH",
        fix=f"{fix}; {doctor()} says what else is missing",
    )


def _entry(program: str, lists: Sequence[Path]) -> tuple[str, Path] | None:
    """Package that contains a program, and the list of packages that names it."""
    for path in lists:
        for line in path.read_text(encoding="utf-8").splitlines():
            package, _, probe = line.partition("|")
            if not line.startswith("#") and program in probe:
                return package.strip(), path
    return None
