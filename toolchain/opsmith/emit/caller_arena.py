"""Layout of an arena that the caller passes: planned tensors, then what persists."""

from opsmith.emit import operands
from opsmith.ir import Tensor
from opsmith.ir.program import Program

ALIGNMENT = 8  # of each buffer that persists


def arena_bytes(program: Program) -> int:
    """The bytes of the arena: the plan's, and after them those that persist."""
    return max(persisting(program)[1], 1)


def arena_alignment(program: Program) -> int:
    """The alignment of the arena's address."""
    assert program.graph.plan is not None
    return max(program.graph.plan.alignment, ALIGNMENT)


def persisting(program: Program) -> tuple[dict[str, int], int]:
    """Offset of each buffer that persists, and the end of all."""
    plan, found = program.graph.plan, {}
    assert plan is not None
    assert len(plan.arenas) == 1, "the caller has one arena"
    end = sum(plan.arenas.values())
    for buffer in operands.all_states(program):
        found[buffer.symbol] = end = -(-end // ALIGNMENT) * ALIGNMENT
        end += buffer.elements * buffer.dtype.size
    return found, end


def elements_type(group: str, tensor: Tensor) -> str:
    """The C++ type of an input's or output's elements in an arena."""
    const = "const " if group == "outputs" else ""
    return f"opsmith::ElementsAt<{const}{tensor.dtype.c}, {tensor.elements}>"
