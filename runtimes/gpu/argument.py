"""Kernel of argument.cl: position of the best element along an axis."""

from opsmith.op import Kernel, KernelsFor, NodeView, Variant, Work, i32
from runtimes.families.argument import along
from runtimes.gpu.kernel import columns, of_reference

ARGUMENTS = ("p", "in.x", "out.y", "local_memory.bests", "local_memory.places")


def argument(variant: Variant) -> Kernel:
    """Kernel in which a group of work-items shares an axis."""
    x = variant.types["T"]

    def work(node: NodeView) -> Work:
        p = along(node)
        return columns({"bests": x, "places": i32}, p.outer * p.inner, p.inner, p.depth)

    assert variant.kind is not None
    facts = variant.kind.facts
    made = of_reference(
        work, file="argument.cl", function="argument", arguments=ARGUMENTS, defines=facts
    )
    return made(variant)


KERNELS = (KernelsFor("along", (argument,)),)
