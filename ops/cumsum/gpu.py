"""Cumsum kernels on a GPU: a work-item for all sums along an axis."""

from opsmith.op import *
from runtimes.families.argument import along
from runtimes.gpu.kernel import items, of_reference

BYTES = {
    "PARAMS": "ByteSumsAlong",
    "SUM": "int",
    "FIRST": "-p.x_zero_point",
    "TERM": "WITHOUT_ZERO_POINT",
    "RESULT": "RESCALED_BYTES",
}


def each_axis(node: NodeView) -> Work:
    """Index space with a work-item for all sums along an axis."""
    p = along(node)
    return items(p.outer * p.inner)


def plain(dtype: DType) -> KernelsFor:
    """Kernel of gpu.cl for elements without quantisation."""
    names = {"PARAMS": "SumsAlong", "SUM": dtype.c, "FIRST": "0", "TERM": "SAME", "RESULT": "SAME"}
    return KernelsFor({"T": dtype}, (of_reference(each_axis, defines=names),))


KERNELS = (
    *map(plain, (i32, i64, f32)),
    KernelsFor({"T": i8}, (of_reference(each_axis, defines=BYTES),)),
)
