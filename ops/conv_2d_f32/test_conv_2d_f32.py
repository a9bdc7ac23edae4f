"""Conv2DF32: geometry and activations against LiteRT, bit for bit."""

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
    bias: int | None = None  # its elements; None: one for each channel
    size: float = 1.0  # of weights

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(len(repr(self)))
        x = m.input("x", self.x, "float32")
        weights = (random.normal(0, self.size, self.filter)).astype(np.float32)
        channels = self.filter[0] if self.bias is None else self.bias
        bias = random.normal(0, 1, channels).astype(np.float32)
        y = m.tensor("y", self.y, "float32")
        options = {"padding": "VALID", "stride_h": 1, "stride_w": 1, **self.options}
        given = [x, m.constant("filter", weights), m.constant("bias", bias)]
        m.node("CONV_2D", given, [y], options, version=1)
        m.output(y)


PLAIN = Conv()


def with_options(y: tuple[int, ...], **options: int | str) -> Conv:
    return replace(PLAIN, y=y, options=options)


ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
CASES = (
    Case("plain", PLAIN),
    *(Case(a.lower(), with_options(PLAIN.y, fused_activation_function=a)) for a in ACTIVATIONS),
    Case("same", with_options((1, 5, 6, 4), padding="SAME")),
    Case("strides", with_options((1, 3, 2, 4), padding="SAME", stride_h=2, stride_w=3)),
    Case("dilated", with_options((1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2)),
    Case("pointwise", Conv((2, 4, 5, 8), (7, 1, 1, 8), (2, 4, 5, 7))),
    Case("one_element", Conv((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))),
    Case("groups", Conv((1, 5, 6, 4), (6, 3, 3, 2), (1, 3, 4, 6))),
    Case("large", replace(PLAIN, size=1e30)),
    Case("vanishes", replace(PLAIN, size=1e-40)),
)
REJECTED = (
    Rejected(Case("channels", replace(PLAIN, filter=(4, 3, 3, 2))), "do not fit filter"),
    Rejected(Case("bias", replace(PLAIN, bias=3)), "bias has 3 elements instead of 4"),
)


class TestConv2DF32(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
