"""BATCH_MATMUL of int8 and float32: columns in the lanes of vectors."""

from opsmith.op import *
from runtimes.families.broadcast import part_distances
from runtimes.simd.instruction_sets import INSTRUCTION_SETS, InstructionSet

ROWS = 4  # of a, which meet each vector


def multiplied(variant: Variant) -> tuple[Kernel, ...]:
    """Kernels with the params of the reference."""
    return tuple(_multiplied(variant))


def _multiplied(variant: Variant) -> Iterator[Kernel]:
    is_real = variant.types["A"] == f32
    for each in INSTRUCTION_SETS:
        yield Kernel(
            f"{each.name}_real" if is_real else each.name,
            variant.kernels[-1].params,
            _plan(each, variant.kernels[-1]),
            scratch=dict.fromkeys(("columns", "rows"), f32 if is_real else i32),
            requires={each.name},
            excludes=each.excludes,
            cost=_cost(each, variant.kernels[-1]),
            header="simd/batch_matmul.h",
            includes=(each.header,),
            function=(
                f"opsmith::batch_matmul::simd::{'reals' if is_real else 'bytes'}"
                f"<opsmith::simd::{each.struct}>"
            ),
            arguments=("p", "in.a", "in.b", "scratch", "out.y"),
        )


def _plan(isa: InstructionSet, definition: Kernel) -> Callable[[NodeView], Plan | Refused]:
    def plan(node: NodeView) -> Plan | Refused:
        """Plan for matrices of several rows and columns; Refused for others."""
        found = definition.plan(node)
        assert isinstance(found, Plan)
        p = found.params
        if p.a_stride[4] or p.b_stride[3]:
            return Refused("a has one row, or b one column")
        columns = -(-p.size[4] // isa.lanes) * isa.lanes
        scratch = {"columns": p.depth * columns, "rows": ROWS * p.depth}
        return Plan(p, scratch=scratch, overlap=lambda: part_distances(node, p, axes=2))

    return plan


def _cost(isa: InstructionSet, definition: Kernel) -> Callable[[NodeView], float]:
    assert definition.cost is not None
    of_definition = definition.cost
    return lambda node: of_definition(node) / isa.lanes


KERNELS = (
    KernelsFor({"A": i8, "B": i8, "Y": i8}, (multiplied,)),
    KernelsFor({"A": f32, "B": f32, "Y": f32}, (multiplied,)),
)
