"""Text of kernels.cl: the authors' files, each with its structs and macros, and an instance for
each node.

A file is included once for each kernel and variant that the program uses. Macros name its function,
structs and element types for this inclusion; a declaration before it lets the compiler check the
function against its registration. An instance is a kernel whose params are literals, so that they
fold.
"""

from dataclasses import field
from math import prod
from pathlib import Path

from opsmith.contract.assertions import BACK, with_lines_back
from opsmith.emit.writing import wrapped
from opsmith.errors import ToolchainError
from opsmith.op import *
from opsmith.op.fields import table_fields
from runtimes.gpu import inclusion, neighbours
from runtimes.gpu.definitions import defined_macros, defined_names
from runtimes.gpu.inclusion import (
    RUNTIMES,
    files_of,
    line_path,
    names_of,
    text_and_includes,
    types_of,
    work_of,
)
from runtimes.gpu.operands import INPUT, OUTPUT, SCRATCH, TABLES, Operand, operands
from runtimes.gpu.preprocessor import in_single_precision

PRELUDE = Path(__file__).parent / "prelude.cl"
COPY = Path(__file__).parent / "copy.cl"
GROUP = 64  # work-items, where a plan does not say
MOST_IN_GROUP = 256  # work-items, which nearly every device has
MOST_LOCAL = 32 << 10  # bytes that a group shares, which every device has
MOST_ROWS = 65_535  # groups in y and in z

Extents = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """Launch of a node's kernel: index space and operands."""

    node: str
    kernel: str  # its function in kernels.cl
    items: Extents  # of whole groups
    group: Extents
    operands: tuple[Operand, ...]  # without absent ones


@dataclass(frozen=True)
class KernelUnit:
    """Translation unit of a program's kernels, and the launch of each node."""

    text: str
    launches: Mapping[str, Launch]  # by node


def translation_unit(part: BackendPart) -> KernelUnit:
    """Text of kernels.cl, and launches, of nodes on the GPU. Raises KRN025 to KRN031, KRN033."""
    return _Writer().unit(part)


@dataclass
class _Writer:
    lines: list[str] = field(default_factory=list)
    helpers: dict[Path, None] = field(default_factory=dict)  # in the order in which they are needed
    authors: set[Path] = field(default_factory=set)
    prefixes: dict[object, str] = field(default_factory=dict)  # of names, for each inclusion
    instances: dict[object, str] = field(default_factory=dict)  # their functions

    def unit(self, part: BackendPart) -> KernelUnit:
        calls = [call for segment in part.segments for call in segment]
        launches = {call.step.node.name: self._launch(part, call) for call in calls}
        neighbours.check_directives({*self.helpers, *self.authors})
        neighbours.check_macros([PRELUDE, *self.helpers], self.authors)
        lines = [f"// The kernels of {part.program.graph.name} for the GPU."]
        known = [PRELUDE, COPY, *filter(neighbours.is_known, self.helpers)]
        for file in dict.fromkeys([*known, *self.helpers]):  # runtimes/ need none of an op
            lines += ["", *_included(file, text_and_includes(file)[0])]
            if file == known[-1]:
                lines += neighbours.poisoned({*self.helpers, *self.authors})
        text = in_single_precision("\n".join([*lines, *self.lines, ""]))
        return KernelUnit(with_lines_back(text, "kernels.cl"), launches)

    def _launch(self, part: BackendPart, call: Call) -> Launch:
        given = operands(part, call)
        work = _checked_work(call)
        group = _extents(work.group or (GROUP,))
        items = tuple(-(-n // g) * g for n, g in zip(_extents(work.items), group, strict=True))
        present = tuple(operand for operand in given if not operand.absent)
        function = self._instance(call, given, group)
        return Launch(call.step.node.name, function, _extents(items), group, present)

    def _instance(self, call: Call, given: Sequence[Operand], group: Extents) -> str:
        """Name of the kernel with these params, which is written unless it exists."""
        prefix = self._inclusion(call, given)
        literal = inclusion.params_literal(call.step.params)
        absent = tuple(operand.absent for operand in given)
        key = (prefix, literal, absent, group, str(_local(call)))
        if key not in self.instances:
            self.instances[key] = call.step.instance.name
            self.lines += ["", *_kernel(call, given, group, prefix, literal)]
        return self.instances[key]

    def _inclusion(self, call: Call, given: Sequence[Operand]) -> str:
        """Prefix of the names in the author's file, which is included unless it already is."""
        kernel = call.kernel
        types = tuple(call.op.variant.types.values())
        members = tuple((each.struct, each.member) for each in given)
        local = tuple((name, dtype) for name, (dtype, _) in _local(call).items())
        defines = tuple(work_of(call).defines.items())
        key = (call.op.name, kernel.home, kernel.name, types, members, local, defines)
        if key not in self.prefixes:
            stem = "_".join([call.op.name, *map(str, types), kernel.name])
            same = [each for each in self.prefixes.values() if each.rpartition("__")[0] == stem]
            self.prefixes[key] = f"{stem}__{len(same)}"
            self.lines += ["", *self._author(call, given, self.prefixes[key])]
        return self.prefixes[key]

    def _author(self, call: Call, given: Sequence[Operand], prefix: str) -> Iterator[str]:
        """Lines of the author's file, in which its names get the prefix."""
        kernel = call.kernel
        texts = {file: text_and_includes(file) for file in files_of(call)}
        text = "\n".join(each for each, _ in texts.values())
        names = list(dict.fromkeys([*names_of(call), *defined_names(text)]))
        self.authors |= {author.resolve() for author in texts}
        for author, (_, needed) in texts.items():
            for file in needed:
                self._need(file, (author.resolve(),))
        for each in kernel.includes:
            self._need(RUNTIMES.parent / each, ())
        macros = types_of(call) | dict(kernel.defines) | dict(work_of(call).defines)
        yield from (f"#define {name} {prefix}_{name}" for name in names)
        yield from (f"#define {name} {value}".rstrip() for name, value in macros.items())
        yield from inclusion.structs(call, given)
        if not kernel.function:
            yield f"INLINE void {kernel.name}({', '.join(inclusion.parameters(call))});"
        *sources, own = texts
        yield from neighbours.QUIET if sources else ()
        for author in sources:
            yield from _included(author, texts[author][0])
        yield from neighbours.LOUD if sources else ()
        yield from _included(own, texts[own][0])
        yield from (f"#undef {name}" for name in (*macros, *names, *defined_macros(text)))

    def _need(self, file: Path, by: tuple[Path, ...]) -> None:
        """Include a file of helpers after the files that it includes. Raises KRN025 for a cycle."""
        if file in by:
            what = f"{line_path(file)} includes itself: {', '.join(map(line_path, (*by, file)))}"
            fix = "move what both need to a file that includes neither"
            raise ToolchainError.of("KRN025", what, where=line_path(by[-1]), fix=fix)
        if file not in self.helpers:
            for each in text_and_includes(file)[1]:
                self._need(each, (*by, file))
            self.helpers[file] = None


def _included(file: Path, text: str) -> list[str]:
    return [f'#line 1 "{line_path(file)}"', text, BACK]


def _local(call: Call) -> Mapping[str, tuple[DType, int]]:
    return work_of(call).local


def _checked_work(call: Call) -> Work:
    """Index space of a node. Raises KRN027 if devices cannot run it."""
    work = inclusion.planned_work(call)
    if problem := work_problem(work) or _host_problem(call):
        who = f"kernel '{call.kernel.path}' of '{call.op.name}'"
        where = str(call.folder / "op.py")
        raise ToolchainError.of("KRN027", f"{who}: {problem[0]}", where=where, fix=problem[1])
    assert work is not None
    return work


def work_problem(work: Any) -> tuple[str, str] | None:
    """Problem of an index space, and the fix; None for a valid one."""
    fix = f"write work=Work(items, group): positive, and at most {MOST_IN_GROUP} in a group"
    if work is None:
        return "its plan has no work=", fix
    items: Any = getattr(work, "items", None)
    group: Any = getattr(work, "group", None)
    if not (_are_sizes(items, 1) and _are_sizes(group, 0) and prod(group) <= MOST_IN_GROUP):
        return f"its plan has {work}", fix
    rows = zip(items[1:], (*group, 1, 1)[1:], strict=False)
    if any(-(-size // together) > MOST_ROWS for size, together in rows):
        return f"its plan has {work}", f"let y and z have at most {MOST_ROWS} groups, as CUDA does"
    return _local_problem(work.local) or _macro_problem(work.defines)


def _macro_problem(defines: Any) -> tuple[str, str] | None:
    """Problem of a node's macros, and the fix; None for valid ones."""
    for name, value in defines.items() if isinstance(defines, Mapping) else [(defines, None)]:
        named = isinstance(name, str) and name.isascii() and name.isidentifier()
        if not (named and isinstance(value, str) and _is_one_line(value)):
            fix = 'write defines={"DEPTH": "16"}: an identifier and one line of text'
            return f"its plan defines {name!r} as {value!r}", fix
    return None


def _is_one_line(text: str) -> bool:
    """True if a text ends with its line: no comment or splice continues it."""
    going_on = text.rstrip().endswith("\\") or "/*" in text
    return len(f"{text}.".splitlines()) == 1 and not going_on


def _are_sizes(given: Any, least: int) -> bool:
    """True if `given` is at least `least` positive sizes, as dimensions of an index space."""
    counted = isinstance(given, tuple | list) and least <= len(given) <= 3
    return counted and all(isinstance(size, int) and 0 < size < 1 << 31 for size in given)


def _local_problem(local: Any) -> tuple[str, str] | None:
    """Problem of a group's shared memory, and the fix; None for a valid one."""
    total = 0
    for each in local.values() if isinstance(local, Mapping) else [local]:
        match each:
            case (DType() as dtype, int(elements)) if elements > 0:
                total += elements * dtype.size
            case _:
                return f"its plan has local={local}", 'write local={"partial": (i32, 64)}'
    if total > MOST_LOCAL:
        return f"its groups share {total:,} bytes", f"let it be {MOST_LOCAL:,} at most"
    return None


def _host_problem(call: Call) -> tuple[str, str] | None:
    """Problem of states or tables that a device's kernel cannot take, and the fix, or None."""
    if call.op.states:
        return "the op has states, which lie on the host", "compute it there: remove the kernel"
    tables = () if call.kernel.tables is None else table_fields(call.kernel.tables)
    if single := [field.name for field in tables if field.single]:
        return f"tables.{single[0]} is one struct", "let it be a tuple of them, or params"
    return None


def _extents(given: Sequence[int]) -> Extents:
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _kernel(
    call: Call, given: Sequence[Operand], group: Extents, prefix: str, literal: str
) -> Iterator[str]:
    """Lines of an instance: an entry point whose params are literals."""
    kernel = call.kernel
    present = [operand for operand in given if not operand.absent]
    buffers = [f"__global char* {each.name}_base, int {each.name}_at" for each in present]
    yield f"// {call.step.node.name} and nodes of equal params."
    yield f"__kernel __attribute__((reqd_work_group_size({', '.join(map(str, group))})))"
    yield wrapped(f"void {call.step.instance.name}(", buffers, ") {", "")
    for name, (dtype, elements) in _local(call).items():
        c = inclusion.c_type(dtype)
        yield f"  __local {c} {name}_local[{elements}] __attribute__((aligned(16)));"
    yield wrapped(f"const {prefix}_{kernel.params.__name__} p = ", [literal], ";", "  ")
    variables = {"in": INPUT, "out": OUTPUT}
    variables |= {"tables": TABLES} if kernel.tables is not None else {}
    variables |= {"scratch": SCRATCH} if kernel.scratch else {}
    types = inclusion.parameters(call)[1:]
    for (variable, struct), kind in zip(variables.items(), types, strict=False):
        yield wrapped(
            f"const {prefix}_{kind} {variable} = {{", _values(call, struct, given), "};", "  "
        )
    arguments = ["p", *variables]
    if local := _local(call):
        items = [f"{name}_local" for name in local]
        head = f"const {prefix}_{inclusion.LOCAL} local_memory = {{"
        yield wrapped(head, items, "};", "  ")
        arguments.append("local_memory")
    function = names_of(call)[0]
    yield wrapped(f"{prefix}_{function}(", kernel.arguments or arguments, ");", "  ")
    yield "}"


def _values(call: Call, struct: str, given: Sequence[Operand]) -> Iterator[str]:
    found = inclusion.members_of(struct, given)
    for name, each in found.items():
        pointers = [_pointer(operand) for operand in each]
        yield f"{{{', '.join(pointers)}}}" if inclusion.variadic(call, name) else pointers[0]
    if not found:
        yield "0"


def _pointer(operand: Operand) -> str:
    if operand.absent:
        return "0"
    return f"(__global void*)({operand.name}_base + {operand.name}_at)"
