"""Text around an author's file: macros for its names, and the structs that its function takes."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from opsmith.contract.assertions import shown_path
from opsmith.contract.source_files import is_file
from opsmith.contract.struct_names import scratch_name
from opsmith.errors import ToolchainError
from opsmith.op import *
from opsmith.op.fields import Member, members, table_structs
from opsmith.reading import UnreadableError, read_text
from runtimes.gpu.definitions import WORDS
from runtimes.gpu.operands import INPUT, OUTPUT, SCRATCH, TABLES, Operand
from runtimes.gpu.preprocessor import INCLUDES, as_compilers_read, ends_in_comment, lines_of

RUNTIMES = Path(__file__).resolve().parents[1]
MOST_BYTES = 1 << 20  # of a file of kernels
LOCAL = "Local"
SHARED = ("runtimes/core/", "runtimes/families/", "runtimes/gpu/")  # in which builds look
_NOT_LOOKED_AT = (
    "which is not called NAME.cl",
    "rename it: builds do not look for edits in others, tests and hidden files",
)
_NAMED = re.compile(r'"([^"]+)"')


def files_of(call: Call) -> list[Path]:
    """Author's files of a node's kernel: `sources`, then the kernel's own. Raises KRN025."""
    kernel = call.kernel
    for name in (*kernel.sources, kernel.header or kernel.source):
        if not _is_looked_at(Path(name)):
            what = f"kernel '{kernel.path}' of '{call.op.name}' has {name!r}, {_NOT_LOOKED_AT[0]}"
            where = str(call.folder / "op.py")
            raise ToolchainError.of("KRN025", what, where=where, fix=_NOT_LOOKED_AT[1])
    beside = call.folder if kernel.backend is None else kernel.backend.parent
    return [*(beside / source for source in kernel.sources), _file_of(call)]


def _file_of(call: Call) -> Path:
    if not call.kernel.header:
        return call.folder / call.kernel.source
    root = RUNTIMES.parent if call.kernel.backend is None else call.kernel.backend.parent
    return root / call.kernel.header


def text_and_includes(file: Path) -> tuple[str, list[Path]]:
    """Text of a file in which `#include` lines are empty, and the files that the lines name.

    The included files are in runtimes/ or beside the file. Raises KRN025.
    """
    try:
        text, named = _without_includes(as_compilers_read(read_text(file, MOST_BYTES)))
    except UnreadableError as error:
        what, fix = f"{line_path(file)} cannot be read: {error}", "write OpenCL C in UTF-8"
        raise ToolchainError.of("KRN025", what, where=line_path(file), fix=fix) from error
    return text, [_included(file, name) for name in named]


@lru_cache(maxsize=256)
def _without_includes(text: str) -> tuple[str, tuple[str, ...]]:
    """Text with empty `#include` lines, and the names on those. Raises UnreadableError."""
    if ends_in_comment(text):
        raise UnreadableError("a comment goes on beyond its end")
    kept, named, end = [], [], 0
    for line in lines_of(text):
        name, rest = line.directive or ("", "")
        if name in INCLUDES:
            named.append(rest if name == INCLUDES[0] else f"{name} {rest}")
            kept += [text[end : line.start], "\n" * text.count("\n", line.start, line.end)]
            end = line.end
    return "".join([*kept, text[end:]]).rstrip("\n"), tuple(named)


def _included(file: Path, named: str) -> Path:
    """File that an `#include` in `file` names. Raises KRN025."""
    found = _NAMED.fullmatch(named)
    if found is None:
        what, fix = f"{line_path(file)} includes {named}", 'write #include "FILE.cl"'
        raise ToolchainError.of("KRN025", what, where=line_path(file), fix=fix)
    name, root = Path(found[1]), RUNTIMES.parent
    shared = found[1].startswith(SHARED) or (
        name.parts[:1] == ("ops",) and file.resolve().is_relative_to(root.joinpath(*name.parts[:2]))
    )
    places = [file.parent / name, *([root / name] if shared else [])]
    inside = not name.is_absolute() and ".." not in name.parts
    there = [each for each in places if inside and is_file(each)]
    if there and _is_looked_at(name):
        return there[0].resolve()
    why, fix = "which is not beside it and not in runtimes/", "correct the name"
    why, fix = _NOT_LOOKED_AT if there else (why, fix)
    what = f"{line_path(file)} includes {found[1]!r}, {why}"
    raise ToolchainError.of("KRN025", what, where=line_path(file), fix=fix)


def _is_looked_at(name: Path) -> bool:
    """True if builds watch a file of this name in a folder of ops or kernels for changes."""
    hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    return name.suffix == ".cl" and not hidden and not name.name.startswith("test_")


def line_path(file: Path) -> str:
    """Path of a file for #line directives: equal on every machine."""
    path = shown_path(file)
    path = path if not path.startswith("/") else "/".join(file.parts[-3:])
    return path.replace("\\", "/").replace('"', "'")


def planned_work(call: Call) -> Work | None:
    """Index space in the plan of a node, if the plan has one."""
    choice = call.step.node.kernel
    assert choice is not None
    found: Work | None = choice.plan.work
    return found


def work_of(call: Call) -> Work:
    """Index space of a node whose plan is known to have one."""
    found = planned_work(call)
    assert found is not None
    return found


def names_of(call: Call) -> list[str]:
    """Names in the author's file that get a prefix of this inclusion."""
    kernel = call.kernel
    found = [kernel.function.partition("<")[0].rpartition("::")[2] or kernel.name]
    found += ["In", "Out", kernel.params.__name__]
    if kernel.tables is not None:
        found += [*(each.__name__ for each in table_structs(kernel.tables))]
        found += [kernel.tables.__name__]
    found += [scratch_name(kernel)] if kernel.scratch else []
    found += [LOCAL] if work_of(call).local else []
    return list(dict.fromkeys(found))


def types_of(call: Call) -> dict[str, str]:
    """C types of the variant's type variables in this inclusion."""
    variant = call.op.variant
    if variant.untyped:
        return {name: f"int{8 * dtype.size}_t" for name, dtype in variant.types.items()}
    return {name: c_type(dtype) for name, dtype in variant.types.items()}


def c_type(dtype: DType) -> str:
    """C type of elements in memory; booleans are bytes."""
    return "uint8_t" if dtype == boolean else dtype.c


def structs(call: Call, given: Sequence[Operand]) -> Iterator[str]:
    """Structs that an author's function takes, under the author's names. Raises KRN028."""
    kernel, work = call.kernel, work_of(call)
    _check_names(call, given)
    if kernel.tables is not None:
        for struct in table_structs(kernel.tables):
            yield from _struct(struct.__name__, map(_member, members(struct)))
    yield from _struct(kernel.params.__name__, map(_member, members(kernel.params)))
    named = {INPUT: "In", OUTPUT: "Out"}
    named |= {TABLES: kernel.tables.__name__} if kernel.tables is not None else {}
    named |= {SCRATCH: scratch_name(kernel)} if kernel.scratch else {}
    for each, name in named.items():
        yield from _struct(name, _pointers(call, each, given))
    if work.local:
        local = (f"__local {c_type(dtype)}* {name};" for name, (dtype, _) in work.local.items())
        yield from _struct(LOCAL, local)


def _check_names(call: Call, given: Sequence[Operand]) -> None:
    kernel = call.kernel
    owners = [kernel.params, *(() if kernel.tables is None else table_structs(kernel.tables))]
    names = [member.name for owner in owners for member in members(owner)]
    names += [*(each.member for each in given), *work_of(call).local]
    for name in names:
        if name in WORDS:
            what = f"kernel '{kernel.path}' of '{call.op.name}' is given '{name}', "
            what += "which is a word of OpenCL C"
            raise ToolchainError.of(
                "KRN028", what, where=str(call.folder / "op.py"), fix="rename it"
            )


def parameters(call: Call) -> list[str]:
    """Names of the structs that the function takes, in order."""
    kernel = call.kernel
    found = [kernel.params.__name__, "In", "Out"]
    found += [kernel.tables.__name__] if kernel.tables is not None else []
    found += [scratch_name(kernel)] if kernel.scratch else []
    return found + ([LOCAL] if work_of(call).local else [])


def members_of(struct: str, given: Iterable[Operand]) -> dict[str, list[Operand]]:
    """Buffers of a struct, grouped by its members."""
    found: dict[str, list[Operand]] = {}
    for operand in given:
        if operand.struct == struct:
            found.setdefault(operand.member, []).append(operand)
    return found


def variadic(call: Call, member: str) -> bool:
    """True if a member of In or Out is an array of pointers."""
    declared: tuple[Input | Output, ...] = (*call.op.inputs, *call.op.outputs)
    return any(value.variadic for value in declared if value.name == member)


def params_literal(params: Any) -> str:
    """Params as an initializer in OpenCL C. Raises KRN026 for values that are no float32."""
    texts = []
    owner: type = type(params)
    for member in members(owner):
        value = getattr(params, member.name)
        values = (value,) if member.length is None else value
        literals = [_literal(owner, member, each) for each in values]
        texts.append(literals[0] if member.length is None else f"{{{', '.join(literals)}}}")
    return f"{{{', '.join(texts or ['0'])}}}"


def _literal(owner: type, member: Member, value: Any) -> str:
    if member.dtype == boolean:
        return "true" if value else "false"
    if member.dtype != f64:
        return "INT_MIN" if int(value) == -(2**31) else str(int(value))
    if math.isnan(value):
        return "NAN"
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    if single != float(value):
        what = f"{owner.__name__}.{member.name} is {value}, which is no float of 32 bits"
        fix = "round it, or hand its mantissa over as an integer: GPUs need not have doubles"
        raise ToolchainError.of("KRN026", what, where=owner.__module__, fix=fix)
    if math.isinf(single):
        return "INFINITY" if single > 0 else "-INFINITY"
    return f"{single.hex()}f"


def _struct(name: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines) or ["char nothing;"]
    yield "typedef struct {"
    yield from (f"  {line}" for line in found)
    yield f"}} {name};"


def _member(member: Member) -> str:
    many = "" if member.length is None else f"[{member.length}]"
    c = "float" if member.dtype == f64 else member.dtype.c
    return f"{c} {member.name}{many};"


def _pointers(call: Call, struct: str, given: Sequence[Operand]) -> Iterator[str]:
    for name, found in members_of(struct, given).items():
        const = "" if found[0].written else "const "
        many = f"[{len(found)}]" if variadic(call, name) else ""
        c = "uint8_t" if found[0].c == "bool" else found[0].c
        yield f"{const}__global {c}* {name}{many};"
