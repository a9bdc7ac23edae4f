"""BatchMatMul of float32 by int8 on a GPU: a group of work-items for each row of a."""

from opsmith.op import *
from runtimes.gpu.kernel import GROUP, gpu_kernel

from ..operands import DEVICE_COST
from . import F32X8, Params, params_of


@dataclass(frozen=True, kw_only=True)
class GpuParams(Params):
    """Walk, quantisation of b, and the tile of a group of work-items."""

    columns: int  # elements of y that come one after the other and are of one row of a


def plan(node: NodeView) -> Plan:
    """Plan with a group of work-items for each row of a that y uses."""
    found = params_of(node)
    columns = found.size[-1] if found.a_stride[-1] == 0 else 1
    groups = node["y"].elements // columns
    work = Work((groups * GROUP,), (GROUP,), {"shared": (f32, GROUP)})
    params = GpuParams(**vars(found), columns=columns)
    return Plan(params, scratch={"quantised": groups * found.depth}, work=work)


KERNELS = (
    KernelsFor(
        F32X8.types, (gpu_kernel(GpuParams, plan, scratch={"quantised": i8}, cost=DEVICE_COST),)
    ),
)
