"""DepthwiseConv2DF32: geometry and activations against LiteRT, bit for bit."""

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
class Depthwise:
    """A convolution to build; what is not given is as plain as can be."""

    x: tuple[int, ...] = (1, 5, 6, 4)
    filter: tuple[int, ...] = (1, 3, 3, 4)
    y: tuple[int, ...] = (1, 3, 4, 4)
    options: Mapping[str, Any] = field(default_factory=dict)
    bias: int = -1  # its elements; -1: one for each channel
    size: float = 1.0  # of weights

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(len(repr(self)))
        given = [m.input("x", self.x, "float32")]
        weights = (random.normal(0, self.size, self.filter)).astype(np.float32)
        given.append(m.constant("filter", weights))
        channels = self.filter[3] if self.bias == -1 else self.bias
        if channels:
            given.append(m.constant("bias", random.normal(0, 1, channels).astype(np.float32)))
        y = m.tensor("y", self.y, "float32")
        options = {"padding": "VALID", "stride_h": 1, "stride_w": 1, **self.options}
        options["depth_multiplier"] = self.filter[3] // self.x[3]
        m.node("DEPTHWISE_CONV_2D", given, [y], options, version=1)
        m.output(y)


PLAIN = Depthwise()


def with_options(y: tuple[int, ...], **options: int | str) -> Depthwise:
    return replace(PLAIN, y=y, options=options)


ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
CASES = (
    Case("plain", PLAIN),
    *(Case(a.lower(), with_options(PLAIN.y, fused_activation_function=a)) for a in ACTIVATIONS),
    Case("same", with_options((1, 5, 6, 4), padding="SAME")),
    Case("strides", with_options((1, 3, 3, 4), padding="SAME", stride_h=2, stride_w=2)),
    Case("dilated", with_options((1, 1, 2, 4), dilation_h_factor=2, dilation_w_factor=2)),
    Case("multiplier", Depthwise((2, 4, 5, 3), (1, 2, 3, 6), (2, 3, 3, 6))),
    Case("one_element", Depthwise((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1))),
    Case("no_bias", replace(PLAIN, bias=0)),
    Case("large", replace(PLAIN, size=1e30)),
)
REJECTED = (
    Rejected(Case("channels", replace(PLAIN, filter=(1, 3, 3, 6))), "are no multiple of those"),
    Rejected(Case("bias", replace(PLAIN, bias=3)), "bias has 3 elements instead of 4"),
)


class TestDepthwiseConv2DF32(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
