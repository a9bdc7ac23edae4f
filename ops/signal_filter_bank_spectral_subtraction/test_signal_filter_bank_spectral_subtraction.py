"""SignalFilterBankSpectralSubtraction: frame after frame, with and without clamping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from toolchain.testing.op_cases import Case, check_on_host, numpy_reference
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

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


def subtraction(
    channels: int = 8,
    others: Mapping[str, int] | None = None,
    *,
    x: int | None = None,
    without: str = "",
    **more: int,
) -> Callable[[ModelWriter], None]:
    """A subtraction with usual factors, or with others."""

    def build(m: ModelWriter) -> None:
        size = channels if x is None else x
        given = m.input("x", (size,), "uint32")
        outputs = [m.tensor(name, (size,), "uint32") for name in ("y", "noise")]
        options = {"num_channels": channels, **FACTORS, **(others or {}), **more}
        options = {name: value for name, value in options.items() if name != without}
        name = "SignalFilterBankSpectralSubtraction"
        m.node("CUSTOM", [given], outputs, custom=name, custom_options=options)
        m.output(*outputs)

    return build


CASES = (
    Case("usual", subtraction(40)),
    Case("clamping", subtraction(40, clamping=True)),
    Case("one_channel", subtraction(1)),
    Case("no_bits", subtraction(7, smoothing_bits=0, spectral_subtraction_bits=0)),
    Case("far_bits", subtraction(7, smoothing_bits=31, spectral_subtraction_bits=31)),
    Case("greatest", subtraction(7, dict.fromkeys(list(FACTORS)[:5], 2**31 - 1))),
)
REJECTED = (
    Rejected(Case("size", subtraction(8, x=7)), "x u32[7] must be a vector of 8"),
    Rejected(Case("below", subtraction(smoothing=-1)), "smoothing -1 is not 0 to 2^31"),
    Rejected(Case("above", subtraction(min_signal_remaining=2**31)), "is not 0 to 2^31"),
    Rejected(Case("bits", subtraction(smoothing_bits=32)), "smoothing_bits 32 is not 0 to 31"),
    Rejected(Case("more", subtraction(spectral_subtraction_bits=-1)), "bits -1 is not 0 to 31"),
    Rejected(Case("lacks", subtraction(without="clamping")), "'clamping' of", "MDL013"),
    Rejected(Case("knows_not", subtraction(other=1)), "option other=1 is not known", "MDL013"),
)


def frames(count: int, channels: int) -> list[np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    """Noise that a tone rises from and falls back to."""
    random = np.random.default_rng(0)
    loud = np.where(np.arange(count) // 10 % 2, 60000, 300)
    return [random.integers(0, top, channels, np.uint32) for top in loud]


class TestSignalFilterBankSpectralSubtraction(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
    oracle = "numpy"

    @pytest.mark.parametrize("clamping", [False, True])
    def test_every_frame_is_exact(self, clamping: bool) -> None:
        """What is left, and the estimate, by integers without a width."""
        asked = numpy_reference(self.folder, Case("x", subtraction(8, clamping=clamping)))
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

    def test_kernels_keep_the_noise(self) -> None:
        both = [Case("plain", subtraction(8)), Case("clamped", subtraction(8, clamping=True))]
        sets = [[x, x] for x in frames(60, 8)]
        check_on_host(self.folder, both, oracle="numpy", sets=sets)
