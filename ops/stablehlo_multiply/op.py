"""StablehloMultiply: the product of two floats of one shape, which may be infinite."""

from opsmith.op import *
from runtimes.families.binary import binary, plain
from runtimes.families.stablehlo import of_pairs

OP = binary(
    "stablehlo_multiply",
    of_pairs("MULTIPLY", f32, extends="mul"),
    variants=(plain(f32, np.multiply, 6.0),),
)
