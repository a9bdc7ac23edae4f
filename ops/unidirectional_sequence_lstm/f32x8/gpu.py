"""LSTM kernel of float32 by int8 on a GPU: a group of work-items for each batch."""

from opsmith.op import *
from runtimes.gpu.kernel import gpu_kernel

from ..cell import GROUP, batch_groups, device_cost
from . import SCRATCH, Params, Tables, constants, params


def plan(node: NodeView) -> Plan:
    """Plan with groups that quantise a row of x and the last output."""
    p = params(node)
    scratch = {"row": p.batches * p.depth, "last": p.batches * p.cells}
    work = replace(batch_groups(node), local={"shared": (f32, GROUP)})
    return Plan(p, partial(constants, node), scratch, work=work)


KERNELS = (gpu_kernel(Params, plan, Tables, scratch=SCRATCH, cost=device_cost),)
