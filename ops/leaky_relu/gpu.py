"""LeakyReLU kernels of int16 and float32 on a GPU."""

from opsmith.op import KernelsFor, f32, i16
from runtimes.gpu.kernel import of_reference
from runtimes.gpu.unary import each

KERNELS = (
    KernelsFor({"T": i16}, (of_reference(),)),
    KernelsFor({"T": f32}, (each("LEAKY"),)),
)
