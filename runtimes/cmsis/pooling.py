"""Float32 pool kernels for the FPU and Helium."""

from collections.abc import Callable
from functools import partial

from opsmith.op import Kernel, NodeView, every_node, refusing
from opsmith.op.cost import instructions
from opsmith.runtimes.families.pool_windows import RealPoolParams, pool_overlap, real_pool_params
from opsmith.runtimes.families.pooling import pool_elements


def real_pool_kernel(
    name: str,
    feature: str,
    per_element: float,
    per_output: float,
    *problems: Callable[[NodeView], str],
    block: int = 1,
) -> Kernel:
    """Float32 pool kernel that requires `feature`, for nodes without a problem; costs are
    instructions.

    With `block`, the kernel computes channels in blocks and may compute some of the last block
    twice.
    """
    plan = refusing(
        every_node(real_pool_params, overlap=partial(pool_overlap, block=block)), *problems
    )
    cost = instructions(pool_elements, per_element, per_output)
    return Kernel(name, RealPoolParams, plan, requires={feature}, cost=cost)
