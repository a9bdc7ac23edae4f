"""Sums of the elements along axes on the GPU."""

from __future__ import annotations

from collections.abc import Mapping

from runtimes.families.reduction import axes, reduced_elements
from runtimes.gpu.kernel import columns, limits, of_family
from toolchain.ir import DType
from toolchain.op import Kernel, NodeView, Work, i32, i64

SHARED = ("p", "in.x", "out.y", "local_memory.shared")


def scaled_sums(kernel: Kernel, dtype: DType, y_zero_point: str = "y_zero_point") -> Kernel:
    """Sums at the scale of y, whose zero point is this member of the params."""
    return _sums(kernel, i32, {**limits(dtype), "F": "SCALED", "Y_ZERO_POINT": y_zero_point})


def quotients(kernel: Kernel) -> Kernel:
    """Sums of integers that wrap at 64 bits, divided by how many elements they are of."""
    return _sums(kernel, i64, {"F": "QUOTIENT"})


def real_means(kernel: Kernel) -> Kernel:
    """Means of floats, which are added up in their order."""
    return of_family(kernel, "reduction.cl", "real_means", SHARED[:3])


def _sums(kernel: Kernel, dtype: DType, defines: Mapping[str, str]) -> Kernel:
    names = {"PARAMS": kernel.params.__name__, "SUM": dtype.c}

    def work(node: NodeView) -> Work:
        p = axes(node)
        neighbours = p.kept[3] if p.kept_stride[3] == 1 else 1
        return columns({"shared": dtype}, node["y"].elements, neighbours, reduced_elements(node))

    return of_family(kernel, "reduction.cl", "sums", SHARED, work, {**names, **defines})
