"""FullyConnectedF32: sizes and activations against LiteRT, bit for bit."""

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
class FullyConnected:
    """A matrix product to build; what is not given is as plain as can be."""

    x: tuple[int, ...] = (2, 12)
    weights: tuple[int, int] = (5, 12)
    y: tuple[int, ...] = (2, 5)
    options: Mapping[str, Any] = field(default_factory=dict)
    bias: int = -1  # its elements; -1: one for each channel
    size: float = 1.0  # of weights

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(len(repr(self)))
        given = [m.input("x", self.x, "float32")]
        weights = (random.normal(0, self.size, self.weights)).astype(np.float32)
        given.append(m.constant("weights", weights))
        channels = self.weights[0] if self.bias == -1 else self.bias
        if channels:
            given.append(m.constant("bias", random.normal(0, 1, channels).astype(np.float32)))
        y = m.tensor("y", self.y, "float32")
        m.node("FULLY_CONNECTED", given, [y], self.options, version=1)
        m.output(y)


PLAIN = FullyConnected()
ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
CASES = (
    Case("plain", PLAIN),
    *(
        Case(a.lower(), replace(PLAIN, options={"fused_activation_function": a}))
        for a in ACTIVATIONS
    ),
    Case("images", replace(PLAIN, x=(2, 2, 2, 3))),
    Case("kept", replace(PLAIN, x=(2, 1, 12), y=(2, 1, 5), options={"keep_num_dims": True})),
    Case("one_element", FullyConnected((1, 1), (1, 1), (1, 1))),
    Case("long", FullyConnected((1, 300), (3, 300), (1, 3))),
    Case("no_bias", replace(PLAIN, bias=0)),
    Case("large", replace(PLAIN, size=1e30)),
)
REJECTED = (
    Rejected(Case("depth", replace(PLAIN, weights=(5, 7))), "does not divide into rows"),
    Rejected(Case("bias", replace(PLAIN, bias=3)), "bias has 3 elements instead of 5"),
)


class TestFullyConnectedF32(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
