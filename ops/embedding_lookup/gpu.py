"""EmbeddingLookup kernel on a GPU, from int8 to float32."""

from opsmith.op import KernelsFor, f32, i8, i32
from runtimes.gpu.kernel import of_reference

KERNELS = (KernelsFor({"T": i8, "I": i32, "U": f32}, (of_reference(),)),)
