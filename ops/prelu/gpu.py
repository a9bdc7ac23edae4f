"""PReLU kernels on a GPU."""

from opsmith.op import KernelsFor, f32, i8, i16, u8
from runtimes.gpu.binary import on_pairs
from runtimes.gpu.kernel import limits, of_reference

KERNELS = (
    *(
        KernelsFor({"T": a, "B": b}, (of_reference(defines=limits(a)),))
        for a, b in ((i8, i8), (u8, u8), (i16, i8))
    ),
    KernelsFor({"T": f32, "B": f32}, (on_pairs("plain", F="POSITIVE_OR_PRODUCT", Y="float"),)),
)
