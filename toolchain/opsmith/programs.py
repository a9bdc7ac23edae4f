"""Programs that users install: in PATH, or beside Python, where pip puts scripts."""

import shutil
import sys
from pathlib import Path


def find_program(name: str) -> str | None:
    """Path of an installed program; None if the program is missing."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
