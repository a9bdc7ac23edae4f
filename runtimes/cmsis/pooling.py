"""Float32 pool kernels for the FPU and Helium."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import LANES
from runtimes.families.pool_windows import RealPoolParams, pool_overlap, real_pool_params
from runtimes.families.pooling import inside_cost


def real_pool_kernel(
    name: str,
    feature: str,
    cost: Callable[[NodeView], float],
    *problems: Callable[[NodeView], str],
    block: int = 1,
) -> Kernel:
    """Float32 pool kernel that requires `feature`, for nodes without a problem.

    With `block`, the kernel computes channels in blocks and may compute some of the last block
    twice.
    """
    plan = refusing(
        every_node(real_pool_params, overlap=partial(pool_overlap, block=block)), *problems
    )
    return Kernel(name, RealPoolParams, plan, requires={feature}, cost=cost)


def of_vectors(
    of_four: tuple[float, float], of_one: tuple[float, float]
) -> Callable[[NodeView], float]:
    """Cost of a pool by four vectors at a time, then by one, in cycles of a Cortex-M55 for each
    pixel of a window inside the image and for each window.
    """

    def cost(node: NodeView) -> float:
        fours, left = divmod(node["x"].shape[3], 4 * LANES)
        once = [inside_cost(taps, 0.0, window, 1 << 30) for taps, window in (of_four, of_one)]
        return fours * once[0](node) + -(-left // LANES) * once[1](node)

    return cost
