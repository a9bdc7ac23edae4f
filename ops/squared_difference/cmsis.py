"""SquaredDifference of quantised elements by the DSP extension and Helium."""

from opsmith.op import KernelsFor, i8, i16
from opsmith.runtimes.cmsis.words import pairs

MVE = pairs("mve", "SquaredDifference", 6.0)
DSP = pairs("dsp", "SquaredDifference", 18.5)  # of int8, whose squares are below 2^30
KERNELS = (KernelsFor({"T": i8}, (MVE, DSP)), KernelsFor({"T": i16}, (MVE,)))
