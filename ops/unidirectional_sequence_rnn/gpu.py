"""RNN kernels on a GPU: a group of work-items for each batch."""

from opsmith.op import NodeView, Work
from runtimes.gpu.kernel import MOST_IN_GROUP, of_reference

from .op import FACTS, macs


def batch_groups(node: NodeView) -> Work:
    """Index space with a group of work-items for each batch."""
    return Work((FACTS["batches"](node) * MOST_IN_GROUP,), (MOST_IN_GROUP,))


def cost(node: NodeView) -> float:
    """Instructions of a node; a batch fills only a part of a GPU, at least a sixteenth."""
    alone = max(1.0, 16 / int(FACTS["batches"](node)))
    return alone * (4.0 * macs(node) + 20.0 * node["y"].elements)


KERNELS = (of_reference(batch_groups, cost=cost),)
