"""FullyConnected of int8 by plain.h on RISC-V: four channels at a time."""

from dataclasses import replace

from opsmith.runtimes.families.matmul import MATMUL
from opsmith.runtimes.families.owning import by_function_of, listing

from .params import ListedParams
from .plain import PLAIN, plan

RV32 = by_function_of(
    "fully_connected/i8",
    PLAIN,
    replace(PLAIN, name="rv32", requires={"rv32m"}, cost=MATMUL.cost(3.6, 30.0)),
)
KERNELS = (RV32, listing("fully_connected", RV32, plan, ListedParams))
