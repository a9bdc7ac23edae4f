"""TransposeConv of int8 by single.h: sums times factors in single precision, on every core."""

from opsmith.op import *
from runtimes.core.per_channel import SingleTables

from .geometry import FACTS, macs
from .params import I8Params

SINGLE = Kernel(
    "single",
    I8Params,
    every_node(
        partial(of_facts, I8Params, facts=FACTS), partial(of_facts, SingleTables, facts=FACTS)
    ),
    SingleTables,
    numerics=OTHER_RULES,
    cost=instructions(macs, 8.0, 160.0),
)
KERNELS = (KernelsFor({"T": i8}, (SINGLE,)),)
