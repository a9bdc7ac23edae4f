"""Checks of kernel files in one translation unit, so that each means what it would alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from opsmith.errors import ToolchainError
from runtimes.gpu.definitions import (
    OPERATOR,
    READERS,
    asked_of_devices,
    defined_again,
    defined_macros,
    lasting_macros,
    lasting_pragmas,
    read_beyond,
)
from runtimes.gpu.inclusion import RUNTIMES, line_path, text_and_includes
from runtimes.gpu.preprocessor import lines_of

QUIET = [  # about files of someone else: the build's warnings are errors
    "#ifdef __clang__",
    "#pragma clang diagnostic push",
    '#pragma clang diagnostic ignored "-Weverything"',
    "#endif",
]
LOUD = ["#ifdef __clang__", "#pragma clang diagnostic pop", "#endif"]


def check_directives(files: Iterable[Path]) -> None:
    """Raise KRN031 where a file's code depends on the device, or changes the code of other files,
    and KRN033 where a file may read files that builds do not watch. Files of runtimes/ are exempt
    from KRN033.
    """
    for file in sorted(files):
        text = text_and_includes(file)[0]
        found = [("KRN031", *each) for each in directive_problems(text)]
        found += [] if is_known(file) else [("KRN033", *each) for each in reading_problems(text)]
        for code, what, fix in found:
            said = f"{line_path(file)} {what}"
            raise ToolchainError.of(code, said, where=line_path(file), fix=fix)


def is_known(file: Path) -> bool:
    """True if a file of kernels is one of Opsmith's runtimes, which may use assembler."""
    return file.is_relative_to(RUNTIMES)


def reading_problems(text: str) -> Iterator[tuple[str, str]]:
    """Constructs in a file that may read other files than #include names: (what, fix)."""
    for each in read_beyond(text):
        fix = "leave it out: kernels are OpenCL C alone, and files are read by #include"
        yield f"says {each}, by which a compiler may read or name other files", fix


def directive_problems(text: str) -> Iterator[tuple[str, str]]:
    """Directives in a file that reach beyond the file, or differ between devices: (what, fix)."""
    for name in asked_of_devices(text):
        fix = "keep what OpenCL 1.2 without extensions has: devices are to give the same bytes"
        yield f"depends on {name}, in which devices differ", fix
    for name in defined_again(text):
        yield f"changes the macro {name} of OpenCL C", f"rename it, or look for it: #ifndef {name}"
    for pragma in lasting_pragmas(text):
        yield f"has #pragma {pragma[:80]}, which holds for other kernels, too", "remove it"


def poisoned(files: Iterable[Path]) -> list[str]:
    """Lines after which custom files cannot paste together words that they must not use."""
    texts = [text_and_includes(file)[0] for file in files if not is_known(file)]
    if not any("##" in text or "%:%:" in text for text in texts):
        return []
    words = [*READERS, *([] if any(OPERATOR in text for text in texts) else [OPERATOR])]
    return ["", *QUIET, f"#pragma GCC poison {' '.join(words)}", *LOUD]


def check_macros(helpers: Iterable[Path], authors: Iterable[Path] = ()) -> None:
    """Raise KRN030 where a file defines a macro of a file of helpers, or uses its name for another
    purpose.

    An author's macros are undefined at the end of its file, and with them helpers' macros of equal
    names would be. The first helper is the prelude of all files.
    """
    owners: dict[str, Path] = {}
    _check_guards(helpers := tuple(helpers))
    for file in helpers:
        for name in lasting_macros(text_and_includes(file)[0]):
            _check_owner(name, file, owners.setdefault(name, file))
    for file in sorted(authors):
        for name in defined_macros(text_and_includes(file)[0]):
            _check_owner(name, file, owners.get(name, file))
    owners = {name: owner for name, owner in owners.items() if owner not in helpers[:1]}
    for file in sorted({*helpers[1:], *authors}):
        text = text_and_includes(file)[0]
        met = {name for name in owners if name in text}  # most files have none
        known = _included_by(file) if met else set()
        for name in sorted(met & _words(text) if met else ()):
            if owners[name] not in known:
                what = f"{line_path(file)} says {name}, a macro of {line_path(owners[name])}"
                fix = "rename one, or include the file that has the macro"
                raise ToolchainError.of("KRN030", what, where=line_path(file), fix=fix)


def _check_guards(helpers: Sequence[Path]) -> None:
    """Raise KRN030 where a file of helpers is left out, since another has its include guard."""
    guarded: dict[str, Path] = {}
    for file in helpers:
        text = text_and_includes(file)[0]
        for name in {*defined_macros(text)} - {*lasting_macros(text)}:
            other = guarded.setdefault(name, file)
            if text_and_includes(other)[0] != text:
                _check_owner(name, file, other)


def _check_owner(name: str, file: Path, owner: Path) -> None:
    if file != owner:
        what = f"{line_path(file)} defines the macro {name}, as {line_path(owner)} does"
        fix = f"rename one, or #undef that of {line_path(owner)} where the file ends"
        raise ToolchainError.of("KRN030", what, where=line_path(file), fix=fix)


def _included_by(file: Path) -> set[Path]:
    """The file, and all files that it includes."""
    found, wanted = {file}, [file]
    while wanted:
        new = {*text_and_includes(wanted.pop())[1]} - found
        found |= new
        wanted += new
    return found


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(line.code for line in lines_of(text))))
