"""Softmax: LiteRT's fixed-point exponentials and reciprocal, for every depth and scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Softmax:
    """A softmax; call it to add it to a model."""

    x: Sequence[int] = (1, 12)
    scale: float | tuple[()] = 0.1
    zero_point: int = 4
    beta: float = 1.0
    y_scale: float = 1 / 256
    y_zero_point: int = -128
    y: Sequence[int] | None = None

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, "int8", self.scale, self.zero_point)
        y = m.tensor("y", self.y or self.x, "int8", self.y_scale, self.y_zero_point)
        m.node("SOFTMAX", [x], [y], {"beta": self.beta}, version=2)
        m.output(y)


def of_constant(m: ModelWriter) -> None:
    """A constant input: folded at build time."""
    x = m.constant("x", np.arange(-12, 12, dtype=np.int8).reshape(2, 12), 0.1)
    y = m.tensor("y", (2, 12), "int8", 1 / 256, -128)
    m.node("SOFTMAX", [x], [y], {"beta": 1.0}, version=2)
    m.output(y)


CASES = (
    Case("plain", Softmax()),
    Case("depth_4", Softmax(x=(1, 4))),
    Case("depth_8", Softmax(x=(1, 8))),
    Case("depth_16", Softmax(x=(1, 16))),
    Case("depth_tail", Softmax(x=(1, 19))),
    Case("one_element", Softmax(x=(1, 1))),
    Case("two", Softmax(x=(1, 2), scale=0.004)),
    Case("depth_511", Softmax(x=(1, 511), scale=0.01)),
    Case("rows", Softmax(x=(7, 10))),
    Case("rank_1", Softmax(x=(10,))),
    Case("rank_3", Softmax(x=(2, 3, 10))),
    Case("rank_4", Softmax(x=(2, 3, 2, 5))),
    Case("rank_5", Softmax(x=(2, 1, 3, 2, 5))),
    Case("scale_tiny", Softmax(scale=1e-4)),
    Case("scale_smallest", Softmax(scale=1.6e-8)),
    Case("scale_0_25", Softmax(scale=0.25)),  # multiples of the exponential's own step
    Case("scale_1", Softmax(scale=1.0)),
    Case("scale_3", Softmax(scale=3.0)),
    Case("scale_17", Softmax(scale=17.0)),
    Case("scale_1000", Softmax(scale=1000.0)),
    Case("beta_half", Softmax(beta=0.5)),
    Case("beta_8", Softmax(beta=8.0)),
    Case("y_scale_nearly", Softmax(y_scale=1.0005 / 256)),
    Case("of_constant", of_constant),
)


def refused(name: str, sentence: str, build: Callable[[ModelWriter], None]) -> Rejected:
    return Rejected(Case(name, build), sentence)


REJECTED = (
    refused("scalar", "at least one dimension", Softmax(x=())),
    refused("too_deep", "larger than 4095", Softmax(x=(1, 4096))),
    refused("y_scale", "scale 1/256", Softmax(y_scale=1 / 255)),
    refused("y_zero_point", "zero point -128", Softmax(y_zero_point=0)),
    refused("beta_0", "beta 0.0", Softmax(beta=0.0)),
    refused("beta_negative", "beta -1.0", Softmax(beta=-1.0)),
    refused("beta_nan", "beta nan", Softmax(beta=math.nan)),
    refused("scale_too_small", "is not above 2^-26", Softmax(scale=1e-8)),
    refused("unquantised", "x must be quantised per tensor", Softmax(scale=())),
    refused("output", "follows from the inputs", Softmax(y=(12, 1))),
)


class TestSoftmax(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
