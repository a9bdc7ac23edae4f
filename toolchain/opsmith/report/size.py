"""Share of each memory of a board that a firmware takes, as numbers and as a bar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opsmith.board.manifest import Board, Memory
from opsmith.errors import Problem, ToolchainError
from opsmith.report.elf import Section

BAR = 30
STACK_SECTIONS = (".stack", ".stack_dummy")
SMALLER = "use a smaller model, or a board with more memory"


@dataclass(frozen=True)
class Usage:
    """Use of a memory: its sections and its limit. A host has no limit."""

    name: str
    used: int
    limit: int | None
    sections: Mapping[str, int]


@dataclass(frozen=True)
class Overflow:
    """A memory that is too small for the firmware."""

    memory: str  # of the board
    used: int
    limit: int
    where: str
    detail: str = ""

    def problem(self, fix: str = "") -> Problem:
        """Error BLD020 with the numbers; `fix` precedes the general advice."""
        what = f"{self.memory} is over budget: {self.used} bytes of {self.limit}, "
        what += f"{self.used - self.limit} too many{self.detail}"
        return Problem("BLD020", what, self.where, f"{fix}{SMALLER}")


class OverBudget(ToolchainError):
    """Error BLD020, with the numbers as numbers."""

    def __init__(self, *overflows: Overflow) -> None:
        super().__init__(*(each.problem() for each in overflows))
        self.overflows = overflows

    def __reduce__(self) -> tuple[type[OverBudget], tuple[Overflow, ...]]:
        """Class and overflows from which pickle makes the error again."""
        return type(self), self.overflows


def measure(sections: Sequence[Section], board: Board) -> tuple[Usage, ...]:
    """Usage of each memory of the board, including the reserved stack."""
    if not board.memory:
        return (_without_limits("flash", sections, True), _without_limits("ram", sections, False))
    taken: dict[str, dict[str, int]] = {name: {} for name in board.memory}
    for section in sections:
        for name in sorted(_homes(section, board.memory)):
            taken[name][section.name] = section.size
    if board.stack_bytes and not any(section.name in STACK_SECTIONS for section in sections):
        taken[_main_ram(board.memory)]["(stack, reserved)"] = board.stack_bytes
    return tuple(
        Usage(name, sum(taken[name].values()), memory.size, taken[name])
        for name, memory in board.memory.items()
    )


def over_budget(usages: Sequence[Usage], where: str) -> Iterator[Overflow]:
    """Memories that are over their limits, each with its largest sections."""
    for usage in usages:
        if usage.limit is not None and usage.used > usage.limit:
            biggest = sorted(usage.sections.items(), key=lambda item: -item[1])[:3]
            most = ", ".join(f"{name} {size}" for name, size in biggest)
            yield Overflow(usage.name, usage.used, usage.limit, where, f" ({most})")


def bar_lines(usages: Sequence[Usage]) -> list[str]:
    """Lines of memories, one each: used, limit, percent and a bar."""
    lines = []
    for usage in usages:
        line = f"  {usage.name:6}{usage.used:>10,} B"
        if usage.limit is not None:
            share = usage.used / usage.limit
            full = min(BAR, max(round(share * BAR), 1 if usage.used else 0))
            line += f" of {usage.limit:>10,} B {share:7.1%}  [{'#' * full}{'.' * (BAR - full)}]"
        lines.append(line)
    return lines


def budget_lines(
    report: Mapping[str, Any], usages: Sequence[Usage], *, asked: bool
) -> Iterator[str]:
    """Line where flash exceeds the budget that a user gave: code is estimated when it is spent."""
    model = report.get("models", [report])[0]
    budget = model["flash_budget"]["bytes"]
    used = next((usage.used for usage in usages if usage.name == "flash"), 0)
    if asked and budget is not None and used > budget:
        less = "" if model["opt"] == "size" else ": opt=size takes least"
        yield f"  flash_budget={budget} is NOT KEPT, by {used - budget:,} B{less}"


def arena_lines(model: Mapping[str, Any]) -> list[str]:
    """Lines of arenas, one each: bytes, and the lower bound of any plan."""
    return [
        f"  arena {arena['bytes']:>10,} B in {memory}, lower bound {arena['lower_bound']:,} B"
        for memory, arena in model["arena"].items()
    ]


def _homes(section: Section, memory: Mapping[str, Memory]) -> set[str]:
    """Memories of a section: of its address at run time, and of its stored initial bytes."""
    addresses = [section.address, *([section.load_address] if section.stored else [])]
    return {
        name
        for name, region in memory.items()
        for address in addresses
        if region.origin <= address < region.origin + region.size
    }


def _main_ram(memory: Mapping[str, Memory]) -> str:
    return "ram" if "ram" in memory else list(memory)[-1]


def _without_limits(name: str, sections: Sequence[Section], stored: bool) -> Usage:
    # Use at run time is unknown here; for hosted boards the file alone is counted.
    taken = {section.name: section.size for section in sections if section.stored is stored}
    return Usage(name, sum(taken.values()), None, taken)
