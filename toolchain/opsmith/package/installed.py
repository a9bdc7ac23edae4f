"""Files with facts about the packages that were installed for a build."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_text

FACTS = "packages.json"  # file that describes the packages
COMPILE, LINK = "compile.txt", "link.txt"  # arguments of compiler and linker, as `@` files
LOCK = "conan.lock"  # file of the revisions used
_MOST_BYTES = 16 << 20
_SAID = frozenset(
    """name version revision package_id package_revision license includes archives licenses defines
    flags libs system_libs""".split()
)
_ADDRESS = re.compile(r"https?://[!-~]+")


def read_facts(file: Path) -> list[Mapping[str, Any]]:
    """Facts about each installed package. Raises BLD022 for an unreadable file."""
    why = "it does not say what packages are"
    try:
        match json.loads(read_text(file, _MOST_BYTES)):
            case {"packages": list(found)} if all(map(_is_package, found)):
                return found
    except (UnreadableError, ValueError, RecursionError) as error:
        why = str(error)
    what, fix = f"cannot be read: {why}", "delete it and build again"
    raise ToolchainError.of("BLD022", what, where=str(file), fix=fix)


def _is_package(said: object) -> bool:
    return isinstance(said, dict) and said.keys() >= _SAID


def is_address(source: str) -> bool:
    """True if a source of packages is the address of a remote, rather than a folder."""
    return _ADDRESS.fullmatch(source) is not None
