"""The sources of a model as a package has them: self-contained, in folders and a namespace of their
own, so that packages made apart go into one program.

Files of the checkout, of the build and from elsewhere get a place in the package, and what includes
them is rewritten. Namespace opsmith becomes one inside the model's: two packages may have different
versions of a kernel.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.home import HOME

PUBLIC, PRIVATE = "include", "src"  # folders of a package that headers are looked for in
LISTING = "SHA256SUMS"  # the file that lists what a package is made from
CODE = (".h", ".cc", ".hpp", ".inc")
_INCLUDE = re.compile(r'^(\s*#\s*include\s*)(["<])([^">]+)[">]', re.MULTILINE)
_INCBIN = re.compile(r'(\.incbin\s+")([^"]+)(")')
_LINE = re.compile(r'^#line \d+ ".*"\n', re.MULTILINE)  # leads to files that a package lacks
_NAMESPACE = re.compile(r"(\bnamespace\s+|(?<![\w:])::)opsmith\b")


@dataclass(frozen=True)
class Origins:
    """Where the sources of a model come from. Paths are those that the compiler says."""

    name: str  # of the model
    build: Path  # the folder of its products
    includes: tuple[Path, ...]  # where headers are looked for, in order
    generated: Path  # the folder that bindings of ops are below
    foreign: Mapping[str, Path] = field(default_factory=dict)  # library -> folder of its headers

    def folders(self) -> dict[Path, str]:
        """Folder in which headers are looked for -> its name in the package, the inner ones first.

        All bindings are together, as ops are whose names differ.
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


def places(origins: Origins, public: Iterable[Path], private: Iterable[Path]) -> dict[Path, str]:
    """File -> its path in the package; `public` are the headers that users include."""
    name, found = origins.name, {}
    own = {"model.h": f"{name}.h", "model_c.h": f"{name}_c.h"}
    for file in map(normal, public):
        short = own.get(file.name) if file.parent == origins.build else None
        found[file] = f"{PUBLIC}/{name}/{short or f'opsmith/{file.name}'}"
    for file in map(normal, private):
        found.setdefault(file, f"{PRIVATE}/{_private(origins, file)}")
    twice = _twice(found)
    assert not twice, f"two files would be {twice}"
    return found


def packaged(origins: Origins, where: Mapping[Path, str]) -> dict[str, bytes]:
    """Path in the package -> content, of all files that have a place."""
    found = {}
    for file, place in where.items():
        content = file.read_bytes()
        if file.suffix in CODE:
            text = content.decode("utf-8", "surrogateescape")
            content = rewritten(text, file, origins, where).encode("utf-8", "surrogateescape")
        found[place] = content
    return found


def rewritten(text: str, file: Path, origins: Origins, where: Mapping[Path, str]) -> str:
    """The text of a source that lies somewhere else now, as do the files that it names."""

    def include(match: re.Match[str]) -> str:
        head, kind, named = match.groups()
        found = _included(file, named, origins.includes, where, beside=kind == '"')
        return match.group() if found is None else f'{head}"{_from_root(where[found])}"'

    def incbin(match: re.Match[str]) -> str:
        place = where.get(normal(Path(match[2])))
        return match.group() if place is None else f"{match[1]}{_from_root(place)}{match[3]}"

    text = _INCBIN.sub(incbin, _INCLUDE.sub(include, _LINE.sub("", text)))
    if any(file.is_relative_to(normal(folder)) for folder in origins.foreign.values()):
        return text
    return _NAMESPACE.sub(rf"\1{origins.name}::opsmith", text)


def emitted_name(model: str, file: str) -> str:
    """The path below src/ of an emitted file: those that others could have too get the name of the
    model.
    """
    return {"model_c.cc": f"{model}_c.cc", "weights.bin": f"{model}_weights.bin"}.get(file, file)


def normal(path: Path) -> Path:
    """The path without `.` and `..`."""
    return Path(os.path.normpath(path))


def _included(
    file: Path, named: str, includes: Sequence[Path], where: Mapping[Path, str], *, beside: bool
) -> Path | None:
    """The file that the compiler finds; None for one that is not in the package."""
    for folder in (*([file.parent] if beside else []), *includes):
        found = normal(folder / named)
        if found in where:
            return found
    return None


def _from_root(place: str) -> str:
    """A file's path from the folder in which headers are looked for."""
    return place.partition("/")[2]


def _private(origins: Origins, file: Path) -> str:
    """Where, below src/, a file goes: as below the folder in which headers are looked for."""
    if file.is_relative_to(origins.build):
        return emitted_name(origins.name, file.relative_to(origins.build).as_posix())
    for library, folder in origins.foreign.items():
        if file.is_relative_to(normal(folder)):
            return f"{library}/{file.relative_to(normal(folder)).as_posix()}"
    for folder, short in origins.folders().items():
        if file.is_relative_to(folder):
            return f"{short}/{file.relative_to(folder).as_posix()}"
    # as in a checkout, wherever Opsmith is installed
    return file.relative_to(HOME if file.is_relative_to(HOME) else file.anchor).as_posix()


def _twice(found: Mapping[Path, str]) -> str:
    """The path of a package that two files would have; empty where there is none."""
    seen: set[str] = set()
    for place in found.values():
        if place in seen:
            return place
        seen.add(place)
    return ""
