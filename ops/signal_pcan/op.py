"""SignalPCAN: per-channel automatic gain by the channel's noise, and a soft threshold.

Defined by TensorFlow Lite Micro (signal/src/pcan_argc_fixed.cc). The gain is a function of the
noise that `gain_lut` gives by parabolas, one for each power of two. Channel times gain, shifted
right by `snr_shift`, has 12 fraction bits; it becomes x^2 / 4 below 2 and x - 1 above, with 6.

Verified against exact fractions: the gain is within 0.54 of the parabola, and the result is the
soft threshold rounded down. Parabolas for 2^21 * (noise / 2^7 + 80)^-0.95, the power law that the
front end of micro_speech has, are within 64 of it, of 32767.
"""

from opsmith.op import *
from runtimes.families.signal import signal

LUT_ELEMENTS = 125  # of noise 0, 1 and 2, then 4 of each power of two, of which one is unused


@dataclass(frozen=True)
class Params:
    """Number of channels, and the right shift of their products."""

    elements: int
    snr_shift: int


def check(node: NodeView) -> Iterator[str]:
    """Sentences about channels that do not match, and a table too short for 32 bits."""
    x, noise, lut = node["x"], node["noise_estimate"], node["gain_lut"]
    if len(x.shape) != 1 or noise.shape != x.shape:
        yield f"x {x.type} must be a vector as noise_estimate {noise.type} is"
    if len(lut.shape) != 1 or lut.elements < LUT_ELEMENTS:
        yield f"gain_lut {lut.type} must be a vector of {LUT_ELEMENTS}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Channels with gain and soft threshold, in numpy."""
    x, noise, lut = inputs
    gain = gains(noise, lut).astype(np.uint64)  # the sign of a gain goes all the way up
    gain &= np.uint64(2**32 - 1)
    snr = (x * gain >> np.uint64(node.attributes["snr_shift"])) & np.uint64(2**32 - 1)
    square = snr * snr >> np.uint64(20)
    return [np.where(snr < 2 << 12, square, (snr >> np.uint64(6)) - np.uint64(64)).astype("u4")]


def gains(noise: Array, lut: Array) -> NDArray[np.int64]:
    """Gain at each noise. Sums of the parabola wrap at 32 bits, the gain at 16."""
    noise, table = noise.astype(np.int64), lut.astype(np.int64)
    length = np.frexp(noise.astype(np.float64))[1].astype(np.int64)  # in binary digits
    wide, narrow = np.maximum(length - 11, 0), np.maximum(11 - length, 0)
    fraction = ((noise << narrow) >> wide) & 0x3FF
    at = np.maximum(4 * length - 6, 0)
    start, slope, curve = (table[at + i] for i in range(3))
    slope = (curve * fraction >> 5) + (slope << 5)
    rise = ((slope * fraction + (1 << 14)).astype(np.int32) >> 15).astype(np.int64)
    return (
        np.where(noise <= 2, table[np.minimum(noise, 2)], (start + rise)).astype("i2").astype("i8")
    )


OP = signal(
    "signal_pcan",
    "SignalPCAN",
    inputs={"x": u32, "noise_estimate": u32, "gain_lut": i16},
    outputs={"y": u32},
    kernels=(reference(Params),),
    example={"x": (40,), "noise_estimate": (40,), "gain_lut": np.arange(125) % 100, "snr_shift": 6},
    integers={"snr_shift": 64},
    check=check,
    evaluate=evaluate,
)
