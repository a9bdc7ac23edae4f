"""Assignment of constant arrays to memories, on boards that have more than flash for them.

Postcondition: each array lies in flash, or in a memory where a rule of the board allows it, within
the available room.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opsmith.board.describe import Board, ConstantsRule
from opsmith.emit.constant_reads import words_read
from opsmith.emit.fit_constants import FLASH, Fit, Home, HotArray, fit
from opsmith.emit.manifest import state_bytes, struct_bytes
from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.select.estimated_flash import FIRMWARE, code_bytes

RESERVE = 1.25  # estimated code times this is reserved in scarce flash
MOST_NAMED = 3  # arrays in an error


@dataclass(frozen=True)
class Placed:
    """A program whose tables have memories, and the entry `constants` of model.json."""

    program: Program
    constants: dict[str, Any] | None  # None if the board has no rules


def place_constants(
    common: Program, programs: Sequence[Program], ops: OpIndex, board: Board, budget: int | None
) -> Placed:
    """Place the tables of `common`, which has those of all `programs`; `budget` is the bytes of
    flash that `flash_budget=` allows. Raises BLD047 where the tables do not fit.
    """
    if not board.constants:
        return Placed(common, None)
    words = words_read(programs, ops)
    arrays = [
        HotArray(i, table.bytes, words[table.symbol]) for i, table in enumerate(common.tables)
    ]
    homes = [Home(FLASH, board.memory[FLASH].wait_states)]
    homes += [Home(r.memory, board.memory[r.memory].wait_states, r) for r in board.constants]
    room: dict[str, float] = {rule.memory: _left(rule, programs, board) for rule in board.constants}
    room[FLASH] = _flash(common, programs, ops, board, budget)
    found = fit(arrays, homes, room)
    if found.homeless:
        raise _too_small(common, arrays, found, room, board, budget)
    memories = [found.homes[i].memory for i in range(len(arrays))]
    tables = tuple(
        table if memory == FLASH else replace(table, memory=memory)
        for table, memory in zip(common.tables, memories, strict=True)
    )
    program = replace(common, tables=tables)
    return Placed(program, _facts(program, arrays, board, room[FLASH]))


def flashed_elsewhere(board: Board, graph: Graph) -> int:
    """Greatest number of bytes of constants that are flashed into other memories. If all rules are
    for some sizes, only the model's constants of these sizes count.
    """
    rules = [rule for rule in board.constants if not rule.copied]
    if any(rule.for_all_sizes for rule in rules):
        return board.bytes_elsewhere
    sizes = [tensor.bytes for tensor in graph.tensors.values() if tensor.constant is not None]
    taken = (size for size in sizes if any(r.at_least <= size <= r.at_most for r in rules))
    return min(board.bytes_elsewhere, sum(taken))


def _flash(
    common: Program, programs: Sequence[Program], ops: OpIndex, board: Board, budget: int | None
) -> float:
    """Bytes of flash that arrays may take. On a board without other flashed memories the linker
    alone checks whether arrays fit, and the result is infinite.
    """
    if all(rule.copied for rule in board.constants):
        return math.inf
    code = sum(code_bytes(program.graph, ops) - FIRMWARE for program in programs) + FIRMWARE
    size = board.memory[FLASH].size
    size = size if budget is None else min(size, budget)
    return max(size - round(code * RESERVE) - struct_bytes(common), 0)


def _left(rule: ConstantsRule, programs: Sequence[Program], board: Board) -> int:
    """Bytes of a memory that are left beside the stack and tensors."""
    plans = [program.graph.plan for program in programs if program.graph.plan is not None]
    taken = sum(plan.arenas.get(rule.memory, 0) for plan in plans)
    if rule.memory == "ram":
        taken += board.stack_bytes + sum(map(state_bytes, programs))
    return max(board.memory[rule.memory].size - taken, 0)


def _too_small(
    program: Program,
    arrays: Sequence[HotArray],
    found: Fit,
    room: Mapping[str, float],
    board: Board,
    budget: int | None,
) -> ToolchainError:
    rooms = f"flash {room[FLASH]:,.0f}"
    for home in (Home(r.memory, 0.0, r) for r in board.constants if not r.copied):
        rooms += f", {home.memory} {min(room[home.memory], home.limit):,.0f}{_sizes(home.rule)}"
    largest = sorted(found.homeless, key=lambda array: (-array.padded, array.index))
    named = [f"{program.tables[a.index].symbol} ({a.padded:,})" for a in largest[:MOST_NAMED]]
    named += ["…"] * (len(largest) > MOST_NAMED)
    what = f"constants take {sum(array.padded for array in arrays):,} bytes, and "
    what += f"{sum(array.padded for array in largest):,} of them have no place: "
    what += f"{', '.join(named)}; there is room for: {rooms}"
    fix = "add a memory, relax a rule of [[constants]], take opt=size, or a smaller model"
    if budget is not None and budget < board.memory[FLASH].size:
        fix = f"raise flash_budget={budget}, {fix}"
    return ToolchainError.of("BLD047", what, where=str(board.folder / "board.toml"), fix=fix)


def _sizes(rule: ConstantsRule | None) -> str:
    """Text about the sizes of the arrays that a rule is for; empty if it is for all."""
    if rule is None:
        return ""
    bounds = [f"at least {rule.at_least:,}"] if rule.at_least else []
    bounds += [f"at most {rule.at_most:,}"] if rule.at_most < 1 << 32 else []
    return f" (arrays of {' and '.join(bounds)})" if bounds else ""


def _facts(
    program: Program, arrays: Sequence[HotArray], board: Board, room: float
) -> dict[str, Any]:
    """Facts about placed constants for model.json; cycles are words read times wait states."""
    homes = [table.memory or FLASH for table in program.tables]
    hottest = sorted(arrays, key=lambda array: (-array.heat, array.index))
    moved = [
        {
            "symbol": program.tables[array.index].symbol,
            "memory": homes[array.index],
            "bytes": array.bytes,
            "words_read": array.words,
            "cycles_saved": _saved(board, array.words, homes[array.index]),
        }
        for array in hottest
        if homes[array.index] != FLASH
    ]
    words = sum(array.words for array in arrays)
    return {
        "flash_room": None if room == math.inf else round(room),
        "words_read": words,
        "wait_cycles_in_flash": round(words * board.memory[FLASH].wait_states),
        "memories": {
            rule.memory: {
                "at_start": "copy" if rule.copied else None,
                "bytes": sum(each["bytes"] for each in moved if each["memory"] == rule.memory),
                "cycles_saved": sum(
                    each["cycles_saved"] for each in moved if each["memory"] == rule.memory
                ),
            }
            for rule in board.constant_memories
        },
        "moved": moved,
    }


def _saved(board: Board, words: int, memory: str) -> int:
    fewer = board.memory[FLASH].wait_states - board.memory[memory].wait_states
    return round(words * fewer)
