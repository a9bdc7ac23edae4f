"""SignalFilterBankSpectralSubtraction: frame after frame, with and without clamping."""

from opsmith.testing.op_tests import *

FACTORS = {
    "smoothing": 409,
    "one_minus_smoothing": 15975,
    "alternate_smoothing": 983,
    "alternate_one_minus_smoothing": 15401,
    "min_signal_remaining": 819,
    "smoothing_bits": 10,
    "spectral_subtraction_bits": 14,
    "clamping": False,
}


def subtraction(channels: int = 8, *, x: int | None = None, **others: int | None) -> Build:
    """Subtraction to build with usual factors, or with others; None leaves an option out."""
    tensor = ((channels if x is None else x,), "uint32")
    options = {"num_channels": channels, **FACTORS, **others}
    return custom_node(
        "SignalFilterBankSpectralSubtraction",
        {"x": tensor},
        {"y": tensor, "noise": tensor},
        {name: value for name, value in options.items() if value is not None},
    )


def frames(count: int, channels: int) -> list[np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    """Frames of noise from which a tone rises, and to which it falls back."""
    random = np.random.default_rng(0)
    loud = np.where(np.arange(count) // 10 % 2, 60000, 300)
    return [random.integers(0, top, channels, np.uint32) for top in loud]


class TestSignalFilterBankSpectralSubtraction(OpTests):
    oracle = "numpy"
    cases = (
        Case("usual", subtraction(40)),
        Case("clamping", subtraction(40, clamping=True)),
        Case("one_channel", subtraction(1)),
        Case("no_bits", subtraction(7, smoothing_bits=0, spectral_subtraction_bits=0)),
        Case("far_bits", subtraction(7, smoothing_bits=31, spectral_subtraction_bits=31)),
        Case("greatest", subtraction(7, **dict.fromkeys(list(FACTORS)[:5], 2**31 - 1))),
    )
    rejected = (
        refused("size", subtraction(8, x=7), "x u32[7] must be a vector of 8"),
        refused("below", subtraction(smoothing=-1), "smoothing -1 is not 0 to 2^31"),
        refused("above", subtraction(min_signal_remaining=2**31), "is not 0 to 2^31"),
        refused("bits", subtraction(smoothing_bits=32), "smoothing_bits 32 is not 0 to 31"),
        refused("more", subtraction(spectral_subtraction_bits=-1), "bits -1 is not 0 to 31"),
        refused("lacks", subtraction(clamping=None), "'clamping' of", "MDL013"),
        refused("knows_not", subtraction(other=1), "option other=1 is not known", "MDL013"),
    )

    @pytest.mark.parametrize("clamping", [False, True])
    def test_every_frame_is_exact(self, clamping: bool) -> None:
        """Compares the remaining signal, and the estimate, with Python's integers."""
        asked = self.in_numpy(subtraction(8, clamping=clamping))
        noise = [0] * 8
        for x in frames(60, 8):
            left, estimates = asked.run([x])
            for i, value in enumerate(x.tolist()):
                alternate = "alternate_" if i % 2 else ""
                rise = FACTORS[f"{alternate}smoothing"] * (value << 10)
                noise[i] = (rise + FACTORS[f"{alternate}one_minus_smoothing"] * noise[i]) >> 14
                least = value * FACTORS["min_signal_remaining"] >> 14
                wanted = max(((value << 10) - min(noise[i], value << 10)) >> 10, least)
                if clamping:
                    noise[i] = min(noise[i], value << 10)
                assert (left[i], estimates[i]) == (wanted, noise[i])

    @pytest.mark.slow
    def test_kernels_keep_the_noise(self) -> None:
        both = [Case("plain", subtraction(8)), Case("clamped", subtraction(8, clamping=True))]
        self.check_kernels(both, [[x, x] for x in frames(60, 8)])
