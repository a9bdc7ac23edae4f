"""Conv2DI16x8: geometry, 64-bit sums and multipliers of 16 bits against LiteRT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Conv:
    """A convolution to build; what is not given is as plain as can be."""

    x: tuple[int, ...] = (1, 5, 6, 3)
    filter: tuple[int, ...] = (4, 3, 3, 3)
    y: tuple[int, ...] = (1, 3, 4, 4)
    options: Mapping[str, Any] = field(default_factory=dict)
    x_scale: float = 0.001
    x_zero_point: int = 0
    y_scale: float = 0.004
    filter_scale: float = 0.011
    filter_scales: int = 1
    filter_value: int | None = None  # None: random
    bias: int = 200_000  # the first; the others are random up to it
    bias_elements: int | None = None
    bias_type: str = "int64"

    def __call__(self, m: ModelWriter) -> None:
        rng = np.random.default_rng(11)
        values = rng.integers(-128, 128, self.filter, np.int8)
        if self.filter_value is not None:
            values = np.full(self.filter, self.filter_value, np.int8)
        scales = [self.filter_scale * (1 + i / 7) for i in range(self.filter_scales)]
        elements = self.bias_elements or self.filter[0]
        bias = rng.integers(-self.bias, self.bias, elements, np.int64, endpoint=True)
        bias[0] = self.bias
        biases = [self.x_scale * scale for scale in scales]
        x = m.input("x", self.x, "int16", self.x_scale, self.x_zero_point)
        weights = m.constant("filter", values, scales)
        b = m.constant("bias", bias.astype(self.bias_type), biases[0])
        y = m.tensor("y", self.y, "int16", self.y_scale)
        options = {"padding": "VALID", "stride_h": 1, "stride_w": 1, **self.options}
        m.node("CONV_2D", [x, weights, b], [y], options, version=4)
        m.output(y)


PLAIN = Conv()


def with_options(y: tuple[int, ...], **options: int | str) -> Conv:
    return replace(PLAIN, y=y, options=options)


ONE = Conv((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))
# Sums beyond 32 bits that are elements of y within its bounds.
DEEP = Conv((1, 2, 2, 700), (3, 1, 1, 700), (1, 2, 2, 3), filter_scale=0.001, y_scale=0.5)
# Sums as near to 32 bits as they get.
FULL = Conv((1, 2, 2, 511), (3, 1, 1, 511), (1, 2, 2, 3), filter_scale=0.001, y_scale=0.07)
ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
CASES = (
    Case("plain", PLAIN),
    Case("per_channel", replace(PLAIN, filter_scales=4)),
    *(Case(a.lower(), with_options(PLAIN.y, fused_activation_function=a)) for a in ACTIVATIONS),
    Case("same", with_options((1, 5, 6, 4), padding="SAME")),
    Case("strides", with_options((1, 3, 2, 4), padding="SAME", stride_h=2, stride_w=3)),
    Case("dilated", with_options((1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2)),
    Case("pointwise", Conv((2, 4, 5, 8), (7, 1, 1, 8), (2, 4, 5, 7), filter_scales=7)),
    Case("one_element", ONE),
    Case("groups", Conv((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6))),
    Case("ties", replace(ONE, x_scale=0.5, filter_scale=0.5, y_scale=0.5, filter_value=1, bias=1)),
    Case("greatest_multiplier", replace(PLAIN, x_scale=0.5, filter_scale=1.9999995, y_scale=500.0)),
    Case("all_of_32_bits", replace(FULL, filter_value=-128, bias=4_000_000)),
    Case("small_groups", Conv((2, 1, 3, 4), (2, 1, 1, 4), (2, 1, 3, 2))),
    Case("dead_channels", replace(PLAIN, filter_value=0)),
    Case("dead_and_small", replace(PLAIN, filter_value=0, filter_scale=1e-9, bias=2**33)),
    Case(
        "beyond_32_bits_tails",
        replace(DEEP, x=(1, 1, 3, 597), filter=(5, 1, 1, 597), y=(1, 1, 3, 5), filter_value=-128),
    ),
    Case("beyond_32_bits", replace(DEEP, filter_value=127)),
    Case("beyond_32_bits_below", replace(DEEP, filter_value=-128)),
    Case("large_bias", replace(DEEP, y_scale=40.0, bias=2**40)),
    Case("saturates", replace(PLAIN, filter_value=127, y_scale=0.0001)),
)
REJECTED = (
    Rejected(Case("channels", replace(PLAIN, filter=(4, 3, 3, 2))), "do not fit filter"),
    Rejected(Case("bias", replace(PLAIN, bias_elements=3)), "bias has 3 elements instead of 4"),
    Rejected(Case("zero_point", replace(PLAIN, x_zero_point=1)), "x must have zero point 0"),
    Rejected(Case("bias_too_large", replace(PLAIN, bias=2**47)), "may overflow 48 bits"),
    Rejected(Case("scale", replace(PLAIN, x_scale=100.0)), "must be below 128"),
    Rejected(Case("scaled", replace(PLAIN, x_scale=1.0, bias=2**40)), "may overflow 32 bits"),
)


class TestConv2DI16x8(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
