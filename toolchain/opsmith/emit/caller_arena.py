"""Layout of an arena that the caller passes: planned tensors, then persistent buffers."""

from opsmith.emit import operands
from opsmith.ir import Tensor
from opsmith.ir.program import Program

ALIGNMENT = 8  # of each persistent buffer


def arena_bytes(program: Program) -> int:
    """Size of the arena in bytes: the plan's arena, then persistent buffers."""
    return max(persisting(program)[1], 1)


def arena_alignment(program: Program) -> int:
    """Alignment in bytes of the arena's address."""
    assert program.graph.plan is not None
    return max(program.graph.plan.alignment, ALIGNMENT)


def persisting(program: Program) -> tuple[dict[str, int], int]:
    """Offset of each persistent buffer, and the end of the last one, in bytes."""
    plan, found = program.graph.plan, {}
    assert plan is not None
    assert len(plan.arenas) == 1, "the caller has one arena"
    end = sum(plan.arenas.values())
    for buffer in operands.all_states(program):
        found[buffer.symbol] = end = -(-end // ALIGNMENT) * ALIGNMENT
        end += buffer.elements * buffer.dtype.size
    return found, end


def elements_type(group: str, tensor: Tensor) -> str:
    """C++ type of a pointer to the elements of an input or output in an arena."""
    const = "const " if group == "outputs" else ""
    return f"opsmith::ElementsAt<{const}{tensor.dtype.c}, {tensor.elements}>"
