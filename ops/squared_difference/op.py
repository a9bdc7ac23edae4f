"""SquaredDifference: the square of the difference of two elements, of tensors that broadcast.

Squares of int16 are TensorFlow Lite Micro's; LiteRT has none.
"""

from opsmith.op import *
from runtimes.families.binary import binary, plain

from .quantised import quantised, squared_difference

OP = binary(
    "squared_difference",
    Rename("tflite.SQUARED_DIFFERENCE", versions=range(1, 3)),
    variants=(
        quantised(i8),
        replace(quantised(i16), departs=no_kernel("int16")),
        plain(i32, squared_difference, 10.0, "squared_difference"),
        plain(f32, squared_difference, 12.0, "squared_difference"),
    ),
)
