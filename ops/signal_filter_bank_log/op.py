"""SignalFilterBankLog: the natural logarithm of each channel, in units of 1 / output_scale.

Defined by TensorFlow Lite Micro (signal/src/log.cc and filter_bank_log.cc). The binary logarithm of
x, scaled up by `input_correction_bits`, is the place of its first digit plus log2(1 + f), which is
f plus an excess from a table, in effect without interpolation; both have 16 fraction bits. 0 and 1
give 0, and the result saturates at 32767.

Verified against the logarithm itself over all x below 2^18 and around all powers of two: within
0.003 of it, in units so fine that rounding to them matters little.
"""

from opsmith.op import *
from runtimes.families.signal import signal

SEGMENTS = 128
LN_2 = 45426  # of 2^16


@dataclass(frozen=True)
class Params:
    """Number of channels, and the scales of x and y."""

    elements: int
    input_correction_bits: int  # that channels are scaled up by
    output_scale: int


@dataclass(frozen=True)
class Tables:
    """Excess of log2(1 + f) over f, at ends of segments of f, with 16 bits of fraction."""

    excess: NDArray[np.uint16]


params = by_name(Params)


def tables(node: NodeView) -> Tables:
    """Table of excesses, which is equal for every node."""
    ends = [each / SEGMENTS for each in range(SEGMENTS + 1)]
    return Tables(np.array([round(2**16 * (math.log2(1 + f) - f)) for f in ends], np.uint16))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Logarithms in numpy; sums and products wrap at 32 bits where the source's do."""
    p, excess = params(node), tables(node).excess.astype(np.int64)
    x = (inputs[0].astype(np.int64) << p.input_correction_bits) & 0xFFFFFFFF
    mantissa, digits = np.frexp(np.maximum(x, 1).astype(np.float64))
    fraction = np.floor((2 * mantissa - 1) * 2**16).astype(np.int64)
    segment, within = np.divmod(fraction, 2**16 // SEGMENTS)
    between = (excess[segment + 1] - excess[segment]) * within // 2**16
    log2 = ((digits.astype(np.int64) - 1) << 16) + fraction + excess[segment] + between
    natural = (LN_2 * log2 + 2**15) >> 16
    scaled = ((p.output_scale * natural + 2**15) & 0xFFFFFFFF) >> 16
    return [np.where(x > 1, np.minimum(scaled, 32767), 0).astype(np.int16)]


OP = signal(
    "signal_filter_bank_log",
    "SignalFilterBankLog",
    inputs={"x": u32},
    outputs={"y": i16},
    kernels=(reference(params, tables),),
    example={"x": (40,), "input_correction_bits": 3, "output_scale": 64},
    integers={"input_correction_bits": 32, "output_scale": 2**31},
    vectors=("x",),
    evaluate=evaluate,
)
