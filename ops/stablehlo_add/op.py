"""StablehloAdd: the sum of two floats of one shape, which may be infinite."""

from opsmith.op import *
from runtimes.families.binary import binary, plain
from runtimes.families.stablehlo import of_pairs

OP = binary(
    "stablehlo_add", of_pairs("ADD", f32, extends="add"), variants=(plain(f32, np.add, 6.0),)
)
