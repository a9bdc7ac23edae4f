"""Files of a checkout that are in the wheel and in the sdist, and their places there."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "toolchain/opsmith"
SHIPPED = (
    "LICENSE",
    "SConstruct",
    "boards",
    "ops",
    "runtimes",
)  # of the root, for the package's folder
BESIDE = ("CHANGELOG.md", "README.md", "bootstrap", "pyproject.toml", "toolchain")


@dataclass(frozen=True, order=True)
class MemberContent:
    """Content, permissions and link target of an archive member."""

    data: bytes
    mode: int = 0o644
    link: str = ""  # where a symbolic link leads


def packed(root: Path) -> Iterator[tuple[str, MemberContent]]:
    """The members of the wheel by name, all in the package's folder: links are left out, since
    what they lead to is there itself.
    """
    roots = [("opsmith", root / PACKAGE), *((f"opsmith/{name}", root / name) for name in SHIPPED)]
    for name, place in roots:
        yield from ((each, found) for each, found in _below(name, place) if not found.link)


def sources(root: Path) -> Iterator[tuple[str, MemberContent]]:
    """The members of the sdist by name, which are laid out as in the checkout."""
    for name in (*SHIPPED, *BESIDE):
        yield from _below(name, root / name)


def _below(name: str, path: Path) -> Iterator[tuple[str, MemberContent]]:
    """The file, or those of the folder, without bytecode and what is hidden."""
    if path.is_symlink():
        yield name, MemberContent(b"", 0o777, os.readlink(path))
    elif path.is_dir():
        for each in path.iterdir():
            if each.name[0] != "." and each.name != "__pycache__" and each.suffix != ".egg-info":
                yield from _below(f"{name}/{each.name}", each)
    elif path.suffix != ".pyc":
        runs = path.stat().st_mode & stat.S_IXUSR
        yield name, MemberContent(path.read_bytes(), 0o755 if runs else 0o644)
