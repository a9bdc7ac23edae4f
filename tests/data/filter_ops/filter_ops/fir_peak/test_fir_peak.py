"""FirPeak: frames that follow one another, odd and even taps, wrong options; LiteRT lacks it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.testing.op_cases import numpy_reference
from opsmith.testing.op_tests import Case, OpTests, Rejected
from opsmith.tflite.writer import ModelWriter

TAPS = [7000, -9000, 12000, 3000]


def fir_peak(samples: int, options: dict[str, Any] | None) -> Callable[[ModelWriter], None]:
    """A FirPeak to build."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", (samples,), "int16")
        y, peak = m.tensor("y", (samples,), "int16"), m.tensor("peak", (1,), "int32")
        m.node("CUSTOM", [x], [y, peak], custom="FirPeak", custom_options=options)
        m.output(y, peak)

    return build


def refused(name: str, options: dict[str, Any] | None, sentence: str, code: str) -> Rejected:
    """A use with these options, which must be refused."""
    return Rejected(Case(name, fir_peak(8, options)), sentence, code)


class TestFirPeak(OpTests):
    folder = Path(__file__).parent
    oracle = "numpy"
    cases = (
        Case("even", fir_peak(16, {"taps": TAPS})),
        Case("odd", fir_peak(17, {"taps": TAPS[:3], "shift": 10})),
        Case("one_tap", fir_peak(5, {"taps": [20000], "shift": 12})),
        Case("longer_than_a_frame", fir_peak(2, {"taps": [1000, -2000] * 4, "shift": 11})),
    )
    rejected = (
        refused(
            "no_taps", {"shift": 3}, "option for attribute 'taps' of fir_peak is miss", "MDL013"
        ),
        refused("no_options", None, "option for attribute 'taps' of fir_peak is missing", "MDL013"),
        refused("empty", {"taps": []}, "taps must be a vector with an element", "MDL014"),
        refused("too_large", {"taps": [70000]}, "'taps' is [70000], no array of int16", "MDL013"),
        refused("text", {"taps": "abc"}, "'taps' is 'abc', no array of int16", "MDL013"),
        refused("ragged", {"taps": [[1], [1, 2]]}, "no array of int16", "MDL013"),
        refused("unknown", {"taps": TAPS, "tap": 1}, "option tap=1 is not known to fir", "MDL013"),
        refused("overflow", {"taps": [32000, 32000, 32000]}, "may overflow 32 bits", "MDL014"),
        refused("shift", {"taps": TAPS, "shift": 16}, "shift 16 is not 1 to 15", "MDL014"),
    )

    def test_evaluate_is_a_convolution_that_goes_on(self) -> None:
        asked = numpy_reference(self.folder, self.cases[0])
        x = np.random.default_rng(1).integers(-9999, 9999, 48).astype(np.int16)
        frames = [asked.run([x[i : i + 16]]) for i in (0, 16, 32)]
        wanted = np.convolve(x / 2**15, TAPS)[:48]
        found = np.concatenate([y for y, _ in frames])
        np.testing.assert_allclose(found, wanted, atol=0.5 + 1e-6)
        assert [int(peak[0]) for _, peak in frames] == [int(abs(y).max()) for y, _ in frames]
