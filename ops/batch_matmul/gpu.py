"""BatchMatMul on a GPU: a work-item for each element of y."""

from opsmith.op import *
from runtimes.gpu.kernel import of_reference

from .operands import DEVICE_COST
from .single import SINGLE

DEFINES: dict[tuple[DType, ...], dict[str, str]] = {
    (i8, i8, i8): {"LIFTED": "", "SUM": "int"},
    (i8, i8, i32): {"SUM": "int"},
    (i16, i16, i16): {"NARROW": "", "SUM": "long"},
    (i16, i8, i16): {"NARROW": "", "SUM": "long"},
    (f32, f32, f32): {"SUM": "float"},
}


def product(variant: Variant) -> Kernel:
    """Kernel of gpu.cl for the element types of a variant."""
    params = variant.kernels[-1].params.__name__
    defines = {"Params": params, **DEFINES[tuple(variant.types.values())]}
    return of_reference(defines=defines, cost=DEVICE_COST)(variant)


IN_SINGLE = of_reference(
    name="gpu_single",
    of=SINGLE,
    header="ops/batch_matmul/gpu.cl",
    function="gpu",
    arguments=("p", "in", "out"),
    defines={"Params": "SingleSums", "IN_SINGLE": "", "SUM": "int"},
    cost=DEVICE_COST,
)
KERNELS = (
    *(KernelsFor(dict(zip("ABY", types, strict=True)), (product,)) for types in DEFINES),
    KernelsFor({"A": i8, "B": i8, "Y": i8}, (IN_SINGLE,)),
)
