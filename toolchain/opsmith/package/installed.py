"""The files that say which packages were installed for a build, and what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError

FACTS = "packages.json"  # what the packages are
COMPILE, LINK = "compile.txt", "link.txt"  # what compiler and linker are given, by `@`
LOCK = "conan.lock"  # the revisions that were taken
_ADDRESS = re.compile(r"https?://[!-~]+")


def read_facts(file: Path) -> list[Mapping[str, Any]]:
    """The packages. Raises BLD022 for a file that cannot be read."""
    try:
        return list(json.loads(file.read_text(encoding="utf-8"))["packages"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        what, fix = f"cannot be read: {error}", "delete it and build again"
        raise ToolchainError.of("BLD022", what, where=str(file), fix=fix) from None


def is_address(source: str) -> bool:
    """Whether a source of packages is the address of a remote, rather than a folder."""
    return _ADDRESS.fullmatch(source) is not None
