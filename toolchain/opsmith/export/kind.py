"""Kinds of exports: each is a folder of kinds/, with a kind.toml and templates of its files."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

KINDS = Path(__file__).with_name("kinds")
MANIFEST, TEMPLATE = "kind.toml", ".in"
EXPRESSIONS = ("options", "pragmas")


@dataclass(frozen=True)
class ExportKind:
    """A kind of export: the content of its kind.toml, and the folder of its templates."""

    folder: Path
    title: str
    headers: str  # folder for public headers
    sources: str  # folder for all other files
    include: str  # header for programs to include
    suffix: str  # suffix of source files
    flags: str  # how the compiler gets flags: 'options' of the build, or 'pragmas' in sources
    libraries: bool = False  # True: the export can be linked with archives

    @property
    def name(self) -> str:
        """Name of the kind on the command line."""
        return self.folder.name

    @property
    def templates(self) -> dict[str, str]:
        """Text of each template by the path of the file that is made of it."""
        found = sorted(self.folder.rglob(f"*{TEMPLATE}"))
        names = (each.relative_to(self.folder).as_posix() for each in found)
        return {
            name.removesuffix(TEMPLATE): file.read_text(encoding="utf-8")
            for name, file in zip(names, found, strict=True)
        }


@cache
def kinds() -> dict[str, ExportKind]:
    """Kinds of exports by name."""
    return {file.parent.name: _kind(file) for file in sorted(KINDS.glob(f"*/{MANIFEST}"))}


def _kind(file: Path) -> ExportKind:
    found = ExportKind(file.parent, **tomllib.loads(file.read_text(encoding="utf-8")))
    assert found.flags in EXPRESSIONS, file
    return found
