"""Sources of a package for tools with options of their own: no included file is found by `-I`.

Headers of a package are found from include/ and src/, and the assembler looks for the weights
there. Other tools have one list of such folders for all libraries, in which two packages would find
each other's headers, and with link-time optimisation the assembler runs without the list. So
includes are relative to the source itself, and the bytes of weights are in the text.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from opsmith.emit.weights import NotOursError, with_bytes
from opsmith.errors import ToolchainError
from opsmith.export.kind import ExportKind
from opsmith.export.reading import Delivered
from opsmith.package.description import Package
from opsmith.package.sources import CODE, PRIVATE, PUBLIC
from opsmith.package.texts import GCC_ONLY

Content = Iterable[bytes]
EXACT = "-ffp-contract=off"
NO_LTO = "-fno-lto"  # link-time optimisation hides an archive's assembler symbols
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)
_LISTS = ("CMakeLists.txt",)  # of the package, below src/


def placed(package: Package, files: Mapping[str, bytes], kind: ExportKind) -> dict[str, str]:
    """Path in the export of each compiled or included file, by path in the package."""
    roots = {
        f"{PUBLIC}/{package.name}/": kind.headers.replace("@name@", package.name),
        f"{PRIVATE}/": kind.sources.replace("@name@", package.name),
    }
    left = {f"{PRIVATE}/{each}" for each in (*_LISTS, *package.data)}
    found = {}
    for path in files:
        for root, folder in roots.items():
            if path.startswith(root) and path not in left:
                moved = f"{folder}/{path.removeprefix(root)}"
                stem = moved.removesuffix(".cc")
                found[path] = moved if stem == moved else f"{stem}{kind.suffix}"
    return found


def sources(delivered: Delivered, kind: ExportKind) -> Iterator[tuple[str, Content]]:
    """Path in the export and content of each source, in pieces. Raises BLD052."""
    package, files = delivered.package, delivered.files
    where = placed(package, files, kind)
    prelude = f"{kind.sources.replace('@name@', package.name)}/{package.name}_target.h"
    yield prelude, [target_header(package, kind).encode()]
    data = {each: files[f"{PRIVATE}/{each}"] for each in package.data}
    for path, place in where.items():
        if not path.endswith(CODE):
            yield place, [files[path]]
            continue
        text = _including(files[path].decode("utf-8", "surrogateescape"), path, where)
        pieces: Iterable[str] = [text]
        if path.removeprefix(f"{PRIVATE}/") in package.sources:
            header = posixpath.relpath(prelude, posixpath.dirname(place))
            try:
                pieces = chain([f'#include "{header}"\n\n'], with_bytes(text, data))
            except NotOursError as error:
                raise ToolchainError(
                    delivered.wrong(path, f"is not as it should be: {error}")
                ) from None
        yield place, (piece.encode("utf-8", "surrogateescape") for piece in pieces)


def flags(package: Package) -> list[str]:
    """Options that sources need; the project sets those for warnings and debug information."""
    kept = (f for f in package.flags if not f.startswith(("-W", "-g", "-std=")))
    return [*kept, NO_LTO, *package.compile]


def target_header(package: Package, kind: ExportKind) -> str:
    """Header that every source includes first, with requirements on the compiler."""
    name = package.name
    lines = [
        f"// What the sources of {name} need of the compiler.",
        "#pragma once",
        "",
        "#if __cplusplus < 201703L",
        f'#error "{name} needs C++17: compile with -std=c++17 or later"',
        "#endif",
    ]
    for feature, macro in package.requires:
        made = f"{name} is made for {package.target}"
        lines += [f"#if !defined({macro})"]
        lines += [f'#error "{made}: it needs a core with the feature {feature}"', "#endif"]
    if kind.flags == "pragmas":
        named = ", ".join(f'"{each}"' for each in _of_pragmas(flags(package)))
        lines += [
            "",
            "// The tool has no options for single libraries. A fused multiply-add rounds once,",
            "// where results are of two roundings.",
            "#if defined(__clang__)",
            "#pragma clang fp contract(off)",
            "#elif defined(__GNUC__)",
            f"#pragma GCC optimize({named})",
            "#endif",
        ]
    return "\n".join([*lines, ""])


def _of_pragmas(options: Sequence[str]) -> list[str]:
    """Options that affect code, as GCC's pragma names them."""
    found = [option[1:] for option in options if option.startswith("-O")]
    return found + [option[2:] for option in options if option in (*GCC_ONLY, EXACT)]


def _including(text: str, path: str, where: Mapping[str, str]) -> str:
    """Text of a source, with headers named relative to its place in the export."""
    here, beside = posixpath.dirname(where[path]), posixpath.dirname(path)

    def include(match: re.Match[str]) -> str:
        for folder in (beside, PUBLIC, PRIVATE):
            found = posixpath.normpath(f"{folder}/{match[2]}")
            if found in where:
                return f'{match[1]}"{posixpath.relpath(where[found], here)}"'
        return match.group()

    return _INCLUDE.sub(include, text)
