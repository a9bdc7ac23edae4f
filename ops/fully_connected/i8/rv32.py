"""FullyConnected of int8 by plain.h on RISC-V: four channels at a time."""

from dataclasses import replace

from opsmith.runtimes.families.matmul import MATMUL
from opsmith.runtimes.families.owning import by_function_of

from .plain import PLAIN
from .plain_listed import PLAIN_LISTED

KERNELS = tuple(
    by_function_of(
        "fully_connected/i8",
        each,
        replace(each, name=name, requires={"rv32m"}, cost=MATMUL.cost(3.6, 30.0)),
    )
    for each, name in ((PLAIN, "rv32"), (PLAIN_LISTED, "rv32_listed"))
)
