"""SignalFilterBank: triangular bands as a front end has them, odd ones, and ones that go astray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toolchain.testing.one_node import Given, custom_node
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Bank:
    """A filter bank to build."""

    bins: int
    weights: Sequence[int]
    starts: Sequence[int]
    weight_starts: Sequence[int]
    widths: Sequence[int]
    unweights: Sequence[int] | None = None  # None: what is left of 4096
    channels: int | None = None  # None: one fewer than bands
    y: int | None = None
    constant: bool = True

    def __call__(self, m: ModelWriter) -> None:
        channels = len(self.widths) - 1 if self.channels is None else self.channels
        rest = [4096 - weight for weight in self.weights]
        unweights = rest if self.unweights is None else self.unweights
        inputs: dict[str, Given] = {"x": ((self.bins,), "uint32")}
        for name, values in (
            ("weights", self.weights),
            ("unweights", unweights),
            ("starts", self.starts),
            ("weight_starts", self.weight_starts),
            ("widths", self.widths),
        ):
            array = np.array(values, np.int16)
            inputs[name] = array if self.constant else (array.shape, "int16")
        outputs = {"y": ((channels if self.y is None else self.y,), "uint64")}
        custom_node("SignalFilterBank", inputs, outputs, {"num_channels": channels})(m)


RANDOM = np.random.default_rng(0)
WIDTHS = (4, 4, 8, 12, 16, 24)
OFFSETS = tuple(int(each) for each in np.cumsum((0, *WIDTHS))[:-1])
MEL = Bank(
    bins=80,
    weights=RANDOM.integers(0, 4097, sum(WIDTHS)).tolist(),
    starts=[4 + offset for offset in OFFSETS],
    weight_starts=OFFSETS,
    widths=WIDTHS,
)
CASES = (
    Case("mel", MEL),
    Case("overlapping", replace(MEL, starts=(0, 2, 5, 9, 20, 30))),
    Case("backwards", replace(MEL, starts=(70, 60, 40, 20, 3, 0))),
    Case("shared_weights", replace(MEL, weight_starts=(0, 0, 0, 4, 8, 9))),
    Case("empty_bands", replace(MEL, widths=(0, 4, 0, 12, 0, 0))),
    Case("negative", replace(MEL, weights=RANDOM.integers(-(2**15), 2**15, 68).tolist(),
                             unweights=RANDOM.integers(-(2**15), 2**15, 68).tolist())),
    Case("one_channel", Bank(4, (1, 2, 3), (0, 1), (0, 1), (1, 2))),
    Case("empty_band_elsewhere", Bank(4, (1, 2, 3), (9, 1), (-7, 1), (0, 2))),
)  # fmt: skip
REJECTED = (
    Rejected(Case("bins", replace(MEL, bins=71)), "band 5 leaves x u32[71]"),
    Rejected(Case("start", replace(MEL, starts=(-1, 4, 8, 9, 9, 9))), "band 0 leaves x"),
    Rejected(Case("weights", replace(MEL, weight_starts=(0, 65, 0, 0, 0, 0))), "band 1 leaves w"),
    Rejected(Case("width", replace(MEL, widths=(4, 4, -1, 4, 4, 4))), "a width is negative"),
    Rejected(Case("channels", replace(MEL, channels=6)), "starts i16[6] must be a vector of 7"),
    Rejected(Case("output", replace(MEL, y=6)), "'y' is u64[6] where u64[5]"),
    Rejected(Case("none", replace(MEL, channels=0, y=1)), "'y' is u64[1] where u64[0]"),
    Rejected(Case("few", replace(MEL, unweights=(1, 2))), "must be a vector as unweights are"),
    Rejected(Case("unknown", replace(MEL, constant=False)), "'weights' must be a constant"),
)


class TestSignalFilterBank(OpTests):
    oracle = "numpy"
    cases = CASES
    rejected = REJECTED

    def test_sums_are_exact(self) -> None:
        x = RANDOM.integers(0, 2**32, MEL.bins, np.uint32)
        (found,) = self.in_numpy(MEL).run([x])
        bins = [int(each) for each in x]
        for channel in range(len(WIDTHS) - 1):
            own, before = channel + 1, channel
            exact = sum(
                MEL.weights[OFFSETS[own] + i] * bins[MEL.starts[own] + i]
                for i in range(WIDTHS[own])
            ) + sum(
                (4096 - MEL.weights[OFFSETS[before] + i]) * bins[MEL.starts[before] + i]
                for i in range(WIDTHS[before])
            )
            assert int(found[channel]) == exact
