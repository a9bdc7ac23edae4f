"""Kernel of dsp_argument.h: position of the best byte along the last axis."""

from opsmith.op import Code, Kernel, KernelsFor, NodeView, Variant, i8, u8
from runtimes.cmsis.kernel import of_reference
from runtimes.families.argument import along

LEAST = 4  # elements of a word
SIGN, EVERY = 0x80808080, 0xFFFFFFFF  # bits that differ in words of uint8, and of the least element


def problem(node: NodeView) -> str:
    """Reason why the elements to compare do not fill a word of neighbours."""
    p = along(node)
    if p.inner != 1:
        return "elements along the axis are not side by side"
    return "" if p.depth >= LEAST else f"{p.depth} elements are along the axis, fewer than {LEAST}"


def cost(node: NodeView) -> float:
    """Instructions of dsp_argument.h, which reads each row once and half of it again."""
    return 1.9 * node["x"].elements + 22.0 * node["y"].elements


def of_bytes(variant: Variant) -> tuple[Kernel, ...]:
    """Kernel of a variant of int8 or uint8; no kernel of other types."""
    x, kind = variant.types["T"], variant.kind
    assert kind is not None
    if x not in (i8, u8):
        return ()
    mask = (SIGN if x == u8 else 0) ^ (EVERY if kind.facts["F"] == "LESSER_ONE" else 0)
    made = of_reference(
        "dsp",
        cost,
        problem,
        code=Code(instance=126, general=170),
        header="runtimes/cmsis/dsp_argument.h",
        function=f"opsmith::dsp::argument<{mask:#x}>",
        arguments=("p", "in.x", "out.y"),
    )
    return (made(variant),)


KERNELS = (KernelsFor("along", (of_bytes,)),)
