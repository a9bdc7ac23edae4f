"""BatchMatMul on a GPU: a work-item for each element of y."""

from __future__ import annotations

from opsmith.ir import DType
from opsmith.op import Kernel, KernelsFor, Variant, f32, i8, i16, i32
from opsmith.runtimes.gpu.kernel import each_element, on_gpu

from .operands import DEVICE_COST

DEFINES: dict[tuple[DType, ...], dict[str, str]] = {
    (i8, i8, i8): {"LIFTED": "", "SUM": "int"},
    (i8, i8, i32): {"SUM": "int"},
    (i16, i16, i16): {"NARROW": "", "SUM": "long"},
    (i16, i8, i16): {"NARROW": "", "SUM": "long"},
    (f32, f32, f32): {"SUM": "float"},
}


def product(variant: Variant) -> Kernel:
    """Kernel of gpu.cl for the element types of a variant."""
    reference = variant.kernels[-1]
    defines = {"Params": reference.params.__name__, **DEFINES[tuple(variant.types.values())]}
    return on_gpu(reference, each_element, defines=defines, cost=DEVICE_COST)


KERNELS = tuple(KernelsFor(dict(zip("ABY", types, strict=True)), (product,)) for types in DEFINES)
