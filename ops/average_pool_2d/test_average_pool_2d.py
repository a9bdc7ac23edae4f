"""AveragePool2D: windows, padding, rounding and activations against LiteRT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Pool:
    """A pooling; call it to add it to a model."""

    x: Sequence[int] = (1, 7, 6, 4)
    window: tuple[int, int] = (2, 2)
    padding: str = "SAME"
    stride: tuple[int, int] = (1, 1)
    activation: str = "NONE"
    scale: float | tuple[()] = 0.1
    zero_point: int = 4
    y_scale: float | None = None  # None: as x
    y_zero_point: int | None = None
    y: Sequence[int] | None = None

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, "int8", self.scale, self.zero_point)
        scale = self.scale if self.y_scale is None else self.y_scale
        zero_point = self.zero_point if self.y_zero_point is None else self.y_zero_point
        y = m.tensor("y", self.y or self._y(), "int8", scale, zero_point)
        options: dict[str, OptionValue] = {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "filter_height": self.window[0],
            "filter_width": self.window[1],
            "fused_activation_function": self.activation,
        }
        m.node("AVERAGE_POOL_2D", [x], [y], options, version=2)
        m.output(y)

    def _y(self) -> tuple[int, ...]:
        sizes = []
        for size, window, stride in zip(self.x[1:3], self.window, self.stride, strict=False):
            reach = 0 if self.padding == "SAME" else window - 1
            sizes.append(max(-(-(size - reach) // max(stride, 1)), 1))
        return (self.x[0], *sizes, self.x[-1])


def of_constant(m: ModelWriter) -> None:
    """A constant image, and a window that reaches far beyond it: folded at build time."""
    x = m.constant("x", np.arange(-25, 25, dtype=np.int8).reshape(1, 5, 5, 2), 0.1)
    y = m.tensor("y", (1, 5, 5, 2), "int8", 0.1)
    options: dict[str, OptionValue] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    m.node("AVERAGE_POOL_2D", [x], [y], {**options, "filter_height": 2000, "filter_width": 2000})
    m.output(y)


CASES = (
    Case("same", Pool()),
    Case("valid", Pool(padding="VALID")),
    Case("channels_8", Pool(x=(1, 4, 4, 8))),
    Case("channels_16", Pool(x=(1, 4, 4, 16))),
    Case("channels_tail", Pool(x=(1, 4, 4, 19))),
    Case("one_element", Pool(x=(1, 1, 1, 1), window=(1, 1))),
    Case("one_pixel", Pool(x=(1, 1, 1, 3), window=(3, 3))),
    Case("batches", Pool(x=(3, 4, 5, 2))),
    Case("window_3", Pool(window=(3, 3))),
    Case("window_3_stride_2", Pool(window=(3, 3), stride=(2, 2))),
    Case("stride_2_3_valid", Pool(x=(1, 9, 8, 4), stride=(2, 3), padding="VALID")),
    Case("stride_above_window", Pool(x=(1, 9, 9, 2), stride=(4, 3))),
    Case("window_above_image", Pool(x=(1, 3, 2, 4), window=(7, 8))),
    Case("whole_image", Pool(x=(1, 25, 5, 6), window=(25, 5), padding="VALID")),
    Case("window_1x5", Pool(window=(1, 5))),
    *(Case(f"channels_{n}", Pool(x=(1, 5, 4, n), window=(3, 3))) for n in (3, 5, 7, 12, 17, 33)),
    Case("window_180", Pool(x=(1, 12, 15, 5), window=(12, 15), padding="VALID")),
    Case("window_182", Pool(x=(1, 13, 14, 5), window=(13, 14), padding="VALID")),
    Case("window_256", Pool(x=(1, 16, 17, 5), window=(16, 16), padding="VALID")),
    Case("window_272", Pool(x=(1, 16, 17, 5), window=(16, 17), padding="VALID")),
    Case("even_count_ties", Pool(x=(1, 2, 1, 4), window=(2, 1), padding="VALID")),
    Case("relu", Pool(activation="RELU")),
    Case("relu6", Pool(activation="RELU6", scale=0.03, zero_point=-120)),
    Case("relu_n1_to_1", Pool(activation="RELU_N1_TO_1", scale=0.02)),
    Case("zero_point_high", Pool(activation="RELU", zero_point=127)),
    Case("nearly_equal_scales", Pool(scale=0.1, y_scale=0.1 + 5e-7)),
    Case("of_constant", of_constant),
)


def refused(name: str, sentence: str, build: Callable[[ModelWriter], None]) -> Rejected:
    return Rejected(Case(name, build), sentence)


REJECTED = (
    refused("stride_0", "must be positive", Pool(stride=(0, 1))),
    refused("window_0", "must be positive", Pool(window=(0, 1))),
    refused("window_negative", "must be positive", Pool(window=(1, -1))),
    refused("does_not_fit", "does not fit", Pool(window=(8, 1), padding="VALID")),
    refused("huge_window", "does not fit", Pool(window=(1 << 30, 1))),
    refused("huge_area", "is too large", Pool(window=(4000, 4000))),
    refused("rank_3", "must have four dimensions", Pool(x=(7, 6, 4))),
    refused("unequal_scales", "the same scale", Pool(y_scale=0.2)),
    refused("unequal_zero_points", "the same scale", Pool(y_zero_point=5)),
    refused("unquantised", "x must be quantised per tensor", Pool(scale=(), y_scale=0.1)),
    refused("output", "follows from the inputs", Pool(y=(1, 7, 6, 5))),
)


class TestAveragePool2d(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED


@pytest.mark.parametrize("count", range(1, 181))
def test_reciprocals_give_every_mean(count: int) -> None:
    """What Mean of runtimes/core/lanes.h computes, for every sum."""
    sums = np.arange(-128 * count, 127 * count + 1, dtype=np.int64)
    products = sums * ((1 << 23) // count + 1) + (1 << 22)
    assert np.abs(products).max() < 1 << 31
    means = np.sign(sums) * ((np.abs(sums) + count // 2) // count)
    assert np.array_equal(products >> 23, means)
