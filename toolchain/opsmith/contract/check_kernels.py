"""Rules about kernels: their files, their symbols, when they are chosen, how they are called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.contract.check_order import order_problems
from opsmith.contract.check_unlisted import unlisted_kernels
from opsmith.contract.check_values import name_problem
from opsmith.contract.source_files import MOST_BYTES, is_file, names_near, source_text
from opsmith.contract.struct_names import scratch_name, static_name
from opsmith.errors import did_you_mean, shown
from opsmith.op.describe import Op
from opsmith.op.fields import members, table_fields, table_structs
from opsmith.op.kernel import MOST_SLOWDOWN, Kernel

Found = Iterator[tuple[str, str, str]]
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_MEMBER = re.compile(r"\b(p|in|out|tables|scratch|state)\.([A-Za-z_]\w*)")
_MACRO = re.compile(r"[A-Za-z_]\w*")
COPIES = ("memcpy", "memmove", "memset")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/-]*")
_LIBRARY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_MOST_PACE = 1000  # so that products of several stay finite, and above 0


def kernel_problems(op: Op, folder: Path) -> Found:
    """Problems of the op's kernels, one by one and in their order."""
    for variant in op.variants:
        kernels = [replace(kernel, folder=variant.folder) for kernel in variant.kernels]
        for kernel in kernels:
            yield from _alone(op, kernel, folder)
        apart = op.match is not None and op.match.on_device  # then a node may stay
        if kernels or not (op.decompose or apart):
            yield from order_problems(kernels, may_refuse=apart)
    yield from _structs(op)
    yield from unlisted_kernels(op, folder)


def brought_kernel_problems(op: Op, root: Path) -> Found:
    """Problems of the kernels that a backend below `root` brings; `op` has no other kernels."""
    for variant in op.variants:
        for kernel in variant.kernels:
            if kernel.folder:
                what = f"kernel '{kernel.name}' says folder={shown(kernel.folder)}"
                yield "KRN017", what, "remove it: a backend's C++ is in its own folder"
            yield from _alone(op, kernel, root)
    yield from _structs(op)


def _alone(op: Op, kernel: Kernel, folder: Path) -> Found:
    """Problems of one kernel."""
    yield from _files(kernel, folder)
    if kernel.over_composite and op.decompose is None:
        what = f"kernel '{kernel.path}' says over_composite=, and the op has no decompose="
        yield "KRN009", what, "remove it"
    yield from _buffers(kernel)
    yield from _call(op, kernel)
    yield from _build(kernel)
    yield from _code(kernel)
    if not 0 <= kernel.pixels < 1 << 31:
        what = f"Kernel {shown(kernel.path)}: pixels= must be from 0, not {shown(kernel.pixels)}"
        yield "OPS021", what, "write pixels=1"
    for feature, pace in kernel.paces.items():
        if not 1 / _MOST_PACE <= pace <= _MOST_PACE:
            words = f"a factor from {1 / _MOST_PACE} to {_MOST_PACE}, not {shown(pace)}"
            what = f"Kernel {shown(kernel.path)}: paces= must give {shown(feature)} {words}"
            yield "OPS021", what, f"write paces={{{shown(feature)}: 0.5}} for half its cycles"
    yield from _function(kernel, folder)


def has_utf8(text: str) -> bool:
    """True if UTF-8 can encode a text, which half of a surrogate pair prevents."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _files(kernel: Kernel, folder: Path) -> Found:
    if problem := name_problem(kernel.name):
        yield "OPS074", f"kernel {problem}", "name it as its file and its C++ function"
        return
    for name in (kernel.source, *kernel.sources, *kernel.includes):
        if not _FILE.fullmatch(name) or ".." in name.split("/"):
            what = f"{shown(name)} is no name of a file that kernels can include"
            yield "OPS074", what, "name a file of the folder with letters, digits and ._+-"
    if not kernel.beside:
        if not kernel.function:
            owner = "op" if kernel.backend is None else "backend"
            what = f"{kernel.header} is not in the {owner}'s folder, so nothing says what to call"
            yield "KRN007", what, "add function= and arguments="
    elif not is_file(folder / kernel.source):
        what = f"there is no kernel file '{kernel.source}'{names_near(kernel.source, folder)}"
        yield "KRN001", what, "write it, or correct the kernel's name"
    elif source_text(folder / kernel.source) is None:
        what = f"the kernel file '{kernel.source}' is too large, or cannot be read"
        yield "KRN001", what, f"let it have at most {MOST_BYTES:,} bytes, and correct permissions"
    for source in kernel.sources:
        if not is_file(folder / source):
            what = (
                f"kernel '{kernel.path}': there is no source '{source}'{names_near(source, folder)}"
            )
            yield "KRN001", what, "write it or correct sources="


def _buffers(kernel: Kernel) -> Found:
    for problem in filter(None, map(name_problem, kernel.scratch)):
        yield "KRN005", f"scratch of kernel '{kernel.path}': {problem}", "rename it"


def _call(op: Op, kernel: Kernel) -> Found:
    """Problems of a kernel that calls an existing function by function= and arguments=."""
    if bool(kernel.function) != bool(kernel.arguments):
        what = f"kernel '{kernel.path}': function= and arguments= come together"
        yield "KRN007", what, "add the one that is missing"
    if "<T>" in kernel.function and not op.variables:
        what = (
            f"kernel '{kernel.path}': {kernel.function} wants a type; the op has no type variable"
        )
        yield "KRN007", what, "write the type, or name one in inputs= and outputs="
    members = _members(op, kernel)
    for argument in kernel.arguments:
        for struct, name in _MEMBER.findall(argument):
            known = members.get(struct, ())
            if name not in known:
                near = did_you_mean(name, known)
                what = f"kernel '{kernel.path}': argument '{argument}' is not known{near}"
                has = ", ".join(f"{struct}.{each}" for each in known)
                yield "KRN008", what, f"there is {has}" if has else f"there is no '{struct}' here"


def _members(op: Op, kernel: Kernel) -> Mapping[str, tuple[str, ...]]:
    """Names of the members that `arguments=` of a kernel may use, by struct."""
    try:
        params = tuple(field.name for field in members(kernel.params))
        make = kernel.tables
        tables = () if make is None else tuple(field.name for field in table_fields(make))
    except (TypeError, NameError):  # reported by the rule about functions
        return {}
    return {
        "p": params,
        "in": tuple(value.name for value in op.inputs if not value.constant),
        "out": tuple(value.name for value in op.outputs),
        "tables": tables,
        "scratch": tuple(kernel.scratch),
        "state": tuple(state.name for state in op.states),
    }


def _build(kernel: Kernel) -> Found:
    for name, value in kernel.defines.items():
        if not _MACRO.fullmatch(name) or not _one_line(value):
            what = f"kernel '{kernel.path}': '{name}' cannot be defined as {shown(value)}"
            yield "KRN012", what, "a macro is one identifier and one line"
    for text in (kernel.function, *kernel.arguments, *kernel.defines.values()):
        if not has_utf8(text):
            what = (
                f"kernel '{kernel.path}': {shown(text)} has characters that no source file can hold"
            )
            yield "OPS075", what, "remove the unpaired surrogate"
    for name in kernel.libraries:
        if not _LIBRARY.fullmatch(name):
            what = f"kernel '{kernel.path}': '{name}' is no name of a library"
            yield "KRN013", what, 'without -l and lib: libraries=("m",)'
    for name in kernel.copies:
        if name not in COPIES:
            near = did_you_mean(name, COPIES)
            what = f"kernel '{kernel.path}': '{name}' is not a function that copies or fills{near}"
            yield "KRN014", what, f"copies= takes {', '.join(COPIES)}"


def _one_line(value: str) -> bool:
    """True if a macro's value ends with its line."""
    return len(value.splitlines()) <= 1 and not value.endswith(("\\", "\n", "\r"))


def _code(kernel: Kernel) -> Found:
    """Problems of code sizes and slowdowns that would mislead the choice of kernels."""
    code = kernel.code
    wanted = {
        "instance": (0 <= code.instance < 1 << 31, "a number of bytes", "400"),
        "general": (0 <= code.general < 1 << 31, "a number of bytes", "400"),
        "slowdown": (1 <= code.slowdown < MOST_SLOWDOWN, "a number of at least 1", "1.3"),
        "shared": (
            all(0 <= size < 1 << 31 for size in code.shared.values()),
            "numbers of bytes",
            "{'sums': 400}",
        ),
    }
    for name, (right, words, example) in wanted.items():
        if not right:
            given = shown(getattr(code, name))
            what = f"Code of Kernel {shown(kernel.path)}: {name}= must be {words}, not {given}"
            yield "OPS021", what, f"write {name}={example}"


def _function(kernel: Kernel, folder: Path) -> Found:
    """Problem of a file without the kernel's function, in any namespace and of any template."""
    text = _text(folder, kernel.source) if kernel.beside else None
    if text is None or "##" in text:  # the preprocessor forms names with ##
        return
    wanted = (kernel.function or kernel.name).partition("<")[0].rpartition("::")[2]
    if not re.search(rf"\b{re.escape(wanted)}\s*\(", text):
        near = did_you_mean(wanted, set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", text)))
        what = f"{kernel.source} has no function '{wanted}'{near}"
        yield "KRN004", what, "write the function, or correct the kernel's name"


def _text(folder: Path, source: str) -> str | None:
    """Text of a file and of all files of its folder that it includes; None where one is missing."""
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
            inside = included.removeprefix(f"{folder.name}/").removeprefix(f"ops/{folder.name}/")
            for beside in (inside, (Path(name).parent / included).as_posix()):
                if is_file(folder / beside):
                    left.append(beside)
    return "\n".join(texts)


def _structs(op: Op) -> Found:
    """Problems of different structs with one name in one C++ namespace, generated ones included."""
    known: dict[tuple[str, str], object] = {}
    for variant in op.variants:
        for kernel in variant.kernels:
            params, static = kernel.params, ("known at compile time", kernel.params)
            structs: list[tuple[str, object]] = [(params.__name__, params)]
            structs.append((static_name(params), static))
            if kernel.tables is not None:
                structs.append((kernel.tables.__name__, kernel.tables))
                structs += [(each.__name__, each) for each in _pointed_at(kernel.tables)]
            if kernel.scratch:
                structs.append((scratch_name(kernel), dict(kernel.scratch)))
            for name, made in structs:
                if known.setdefault((variant.folder, name), made) != made:
                    what = f"two kernels have different structs of the name {name}"
                    yield "KRN006", what, "rename one of them, or give the variant a folder"


def _pointed_at(tables: type) -> Sequence[type]:
    """Structs of tables; none where their fields are wrong, which another rule reports."""
    try:
        return tuple(table_structs(tables))
    except (TypeError, NameError):
        return ()
