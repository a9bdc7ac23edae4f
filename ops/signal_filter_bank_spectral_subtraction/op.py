"""SignalFilterBankSpectralSubtraction: each channel less a running estimate of its noise.

Defined by TensorFlow Lite Micro (signal/src/filter_bank_spectral_subtraction.cc). The estimate is
a low pass of the channel with `smoothing_bits` more bits, which survives invoke(); channels of odd
index have a smoothing of their own. At least `min_signal_remaining` of a channel is left.
"""

from opsmith.op import *
from runtimes.families.signal import signal, vector_problems

FACTORS = (
    "smoothing",
    "one_minus_smoothing",
    "alternate_smoothing",
    "alternate_one_minus_smoothing",
    "min_signal_remaining",
)
BITS = ("smoothing_bits", "spectral_subtraction_bits")


@dataclass(frozen=True)
class Params:
    """Number of channels, and their factors as fractions of 2^spectral_subtraction_bits."""

    num_channels: int
    smoothing: tuple[int, int]  # of channels of even and of odd index
    one_minus_smoothing: tuple[int, int]
    min_signal_remaining: int
    smoothing_bits: int  # that an estimate has more than its channel
    spectral_subtraction_bits: int
    clamping: bool  # whether an estimate never exceeds its channel


def check(node: NodeView) -> Iterator[str]:
    """Sentence about an x that has not num_channels elements."""
    yield from vector_problems(node, "x", size=node.attributes["num_channels"])


def of_parities(name: str) -> Callable[[NodeView], tuple[int, int]]:
    """Function that gives a factor for channels of even and of odd index."""
    return lambda node: (node.attributes[name], node.attributes[f"alternate_{name}"])


params = by_name(
    Params,
    smoothing=of_parities("smoothing"),
    one_minus_smoothing=of_parities("one_minus_smoothing"),
)


def evaluate(node: NodeView, inputs: Sequence[Array], state: States) -> Sequence[Array]:
    """Remaining signal and noise estimates in numpy; the estimates are also the state."""
    p, noise = params(node), state["noise"]
    odd = np.arange(p.num_channels) % 2
    rise, keep = (np.array(each, np.uint64)[odd] for each in (p.smoothing, p.one_minus_smoothing))
    bits, fraction = np.uint64(p.smoothing_bits), np.uint64(p.spectral_subtraction_bits)
    low = np.uint64(2**32 - 1)
    x = inputs[0].astype(np.uint64)
    signal = (x << bits) & low
    estimate = ((signal * rise + noise.astype(np.uint64) * keep) >> fraction) & low
    capped = np.minimum(estimate, signal)
    noise[:] = capped if p.clamping else estimate
    least = ((x * np.uint64(p.min_signal_remaining)) >> fraction) & low
    y = np.maximum((signal - capped) >> bits, least)
    return [y.astype(np.uint32), noise.copy()]


OP = signal(
    "signal_filter_bank_spectral_subtraction",
    "SignalFilterBankSpectralSubtraction",
    inputs={"x": u32},
    outputs={"y": u32, "noise_estimate": u32},
    kernels=(reference(params),),
    example={
        "x": (40,),
        "noise_estimate": (40,),
        "num_channels": 40,
        "smoothing": 409,
        "one_minus_smoothing": 15975,
        "alternate_smoothing": 983,
        "alternate_one_minus_smoothing": 15401,
        "min_signal_remaining": 819,
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
        "clamping": False,
    },
    attributes=(Attribute("num_channels", int), Attribute("clamping", bool)),
    integers=dict.fromkeys(FACTORS, 2**31) | dict.fromkeys(BITS, 32),
    states=(State("noise", u32, lambda node: int(node.attributes["num_channels"])),),
    check=check,
    evaluate=evaluate,
)
