"""SignalRfft kernel of int16 by dsp.h."""

from opsmith.op import KernelsFor, i16
from runtimes.cmsis.kernel import of_reference

KERNELS = (KernelsFor({"T": i16}, (of_reference("dsp", 38.0),)),)
