"""FloorDiv: the quotient of two elements, of tensors that broadcast, rounded down.

By zero TFLite does not divide but fails; here that gives 0 for integers, and a constant divisor of
zero is refused. Elements are divided as they are, whatever their quantisation.
"""

from __future__ import annotations

import numpy as np

from runtimes.families.binary import binary, nonzero_divisors, plain
from runtimes.gpu.kernel import also_on_gpu
from toolchain.op import Array, Rename, f32, i8, i16, i32


def quotient(a: Array, b: Array) -> Array:
    """Of float32, divided in double precision."""
    return np.asarray(np.floor(a.astype(np.float64) / b))


OP = binary(
    "floor_div",
    Rename("tflite.FLOOR_DIV", versions=range(1, 4)),
    variants=(
        *(also_on_gpu(plain(dtype, np.floor_divide, 20.0)) for dtype in (i8, i16, i32)),
        also_on_gpu(plain(f32, quotient, 300.0), name="gpu_floats"),
    ),
    check=nonzero_divisors,
)
