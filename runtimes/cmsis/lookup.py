"""Kernels of mve_lookup.h: elements are read from tables."""

from opsmith.op import KernelsFor
from opsmith.runtimes.cmsis.kernel import of_reference

COSTS = {"bytes": 0.3, "halfwords": 1.8}  # instructions for each element
KERNELS = tuple(
    KernelsFor(
        kind,
        (
            of_reference(
                "mve",
                cost,
                header="runtimes/cmsis/mve_lookup.h",
                function=f"opsmith::mve::{kind}",
                arguments=("p", "tables.values", "in.x", "out.y"),
            ),
        ),
    )
    for kind, cost in COSTS.items()
)
