"""L2Normalization kernels of bytes for the DSP extension."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference

COST = instructions(row_count, 120.0, 11.0)
BYTES = (of_reference("dsp", COST, code=Code(instance=560, general=740)),)
KERNELS = tuple(KernelsFor({"T": dtype}, BYTES) for dtype in (i8, u8))
