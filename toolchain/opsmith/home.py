"""Place of Opsmith, and of the ops, boards and runtimes that it ships.

In a checkout these lie beside `toolchain/`; an installed Opsmith has them in a folder of its
package, which nothing writes to. Python imports `runtimes` from there, by the path of each file.

A project's root is the folder of its SConstruct in both cases, and nothing is written outside it.
Objects are those of a checkout, byte by byte: names of shipped files are mapped to what they are
below `HOME` (`prefix_maps`).
"""

import shlex
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PACKAGES = PACKAGE.parent  # folder from which this package is imported
INSTALLED = (PACKAGE / "shipped").is_dir()
HOME = PACKAGE / "shipped" if INSTALLED else PACKAGES.parent
RUNTIMES = HOME / "runtimes"

# Folders of the package that take no part in making products: edits there do not remake anything.
# Folders that come with the package count by themselves.
_APART = "export matrix ninja oracle prepare rig scaffold scons shipped steps testing"
APART = tuple(_APART.split())
LOCK = PACKAGE / "requirements.lock"
# Remedies for missing packages and programs.
GET_PACKAGES = "run: pip install 'opsmith[test]'" if INSTALLED else "run ./bootstrap"
GET_PROGRAMS = "install it" if INSTALLED else "run ./bootstrap"
_SHIPPED = (PACKAGE, HOME / "boards", HOME / "ops", RUNTIMES)


def shipped(place: str) -> Path:
    """Path of a folder that Opsmith ships, such as "ops": relative if the current folder is
    Opsmith's own, else absolute.
    """
    return Path(place) if Path.cwd() == HOME else HOME / place


def with_our_pip(command: str) -> str:
    """Command that installs a program; if it is pip's, by the pip beside Opsmith's Python, where
    programs are looked for, and which Debian lets install packages.
    """
    ours = command.startswith("pip ") and not INSTALLED
    return f"{shlex.quote(str(shipped('.venv/bin')))}/{command}" if ours else command


def doctor() -> str:
    """Command that lists the tools that this machine lacks."""
    return f"{'opsmith' if INSTALLED else shlex.quote(str(shipped('.venv/bin/opsmith')))} doctor"


def is_from_elsewhere(full: Path) -> bool:
    """True where a resolved path is in an Opsmith other than the project in this folder, even if
    that Opsmith is installed below the folder.
    """
    return Path.cwd() != HOME and any(full.is_relative_to(place) for place in _SHIPPED)
