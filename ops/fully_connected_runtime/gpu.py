"""FullyConnected with weights computed at run time, on a GPU: a work-item for each element of y."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, scales
from runtimes.gpu.kernel import each_element, gpu_kernel, of_reference

from .integers import Params


@dataclass(frozen=True)
class ScaleBits:
    """Scale of sums as bits of a double, for devices without double precision."""

    scale: NDArray[np.int64]  # bits of doubles, of each channel


def plan(node: NodeView) -> Plan:
    """Plan for bytes, whose scales are bits of doubles."""

    def tables() -> ScaleBits:
        found = np.broadcast_to(scales(node), node["y"].shape[-1])
        return ScaleBits(np.ascontiguousarray(found).view(np.int64))

    return Plan(MATMUL.params(Params, node), tables, work=each_element(node))


OF_BYTES = gpu_kernel(Params, plan, ScaleBits, defines={"SUM": "uint"})  # sums with the bias wrap
NARROW = {"Params": "NarrowParams", "NARROW": "", "SUM": "long"}
REAL = {"Params": "RealParams", "REAL": "", "SUM": "float"}
KERNELS = (
    *(KernelsFor({"T": t, "B": i32}, (OF_BYTES,)) for t in (i8, u8)),
    *(
        KernelsFor({"T": i16, "B": bias}, (of_reference(each_element, defines=NARROW),))
        for bias in (i64, i32)
    ),
    KernelsFor({"T": f32, "B": f32}, (of_reference(each_element, defines=REAL),)),
)
