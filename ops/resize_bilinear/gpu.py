"""ResizeBilinear kernels on a GPU, in integers or in float."""

from opsmith.op import KernelsFor, f32, i8, i16, u8
from runtimes.gpu.kernel import of_reference

from .fine import FINE_PLACES

SUMS = ((i8, "int"), (i16, "long"))
ROUNDED = ((u8, "0.5f"), (f32, "0.0f"))  # what is added to sums
KERNELS = (
    *(KernelsFor({"T": t}, (of_reference(defines={"SUM": kind}),)) for t, kind in SUMS),
    KernelsFor({"T": i8}, (of_reference(name="gpu_fine", of=FINE_PLACES),)),
    *(
        KernelsFor({"T": t}, (of_reference(name="gpu_floats", defines={"ROUNDING": half}),))
        for t, half in ROUNDED
    ),
)
