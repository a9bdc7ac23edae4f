"""Rules about kernel rows: their files, their symbols, when they are taken, how they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolchain.board.cores import FEATURES
from toolchain.errors import did_you_mean, shown
from toolchain.op.check_values import name_problem, repeated
from toolchain.op.choice import kernel_dtypes
from toolchain.op.describe import Kernel, Op
from toolchain.op.fields import params_fields, table_fields
from toolchain.reading import UnreadableError, read_bytes

Found = Iterator[tuple[str, str, str]]
_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
_MEMBER = re.compile(r"\b(p|in|out|tables|scratch|state)\.([A-Za-z_]\w*)")
_MACRO = re.compile(r"[A-Za-z_]\w*")
COPIES = ("memcpy", "memmove", "memset")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/-]*")
MOST_BYTES = 4 << 20  # of a file of C++
_LIBRARY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


def kernel_problems(op: Op, folder: Path) -> Found:
    """What is wrong with the op's kernels, each and in their order."""
    for kernel in op.kernels:
        yield from _files(kernel, folder)
        yield from _types(op, kernel)
        yield from _buffers(kernel)
        yield from _call(op, kernel)
        yield from _build(kernel)
        yield from _code(kernel)
        yield from _symbols(op, kernel, folder)
    yield from _order(op)


def has_utf8(text: str) -> bool:
    """Whether a file in UTF-8 can hold this text, which half of a surrogate pair prevents."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name may be one that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def source_text(path: Path) -> str | None:
    """The C++ of a file of an op's folder; None where it is none."""
    try:
        return read_bytes(path, MOST_BYTES).decode("utf-8", "replace")
    except (UnreadableError, ValueError):
        return None


def _files(kernel: Kernel, folder: Path) -> Found:
    for name in (kernel.source, *kernel.sources):
        if not _FILE.fullmatch(name) or ".." in name.split("/"):
            what = f"{shown(name)} is no name of a file that kernels can include"
            yield "OPS074", what, "name a file of the folder with letters, digits and ._+-"
    near = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    if not is_file(folder / kernel.source):
        what = f"there is no kernel file '{kernel.source}'{did_you_mean(kernel.source, near)}"
        yield "KRN001", what, "write it or correct the row"
    elif source_text(folder / kernel.source) is None:
        what = f"the kernel file '{kernel.source}' is too large, or cannot be read"
        yield "KRN001", what, f"let it have at most {MOST_BYTES:,} bytes, and correct permissions"
    for source in kernel.sources:
        if not is_file(folder / source):
            what = f"{kernel.source}: there is no source '{source}'{did_you_mean(source, near)}"
            yield "KRN001", what, "write it or correct sources="


def _types(op: Op, kernel: Kernel) -> Found:
    first = next(iter(op.domains.values()), ())
    for dtype in kernel.dtypes:
        if dtype not in first:
            what = f"kernel {kernel.source} lists {dtype}, which no domain has"
            yield "KRN003", what, "correct dtypes="
    for name in repeated([dtype.short for dtype in kernel.dtypes]):
        yield "KRN003", f"kernel {kernel.source} lists {name} twice", "correct dtypes="
    for feature in sorted({*kernel.requires, *kernel.excludes} - FEATURES):
        near = did_you_mean(feature, FEATURES)
        verb = "requires" if feature in kernel.requires else "excludes"
        what = f"kernel {kernel.source} {verb} '{feature}', which no core has{near}"
        yield "KRN010", what, f"one of: {', '.join(sorted(FEATURES))}"


def _buffers(kernel: Kernel) -> Found:
    names = [buffer.name for buffer in kernel.scratch]
    for name in repeated(names):
        what = f"{kernel.source} declares scratch '{name}' twice"
        yield "KRN005", what, "give each its own name"
    for problem in filter(None, map(name_problem, dict.fromkeys(names))):
        yield "KRN005", f"scratch of {kernel.source}: {problem}", "rename it"


def _call(op: Op, kernel: Kernel) -> Found:
    """Rules for a kernel that exists already and is bound by function= and arguments=."""
    if bool(kernel.function) != bool(kernel.arguments):
        what = f"{kernel.source}: function= and arguments= come together"
        yield "KRN007", what, "add the one that is missing"
    if "<T>" in kernel.function and not op.domains:
        what = f"{kernel.source}: {kernel.function} wants a type, and the op has no domains"
        yield "KRN007", what, "write the type, or declare domains="
    members = _members(op, kernel)
    for argument in kernel.arguments:
        for struct, name in _MEMBER.findall(argument):
            known = members.get(struct, ())
            if name not in known:
                near = did_you_mean(name, known)
                what = f"{kernel.source}: argument '{argument}' is not known{near}"
                has = ", ".join(f"{struct}.{each}" for each in known)
                yield "KRN008", what, f"there is {has}" if has else f"there is no '{struct}' here"


def _members(op: Op, kernel: Kernel) -> Mapping[str, tuple[str, ...]]:
    """What a call of the kernel can speak of: struct -> its members."""
    try:
        params = tuple(field.name for field in params_fields(op.params_of(kernel)))
        make = op.tables_of(kernel)
        tables = () if make is None else tuple(field.name for field in table_fields(make))
    except (TypeError, NameError):  # told by the rule about functions
        return {}
    return {
        "p": params,
        "in": tuple(value.name for value in op.inputs if not value.constant),
        "out": tuple(value.name for value in op.outputs),
        "tables": tables,
        "scratch": tuple(buffer.name for buffer in kernel.scratch),
        "state": tuple(state.name for state in op.states),
    }


def _build(kernel: Kernel) -> Found:
    for name, value in kernel.defines.items():
        if not _MACRO.fullmatch(name) or not _one_line(value):
            what = f"{kernel.source}: '{name}' cannot be defined as {shown(value)}"
            yield "KRN012", what, "a macro is one identifier and one line"
    for text in (kernel.function, *kernel.arguments, *kernel.defines.values()):
        if not has_utf8(text):
            what = f"{kernel.source}: {shown(text)} has characters that no source file can hold"
            yield "OPS075", what, "take half of a surrogate pair out"
    for name in kernel.libraries:
        if not _LIBRARY.fullmatch(name):
            what = f"{kernel.source}: '{name}' is no name of a library"
            yield "KRN013", what, 'without -l and lib: libraries=("m",)'
    for name in kernel.copies:
        if name not in COPIES:
            what = f"{kernel.source}: '{name}' copies and fills nothing{did_you_mean(name, COPIES)}"
            yield "KRN014", what, f"copies= takes {', '.join(COPIES)}"


def _one_line(value: str) -> bool:
    """Whether a macro's value ends where its line does."""
    return len(value.splitlines()) <= 1 and not value.endswith(("\\", "\n", "\r"))


def _code(kernel: Kernel) -> Found:
    """Code sizes and slowdowns that would lead the choice of kernels astray."""
    code = kernel.code
    wanted = {
        "instance": (0 <= code.instance < 1 << 31, "a number of bytes", "400"),
        "general": (0 <= code.general < 1 << 31, "a number of bytes", "400"),
        "slowdown": (1 <= code.slowdown < 1e6, "a number of at least 1", "1.3"),
    }
    for name, (right, words, example) in wanted.items():
        if not right:
            given = shown(getattr(code, name))
            what = f"Code of Kernel {shown(kernel.source)}: {name}= must be {words}, not {given}"
            yield "OPS021", what, f"write {name}={example}"


def _symbols(op: Op, kernel: Kernel, folder: Path) -> Found:
    text = _text(folder, kernel.source)
    if text is None or "##" in text:  # whose names the preprocessor makes
        return
    wanted = {op.symbol(kernel, list(bound.values())) for bound in kernel_dtypes(op, kernel)}
    words = set(re.findall(r"\w+", text))
    for symbol in sorted(wanted):
        plain = symbol.partition("<")[0].rpartition("::")[2]
        if plain not in words:
            near = did_you_mean(plain, words)
            what = f"{kernel.source} has no '{plain}'{near}"
            yield "KRN004", what, "write the function, or correct the row"


def _text(folder: Path, source: str) -> str | None:
    """The file and what it includes of its folder; None where one of these is not to be found."""
    texts, left, seen = [], [source], set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        text = source_text(folder / name)
        if text is None:
            return None
        texts.append(text)
        for included in _INCLUDE.findall(texts[-1]):
            beside = included.removeprefix(f"{folder.name}/").removeprefix(f"ops/{folder.name}/")
            if is_file(folder / beside):
                left.append(beside)
    return "\n".join(texts)


def _order(op: Op) -> Found:
    if not op.kernels or _may_refuse(op.kernels[-1]):
        what = "the last kernel is not a reference that runs everywhere"
        fix = 'end kernels with Kernel("reference.h"), which takes every node and grows nothing'
        yield "KRN002", what, fix
    for i, kernel in enumerate(op.kernels):
        for better in op.kernels[:i]:
            if _covers(better, kernel):
                what = f"{kernel.source} is never taken: {better.source} fits whatever it fits"
                yield "KRN011", what, "put the better kernel first"
            if better.source == kernel.source and _given(op, better) != _given(op, kernel):
                what = f"two rows of {kernel.source} differ in params=, tables= or scratch="
                yield "KRN006", what, "give each row a file of its own"
    if op.decompose is None:
        for kernel in op.kernels:
            if kernel.over_composite:
                what = f"{kernel.source} says over_composite=, and the op has no decompose="
                yield "KRN009", what, "remove it"


def _may_refuse(kernel: Kernel) -> bool:
    narrow = kernel.requires or kernel.excludes or kernel.when or kernel.dtypes
    return bool(narrow or kernel.growth or kernel.inexact)


def _given(op: Op, kernel: Kernel) -> tuple[object, ...]:
    """What decides the types of a kernel's parameters, which are called after its file."""
    scratch = tuple((buffer.name, buffer.type) for buffer in kernel.scratch)
    return op.params_of(kernel), op.tables_of(kernel), scratch


def _covers(first: Kernel, second: Kernel) -> bool:
    if (
        first.inexact
        or first.excludes
        or first.growth
        or (first.cost is not None and second.cost is not None)
    ):
        return False  # the second is for other nodes or cores, or may cost less
    types = not first.dtypes or (bool(second.dtypes) and set(second.dtypes) <= set(first.dtypes))
    return first.when is None and types and set(first.requires) <= set(second.requires)
