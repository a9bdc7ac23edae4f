"""FullyConnected of int8 by plain.h on RISC-V: four channels at a time."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL
from runtimes.families.owning import by_function_of

from .plain import PLAIN
from .plain_listed import PLAIN_LISTED
from .plain_long import KERNELS as LONG

KERNELS = tuple(
    by_function_of(
        "fully_connected/i8",
        each,
        replace(
            each,
            name=each.name.replace("plain", "rv32"),
            requires={"rv32m"},
            cost=MATMUL.cost(3.6, 38.0 if each in LONG else 30.0),
        ),
    )
    for each in (PLAIN, PLAIN_LISTED, *LONG)
)
