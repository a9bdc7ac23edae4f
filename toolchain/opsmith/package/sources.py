"""Sources of a model, or of several, for a package: self-contained, in folders and a namespace of
their own, so that a program can use packages that were made separately.

Files of the checkout, of the build and from elsewhere get a place in the package, and their
includes are rewritten. Namespace opsmith becomes one inside that of the package, which is the
model's: two packages may have different versions of a kernel. Several models keep namespaces of
their own, beside that of the package, which has the shared code; `opsmith` is an alias in each.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.contract.assertion_form import ASSERTED, HEADER, LAYOUTS
from opsmith.emit.names import SPACE, files_of
from opsmith.home import HOME

PUBLIC, PRIVATE = "include", "src"  # folders of a package with headers
LISTING = "SHA256SUMS"  # the file that lists what a package is made from
CODE = (".h", ".cc", ".hpp", ".inc")
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(["<])([^">\n]+)[">]', re.MULTILINE)
_INCBIN = re.compile(r'(\.incbin\s+")([^"]+)(")')
_LINE = re.compile(r'^#line \d+ ".*"\n', re.MULTILINE)  # refers to files that a package lacks
_NAMESPACE = re.compile(rf"(\bnamespace\s+|(?<![\w:])::)(opsmith|{SPACE})\b")
_SYMBOL = re.compile(rf"\b{SPACE}\.(?=\w)")  # linker's name of a constant shared by models


@dataclass(frozen=True)
class Origins:
    """Folders of the sources of a package. Paths are those that the compiler reports."""

    name: str  # of the package
    build: Path  # folder of its products
    includes: tuple[Path, ...]  # include paths, in order
    generated: Path  # folder above the generated bindings of ops
    foreign: Mapping[str, Path] = field(default_factory=dict)  # library -> folder of its headers
    models: tuple[str, ...] = ()  # their names, if there are several

    def folders(self) -> dict[Path, str]:
        """Name in the package of each folder in which headers are looked up, by folder, inner ones
        first.

        All bindings are in one folder, since the names of ops differ.
        """
        found: dict[Path, str] = {}
        for folder in (each for each in map(normal, self.includes) if each not in (Path(), HOME)):
            short, number = folder.name, 1
            if folder.is_relative_to(self.generated):
                short = "bindings"
            else:
                while short in {"bindings", *found.values()}:
                    number += 1
                    short = f"{folder.name}_{number}"
            found[folder] = short
        return dict(sorted(found.items(), key=lambda item: -len(item[0].parts)))


def faces(models: Sequence[str]) -> dict[str, str]:
    """Path in the package of each interface header: one for each model, for C++ and for C."""
    found = {}
    for name, files in zip(models, files_of(models), strict=True):
        found[files.header] = f"{PUBLIC}/{name}/{name}.h"
        found[files.c_header] = f"{PUBLIC}/{name}/{name}_c.h"
    return found


def places(origins: Origins, public: Iterable[Path], private: Iterable[Path]) -> dict[Path, str]:
    """Path in the package of each file; `public` are the headers that users include."""
    name, found = origins.name, {}
    own = faces(origins.models or (name,))
    for file in map(normal, public):
        place = own.get(file.name) if file.parent == origins.build else None
        found[file] = place or f"{PUBLIC}/{name}/opsmith/{file.name}"
    checks = (Path(HEADER), HOME / HEADER)
    for file in (each for each in map(normal, private) if each not in checks):
        found.setdefault(file, f"{PRIVATE}/{_private(origins, file)}")
    twice = _twice(found)
    assert not twice, f"two files would be {twice}"
    return found


def packaged(origins: Origins, where: Mapping[Path, str]) -> dict[str, bytes]:
    """Content of all files that have a place, by path in the package."""
    found = {}
    for file, place in where.items():
        content = file.read_bytes()
        if file.suffix in CODE:
            text = content.decode("utf-8", "surrogateescape")
            content = rewritten(text, file, origins, where).encode("utf-8", "surrogateescape")
        found[place] = content
    return found


def rewritten(text: str, file: Path, origins: Origins, where: Mapping[Path, str]) -> str:
    """Text of a source with includes for its place, and places of included files."""

    def include(match: re.Match[str]) -> str:
        head, kind, named = match.groups()
        found = _included(file, named, origins.includes, where, beside=kind == '"')
        return match.group() if found is None else f'{head}"{_from_root(where[found])}"'

    def incbin(match: re.Match[str]) -> str:
        place = where.get(normal(Path(match[2])))
        return match.group() if place is None else f"{match[1]}{_from_root(place)}{match[3]}"

    text = ASSERTED.sub("", _LINE.sub("", text))  # assertions about registrations are left out, too
    text = _INCBIN.sub(incbin, _INCLUDE.sub(include, text))
    if any(file.is_relative_to(normal(folder)) for folder in origins.foreign.values()):
        return text
    text = LAYOUTS.sub("", text)
    text = _SYMBOL.sub(f"{origins.name}.", text) if origins.models else text
    return _NAMESPACE.sub(rf"\1{origins.name}::\2", text)


def with_alias(header: str, model: str, package: str) -> str:
    """Header of one of several models, with `opsmith` an alias of the package's namespace."""
    head, opened, rest = header.partition(f"\nnamespace {model} {{\n")
    assert opened
    return f"{head}{opened}\nnamespace opsmith = ::{package}::opsmith;\n{rest}"


def emitted_name(package: str, file: str) -> str:
    """Path below src/ of an emitted file, after the package's name where others could use it."""
    own = {"model_c.cc": f"{package}_c.cc", "weights.bin": f"{package}_weights.bin"}
    return own.get(file, file)


def normal(path: Path) -> Path:
    """Path without `.` and `..`."""
    return Path(os.path.normpath(path))


def _included(
    file: Path, named: str, includes: Sequence[Path], where: Mapping[Path, str], *, beside: bool
) -> Path | None:
    """File that an include means for the compiler; None for a file outside of the package."""
    for folder in (*([file.parent] if beside else []), *includes):
        found = normal(folder / named)
        if found in where:
            return found
    return None


def _from_root(place: str) -> str:
    """Path of a file from the folder in which headers are looked up."""
    return place.partition("/")[2]


def _private(origins: Origins, file: Path) -> str:
    """Place of a file below src/: its path below the folder in which headers are looked up."""
    if file.is_relative_to(origins.build):
        return emitted_name(origins.name, file.relative_to(origins.build).as_posix())
    for library, folder in origins.foreign.items():
        if file.is_relative_to(normal(folder)):
            return f"{library}/{file.relative_to(normal(folder)).as_posix()}"
    for folder, short in origins.folders().items():
        if file.is_relative_to(folder):
            return f"{short}/{file.relative_to(folder).as_posix()}"
    # same path as in a checkout, wherever Opsmith is installed
    return file.relative_to(HOME if file.is_relative_to(HOME) else file.anchor).as_posix()


def _twice(found: Mapping[Path, str]) -> str:
    """Path of a package that two files would have; empty if there is none."""
    seen: set[str] = set()
    for place in found.values():
        if place in seen:
            return place
        seen.add(place)
    return ""
