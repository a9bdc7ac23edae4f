"""An export: the sources of a package, its licences, and what the tool reads, by path."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.export.example import example
from opsmith.export.kind import ExportKind
from opsmith.export.reading import Delivered
from opsmith.export.sources import Content, flags, placed, sources
from opsmith.export.template import Values, filled
from opsmith.package.description import Package
from opsmith.package.sources import PRIVATE
from opsmith.package.texts import GCC_ONLY

_LICENCES = re.compile(r"LICENSE|NOTICE|licenses/.*")
_NUMBERS = re.compile(r"\d+(\.\d+){0,2}", re.ASCII)
_ARCHIVES = re.compile(r"lib/[^/]+\.a")


def laid_out(delivered: Delivered, kind: ExportKind) -> dict[str, Content]:
    """Path -> content, in pieces. Raises BLD052, and BLD053 for a package that the kind cannot
    express.
    """
    package, files = delivered.package, delivered.files
    raise_all(_inexpressible(package, kind, str(delivered.folder)))
    # Only those of the description, whose form is checked: files may have any name.
    where_placed = placed(package, files, kind)
    values = _values(package, kind, sorted(where_placed[f"{PRIVATE}/{s}"] for s in package.sources))
    texts = {filled(path, values): filled(text, values) for path, text in kind.templates.items()}
    kept = ((path, [data]) for path, data in files.items() if _is_kept(path, kind))
    made = ((path, [text.encode()]) for path, text in texts.items())
    found: dict[str, Content] = {}
    for path, content in (*kept, *sources(delivered, kind), *made):
        if path in found:
            raise ToolchainError(delivered.wrong(path, "would be two files of the export"))
        found[path] = content
    folders = {str(folder) for path in found for folder in PurePosixPath(path).parents}
    raise_all(
        delivered.wrong(path, "would be a file and a folder of the export")
        for path in sorted(folders & found.keys())
    )
    return found


def _inexpressible(package: Package, kind: ExportKind, where: str) -> Iterator[Problem]:
    fix = "export another kind, such as cmake"
    if package.libraries and not kind.libraries:
        what = f"{kind.name} has no place for the libraries {' '.join(package.libraries)}"
        yield Problem("BLD053", what, where, f"{fix}, or build without libraries=")
    if not _NUMBERS.fullmatch(package.version):
        what = f"tools compare versions by numbers, and this package's is {package.version}"
        yield Problem("BLD053", what, where, "build it with a version like 1.0")
    if package.compile and kind.flags == "pragmas":
        needed = " ".join(package.compile)
        what = f"{kind.name} cannot give the compiler {needed}, without which bytes would differ"
        yield Problem("BLD053", what, where, fix)


def _is_kept(path: str, kind: ExportKind) -> bool:
    """True if this is in the export as it is in the package."""
    kept = _LICENCES.fullmatch(path) or (kind.libraries and _ARCHIVES.fullmatch(path))
    return bool(kept)


def _values(package: Package, kind: ExportKind, compiled: list[str]) -> Values:
    """Values that templates may name: a text, or a list for lines that repeat."""
    tools = package.compiler.removesuffix("g++")
    options = flags(package)
    values: Mapping[str, str | list[str]] = {
        "name": package.name,
        "NAME": package.name.upper(),
        "model": package.model,
        "sha": package.sha256,
        "target": package.target,
        "version": f"{package.version}{'.0' * (2 - package.version.count('.'))}",
        "include": kind.include.replace("@name@", package.name),
        "source": compiled,
        "flag": [option for option in options if option not in GCC_ONLY],
        "gcc_flag": [option for option in options if option in GCC_ONLY],
        "flags": " ".join(options),
        "core": " ".join(package.core),
        "feature": [feature for feature, _ in package.requires],
        "cross": [tools] if tools else [],
        "system": ["Linux" if package.hosted else "Generic"] if tools else [],
        "library": list(package.libraries),
    }
    return {**values, **example(package)}
