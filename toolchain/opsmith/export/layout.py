"""Layout of an export: the sources of a package, its licences, and files for the tool, by path."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.export.kind import ExportKind
from opsmith.export.reading import Delivered
from opsmith.export.sources import Content, flags, placed, sources
from opsmith.package.description import Package
from opsmith.package.sources import PRIVATE
from opsmith.package.texts import GCC_ONLY

Values = Mapping[str, str | Sequence[str]]
_PLACE = re.compile(r"@([A-Za-z_]+)@")

_LICENCES = re.compile(r"LICENSE|NOTICE|licenses/.*")
_NUMBERS = re.compile(r"\d+(\.\d+){0,2}", re.ASCII)
_OF_FPU = ("fpu", "mve", "mve_float")  # features whose code uses the FPU's registers
_ARCHIVES = re.compile(r"lib/[^/]+\.a")


def laid_out(delivered: Delivered, kind: ExportKind) -> dict[str, Content]:
    """Contents of an export by path, in pieces. Raises BLD052, and BLD053 for a package that the
    kind cannot express.
    """
    package, files = delivered.package, delivered.files
    raise_all(_inexpressible(package, kind, str(delivered.folder)))
    # Only files of the description, whose names are checked; other files may have any name.
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
    """True if a file of the package is in the export unchanged, at its path."""
    kept = _LICENCES.fullmatch(path) or (kind.libraries and _ARCHIVES.fullmatch(path))
    return bool(kept)


def _values(package: Package, kind: ExportKind, compiled: list[str]) -> Values:
    """Values that templates may name: a text, or a list for lines that repeat."""
    tools = package.compiler.removesuffix("g++")
    options, features = flags(package), dict(package.requires)
    values: Mapping[str, str | list[str]] = {
        "name": package.name,
        "NAME": package.name.upper(),
        "title": _title(package.name),
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
        "feature": list(features),
        "fpu": ["y"] if any(each in _OF_FPU for each in features) else [],
        "cross": [tools] if tools else [],
        "system": ["Linux" if package.hosted else "Generic"] if tools else [],
        "library": list(package.libraries),
    }
    return {**values, **example(package)}


def _title(name: str) -> str:
    """Name of a library for Arduino: at most 63 characters, and none of Arduino's own."""
    return (f"model_{name}" if name.lower().startswith("arduino") else name)[:63]


def filled(template: str, values: Values) -> str:
    """Text of a template: `@name@` stands for a text; a line that names a list is repeated for each
    item.

    Raises KeyError for an unknown name.
    """
    return "".join(_line(line, values) for line in template.splitlines(keepends=True))


def _line(line: str, values: Values) -> str:
    named = dict.fromkeys(_PLACE.findall(line))
    lists = [name for name in named if not isinstance(values[name], str)]
    if not lists:
        return _PLACE.sub(lambda match: str(values[match[1]]), line)
    assert len(lists) == 1, line
    (name,) = lists
    return "".join(_line(line, {**values, name: each}) for each in values[name])


def example(package: Package) -> dict[str, str | list[str]]:
    """Values of templates for an example: names of tensors as C++ expressions, and calls."""
    name, owns = package.name, package.arena != "caller"
    passed = "" if owns else "arena"
    outputs: dict[bool, list[str]] = {True: [], False: []}  # by whether elements are floats
    for tensor in package.outputs:
        elements = f"{name}::outputs::{tensor.id}" + ("" if owns else f"({passed})")
        outputs[tensor.dtype.startswith("float")].append(elements)
    globals_, filled, given = [], [], passed
    for tensor in package.inputs:
        of = f"{name}::inputs::{tensor.id}"
        if package.streams:
            globals_.append(f"static const {_c(tensor.dtype)} input[{of}.size()] = {{}};\n")
            given = "input"
        else:
            filled.append(of if owns else f"{of}({passed})")
    if not owns:
        aligned = f"alignas({name}::arena_alignment)"
        globals_.append(f"{aligned} static unsigned char arena[{name}::arena_bytes];\n")
    return {
        "global": globals_,
        "start": [] if owns else [f"{name}::start(arena, sizeof arena);"],
        "input": filled,
        "invoke": f"{name}::invoke({given});",
        "integers": outputs[False],
        "floats": outputs[True],
        "real": ["y"] if outputs[True] else [],
    }


def _c(dtype: str) -> str:
    """Element type in C."""
    return {"float32": "float", "float64": "double", "bool": "bool"}.get(dtype, f"{dtype}_t")
