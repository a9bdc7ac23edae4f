"""Checks of several keys of a board.toml together: they may contradict each other or the core."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from opsmith.board.architecture import Architecture
from opsmith.board.describe import ArenaRule, Board, ConstantsRule, Memory
from opsmith.errors import Problem

# Names that a memory must not have: those of sections of the linker script or of the compiler, and
# words with a meaning in linker scripts. Sections `debug_…` and `<architecture>.…` are the
# compiler's, too.
_TAKEN = frozenset(
    """stack data bss text rodata vectors init_array fini_array preinit_array eh_frame
    gcc_except_table comment note got plt symtab strtab shstrtab o l org len sdata sbss srodata
    tdata tbss init fini ctors dtors gnu rel rela""".split()
)


def contradictions(board: Board, file: str) -> tuple[Problem, ...]:
    """Contradictions between keys of a board that are valid one by one."""
    found = [*_family(board), *(_hosted(board) if board.core.hosted else _mcu(board))]
    return tuple(Problem(code, what, file, fix) for code, what, fix in found)


def _family(board: Board) -> Iterator[tuple[str, str, str]]:
    family, core = board.family, board.core
    if family is not None and not family.fits(core.architecture):
        wanted, given = " or ".join(family.architectures), core.architecture.name
        theirs = f"architecture '{wanted}'" if wanted else "hosted architectures"
        what = f"family '{family.name}' is for {theirs}, core '{core.name}' for '{given}'"
        yield "BRD015", what, "name a family and a core of one architecture"


def _hosted(board: Board) -> Iterator[tuple[str, str, str]]:
    said = {
        "memory": bool(board.memory),
        "stack": board.stack_bytes > 0,
        "console": board.console is not None,
        "flash": board.flash is not None,
        "run.qemu": board.run.qemu is not None,
        "arena": bool(board.arena),
        "constants": bool(board.constants),
    }
    for key, present in said.items():
        if present:
            yield (
                "BRD006",
                f"'{key}' contradicts core '{board.core.name}'",
                f"take '{key}' out or name an MCU's core",
            )


def _mcu(board: Board) -> Iterator[tuple[str, str, str]]:
    for name in ("flash", "ram"):
        if name not in board.memory:
            yield (
                "BRD003",
                f"'memory.{name}' is missing",
                f"add {name} = {{ origin = …, size = … }}",
            )
    if board.system is not None:
        what = f"'system' contradicts core '{board.core.name}', which runs no operating system"
        yield "BRD006", what, "take 'system' out"
    yield from _ranges(board.memory, board.core.architecture)
    yield from _stack(board)
    yield from _arena(board)
    yield from _constants(board)
    if board.run.qemu is not None and board.core.architecture.emulator is None:
        what = f"'run.qemu' names a machine, and '{board.core.architecture.name}' has no emulator"
        yield "BRD006", what, "take 'run' out, or add [emulator] to its arch.toml"


def _ranges(
    memory: Mapping[str, Memory], architecture: Architecture
) -> Iterator[tuple[str, str, str]]:
    taken = _TAKEN | {architecture.name}
    for name, part in memory.items():
        if name in taken or name.startswith(("debug_", "note_", "gnu_")):
            yield (
                "BRD006",
                f"'memory.{name}' is a name the linker script needs",
                "choose another name",
            )
        if part.end > 1 << 32:
            yield "BRD006", f"'memory.{name}' ends at {part.end:#x}", "end within 32 bits"
        alignment = architecture.vectors if name == "flash" else 8
        if part.origin % alignment or part.size % 8:
            what = f"'memory.{name}' is {part.size:#x} bytes at {part.origin:#x}"
            yield "BRD006", what, f"align its origin to {alignment} bytes and its size to 8"
    flash = memory.get("flash")
    if flash is not None and flash.data is not None:
        memory = {**memory, "flash.data": Memory(flash.data, flash.size)}
        if flash.data % 16 or memory["flash.data"].end > 1 << 32:
            what = f"'memory.flash.data' is {flash.data:#x}"
            yield "BRD006", what, "align it to 16 bytes, and end within 32 bits"
    for (first, a), (second, b) in combinations(memory.items(), 2):
        if a.origin < b.end and b.origin < a.end:
            low, high = max(a.origin, b.origin), min(a.end, b.end)
            what = f"'memory.{first}' and 'memory.{second}' overlap from {low:#x} to {high:#x}"
            yield "BRD006", what, "correct an origin or a size"


def _arena(board: Board) -> Iterator[tuple[str, str, str]]:
    known = [name for name in board.memory if name != "flash"]
    for i, rule in enumerate(board.arena):
        if rule.memory not in known:
            what = f"'arena[{i}].memory' is '{rule.memory}', which holds no tensors"
            yield "BRD006", what, f"choose one of: {', '.join(known)}"
        else:
            yield from _sizes(board, f"arena[{i}]", rule)


def _constants(board: Board) -> Iterator[tuple[str, str, str]]:
    known = [name for name in board.memory if name != "flash"]
    first = {rule.memory: rule for rule in board.constant_memories}
    for i, rule in enumerate(board.constants):
        key = f"constants[{i}]"
        if rule.memory not in known:
            what = f"'{key}.memory' is '{rule.memory}', which no constants can move to"
            yield "BRD006", what, f"choose one of: {', '.join(known)}"
            continue
        yield from _sizes(board, key, rule)
        if rule.copied != first[rule.memory].copied:
            what = f"'{key}' and an earlier rule differ in 'at_start' of '{rule.memory}'"
            yield "BRD006", what, "say the same in both"
        problems = _copied(board, key, rule) if rule.copied else _in_place(board, key, rule)
        yield from (("BRD006", what, fix) for what, fix in problems)


def _sizes(
    board: Board, key: str, rule: ArenaRule | ConstantsRule
) -> Iterator[tuple[str, str, str]]:
    size = board.memory[rule.memory].size
    limit = size if rule.limit is None else rule.limit
    if limit > size:
        what = f"'{key}.limit' ({limit} bytes) is more than '{rule.memory}' ({size})"
        yield "BRD006", what, "lower the limit or correct the memory's size"
    elif limit < 8:
        what = f"'{key}.limit' is {limit} bytes, less than the smallest array takes"
        yield "BRD006", what, "write 8 bytes or more, or take the rule away"
    elif rule.at_least > min(rule.at_most, limit):
        most = min(rule.at_most, limit)
        what = f"'{key}.at_least' ({rule.at_least} bytes) is more than the rule can take ({most})"
        yield "BRD006", what, "lower 'at_least', or raise 'at_most' or 'limit'"


def _copied(board: Board, key: str, rule: ConstantsRule) -> Iterator[tuple[str, str]]:
    flash, there = board.memory.get("flash"), board.memory[rule.memory]
    if flash is not None and flash.wait_states <= there.wait_states:
        what = f"'{key}' copies to '{rule.memory}', whose 'wait_states' ({there.wait_states:g}) "
        what += f"are no fewer than those of flash ({flash.wait_states:g})"
        yield what, "say how many each has: memory.flash = { …, wait_states = … }"
    if rule.memory == "ram" and rule.limit is None:
        fix = "add limit = …: what the application needs of ram is not known"
        yield f"'{key}' copies to 'ram' without a 'limit'", fix


def _in_place(board: Board, key: str, rule: ConstantsRule) -> Iterator[tuple[str, str]]:
    if rule.memory == "ram":
        fix = 'add at_start = "copy", or name a memory that is flashed'
        yield f"'{key}' is for constants that lie in 'ram' from the beginning", fix
    for i, other in enumerate(board.arena):
        if other.memory == rule.memory:
            what = f"'{key}' flashes '{rule.memory}', where 'arena[{i}]' puts tensors"
            yield what, 'add at_start = "copy", or choose another memory for one of them'


def _stack(board: Board) -> Iterator[tuple[str, str, str]]:
    if board.stack_bytes % 8 or board.stack_bytes < 512:
        fix = "the ABI needs a multiple of 8, and startup and faults at least 512"
        yield "BRD006", f"'stack' is {board.stack_bytes} bytes", fix
    ram = board.memory.get("ram")
    if ram and board.stack_bytes >= ram.size:
        what = f"'stack' ({board.stack_bytes} bytes) does not fit 'memory.ram' ({ram.size} bytes)"
        yield "BRD006", what, "shrink the stack or correct the memory's size"
