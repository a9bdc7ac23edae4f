"""SignalWindow kernel by dsp.h."""

from runtimes.cmsis.kernel import of_reference

KERNELS = (of_reference("dsp", 5.0),)
