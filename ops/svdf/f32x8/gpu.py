"""SVDF kernel of float32 by int8 on a GPU: groups of work-items for each row of x."""

from opsmith.op import *
from runtimes.gpu.kernel import GROUP, gpu_kernel

from . import FACTS, Params, Tables


def plan(node: NodeView) -> Plan:
    """Plan with groups that quantise a row together."""
    params = of_facts(Params, node, FACTS)
    items = params.batches * -(-params.units // GROUP) * GROUP
    work = Work((items,), (GROUP,), {"shared": (f32, GROUP)})
    return Plan(params, partial(of_facts, Tables, node, FACTS), work=work)


KERNELS = (gpu_kernel(Params, plan, Tables),)
