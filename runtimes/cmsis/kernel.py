"""Kernels for Cortex-M with params, plan and tables of their variant's reference kernel."""

from opsmith.op import *


def of_reference(
    name: str,
    cost: float | Callable[[NodeView], float],  # instructions for each element of y, or in all
    *problems: Callable[[NodeView], str],
    **others: Any,
) -> Callable[[Variant], Kernel]:
    """Kernel with the params, plan and tables of a variant's reference, for KERNELS of a file.

    The kernel requires the core feature `name`, and refuses nodes with a problem. `others` are
    further fields of Kernel.
    """
    others.setdefault("requires", {name})
    of_node = cost if callable(cost) else per_element(cost)

    def made(variant: Variant) -> Kernel:
        given = variant.kernels[-1]
        plan = refusing(given.plan, *problems)
        fields = {"scratch": given.scratch, "cost": of_node, **others}
        return Kernel(name, given.params, plan, given.tables, **fields)

    return made
