"""Softmax kernels on a GPU: work-items share a row."""

from opsmith.op import KernelsFor, f32, i8, i16, i32, u8
from runtimes.gpu.kernel import each_row, limits, of_reference

from .rules import KERNEL as TABLE

OF_BYTES = ((i8, i8), (u8, u8), (i8, i16), (u8, i16))
KERNELS = (
    *(
        KernelsFor({"T": x, "U": y}, (of_reference(each_row(i32), defines=limits(y)),))
        for x, y in OF_BYTES
    ),
    *(
        KernelsFor(
            {"T": y, "U": y},
            (of_reference(each_row(f32), "gpu_table", of=TABLE, defines=limits(y)),),
        )
        for y in (i8, u8)
    ),
    KernelsFor({"T": i16, "U": i16}, (of_reference(each_row(i32), "gpu_halfwords"),)),
    KernelsFor({"T": f32, "U": f32}, (of_reference(each_row(f32), "gpu_floats"),)),
)
