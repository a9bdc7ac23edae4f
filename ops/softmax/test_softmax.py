"""Softmax: LiteRT's fixed-point exponentials and reciprocal, for every depth and scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from toolchain.testing.one_node import Build, one_node
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


def softmax(
    x: Sequence[int] = (1, 12),
    scale: float | tuple[()] = 0.1,
    beta: float = 1.0,
    y_scale: float = 1 / 256,
    y_zero_point: int = -128,
    y: Sequence[int] | None = None,
) -> Build:
    """A softmax of int8."""
    given, made = (x, "int8", scale, 4), (y or x, "int8", y_scale, y_zero_point)
    return one_node("SOFTMAX", {"x": given}, {"y": made}, {"beta": beta}, version=2)


def of_constant(m: ModelWriter) -> None:
    """A constant input: folded at build time."""
    x = m.constant("x", np.arange(-12, 12, dtype=np.int8).reshape(2, 12), 0.1)
    y = m.tensor("y", (2, 12), "int8", 1 / 256, -128)
    m.node("SOFTMAX", [x], [y], {"beta": 1.0}, version=2)
    m.output(y)


class TestSoftmax(OpTests):
    cases = (
        Case("plain", softmax()),
        Case("depth_4", softmax(x=(1, 4))),
        Case("depth_8", softmax(x=(1, 8))),
        Case("depth_16", softmax(x=(1, 16))),
        Case("depth_tail", softmax(x=(1, 19))),
        Case("one_element", softmax(x=(1, 1))),
        Case("two", softmax(x=(1, 2), scale=0.004)),
        Case("depth_511", softmax(x=(1, 511), scale=0.01)),
        Case("rows", softmax(x=(7, 10))),
        Case("rank_1", softmax(x=(10,))),
        Case("rank_3", softmax(x=(2, 3, 10))),
        Case("rank_4", softmax(x=(2, 3, 2, 5))),
        Case("rank_5", softmax(x=(2, 1, 3, 2, 5))),
        Case("scale_tiny", softmax(scale=1e-4)),
        Case("scale_smallest", softmax(scale=1.6e-8)),
        Case("scale_0_25", softmax(scale=0.25)),  # multiples of the exponential's own step
        Case("scale_1", softmax(scale=1.0)),
        Case("scale_3", softmax(scale=3.0)),
        Case("scale_17", softmax(scale=17.0)),
        Case("scale_1000", softmax(scale=1000.0)),
        Case("beta_half", softmax(beta=0.5)),
        Case("beta_8", softmax(beta=8.0)),
        Case("y_scale_nearly", softmax(y_scale=1.0005 / 256)),
        Case("of_constant", of_constant),
    )
    rejected = (
        Rejected(Case("scalar", softmax(x=())), "at least one dimension"),
        Rejected(Case("too_deep", softmax(x=(1, 4096))), "larger than 4095"),
        Rejected(Case("y_scale", softmax(y_scale=1 / 255)), "scale 1/256"),
        Rejected(Case("y_zero_point", softmax(y_zero_point=0)), "zero point -128"),
        Rejected(Case("beta_0", softmax(beta=0.0)), "beta 0.0"),
        Rejected(Case("beta_negative", softmax(beta=-1.0)), "beta -1.0"),
        Rejected(Case("beta_nan", softmax(beta=math.nan)), "beta nan"),
        Rejected(Case("scale_too_small", softmax(scale=1e-8)), "is not above 2^-26"),
        Rejected(Case("unquantised", softmax(scale=())), "x must be quantised per tensor"),
        Rejected(Case("output", softmax(y=(12, 1))), "follows from the inputs"),
    )
