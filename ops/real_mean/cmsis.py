"""Real mean by the DSP extension."""

from opsmith.op import ANY_RULE, Kernel, KernelsFor, i8

from .op import LANES, Quotient, averaged

KERNELS = (
    KernelsFor(
        {"T": i8},
        (
            Kernel(
                "dsp",
                Quotient,
                LANES,
                numerics=ANY_RULE,
                requires={"dsp"},
                cost=averaged(1.2, 30.0),
                copies=("memset",),
            ),
        ),
    ),
)
