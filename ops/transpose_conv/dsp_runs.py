"""TransposeConv of bytes by dsp_runs.h: runs of neighbouring inputs, for every node."""

from opsmith.op import *

from .geometry import FACTS
from .params import I8Params
from .phases import windows_of_phases
from .variants import I8Tables, U8Params, U8Tables

PER_ELEMENT, PER_TAP, PER_WORD, PER_BYTE = 45.0, 20.0, 10.0, 10.0  # cycles of a Cortex-M4F


def cost(node: NodeView) -> float:
    """Cycles of elements, of their taps, whether in x or not, and of inputs by words."""
    words, rest = divmod(node["x"].shape[3], 4)
    per_tap = PER_TAP + PER_WORD * words + PER_BYTE * rest
    elements = node["x"].shape[0] * node["y"].shape[3]
    return elements * sum(
        pixels * (PER_ELEMENT + per_tap * height * width)
        for pixels, height, width in windows_of_phases(node)
    )


def _kernel(params: type[Any], tables: type[Any]) -> Kernel:
    return Kernel(
        "dsp_runs",
        params,
        every_node(partial(of_facts, params, facts=FACTS), partial(of_facts, tables, facts=FACTS)),
        tables,
        requires={"dsp"},
        cost=cost,
    )


KERNELS = (
    KernelsFor({"T": i8}, (_kernel(I8Params, I8Tables),)),
    KernelsFor({"T": u8}, (_kernel(U8Params, U8Tables),)),
)
