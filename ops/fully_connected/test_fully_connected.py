"""FullyConnected: shapes, quantisation and LiteRT's rounding, of int8, int16 and float32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from runtimes.families.matmul_cases import MatMul, RealMatMul
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


def two_inputs(m: ModelWriter) -> None:
    """No third input at all, as version 6 writes it."""
    x = m.input("x", (2, 4), "int8", 0.1)
    weights = m.constant("weights", np.arange(-6, 6, dtype=np.int8).reshape(3, 4), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.3)
    m.node("FULLY_CONNECTED", [x, weights], [y], version=6)
    m.output(y)


def absent_bias(m: ModelWriter) -> None:
    """A third input that is none."""
    x = m.input("x", (1, 4), "int8", 0.1)
    weights = m.constant("weights", np.arange(-6, 6, dtype=np.int8).reshape(3, 4), 0.1)
    y = m.tensor("y", (1, 3), "int8", 0.3)
    m.node("FULLY_CONNECTED", [x, weights, None], [y], version=4)
    m.output(y)


def of_constant(m: ModelWriter) -> None:
    """Every input is constant: folded at build time."""
    x = m.constant("x", np.arange(-8, 8, dtype=np.int8).reshape(2, 8), 0.1)
    weights = m.constant("weights", np.arange(-12, 12, dtype=np.int8).reshape(3, 8), 0.1)
    y = m.tensor("y", (2, 3), "int8", 0.01)
    m.node("FULLY_CONNECTED", [x, weights], [y])
    m.output(y)


# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
TIES = MatMul(x_scale=0.5, weights_scale=0.5, y_scale=0.5, bias=3, weights_value=1)

I8_CASES = (
    Case("plain", MatMul()),
    Case("equal_scales", MatMul(y_scale=0.05, y_zero_point=-3)),
    Case("per_channel", MatMul(weights_scales=5)),
    Case("per_channel_of_one", MatMul(channels=1)),
    Case("without_bias", MatMul(bias=None)),
    Case("absent_bias", absent_bias),
    Case("per_channel_without_bias", MatMul(weights_scales=5, bias=None)),
    Case("two_inputs", two_inputs),
    Case("weights_zero_point", MatMul(weights_zero_point=17)),
    Case("depth_4_of_4", MatMul(x=(1, 4), channels=4)),
    Case("depth_8_of_8", MatMul(x=(1, 8), channels=8)),
    Case("depth_16_of_16", MatMul(x=(1, 16), channels=16)),
    Case("tails", MatMul(x=(1, 37), channels=13)),
    Case("one_element", MatMul(x=(1, 1), channels=1)),
    Case("rows", MatMul(x=(6, 10))),
    Case("flattened", MatMul(x=(2, 3, 4), depth=12)),
    Case("rows_across_dimensions", MatMul(x=(2, 3, 4), depth=6)),
    Case("rank_1", MatMul(x=(12,))),
    Case("rank_4", MatMul(x=(1, 2, 3, 12))),
    Case("keep_rank_3", MatMul(x=(2, 3, 12), keep=True)),
    Case("keep_rank_4", MatMul(x=(1, 2, 3, 12), keep=True)),
    Case("keep_rank_1", MatMul(x=(12,), keep=True)),
    Case("relu", MatMul(activation="RELU")),
    Case("relu6", MatMul(activation="RELU6", y_scale=0.04, y_zero_point=-100)),
    Case("relu_n1_to_1", MatMul(activation="RELU_N1_TO_1", y_scale=0.02)),
    Case("ties", TIES),
    Case("saturates_high", MatMul(weights_value=127, x_zero_point=-128, y_scale=0.01)),
    Case("saturates_low", MatMul(weights_value=-128, x_zero_point=-128, y_scale=0.01)),
    Case("zero_points_at_ends", MatMul(x_zero_point=127, y_zero_point=-128)),
    Case("scale_above_one", MatMul(x_scale=3.0, weights_scale=2.0, y_scale=0.7)),
    Case("tiny_scale", MatMul(x_scale=1e-6, weights_scale=1e-6, y_scale=3.0)),
    Case("many_channels", MatMul(x=(3, 64), channels=128, weights_scales=128, y_scale=0.5)),
    Case("of_constant", of_constant),
)


PLAIN = MatMul(
    (2, 12), dtype="int16", x_scale=0.001, x_zero_point=0, y_scale=0.0041, y_zero_point=0,
    bias=200_000, bias_type="int64",
)  # fmt: skip
# x.scale * weights.scale / y.scale = 1/2 exactly: every odd sum is a tie.
NARROW_TIES = replace(PLAIN, x_scale=0.5, weights_scale=0.5, y_scale=0.5, weights_value=1, bias=3)
# The same with 1/8, which has no digit that double precision would round.
EIGHTHS = replace(NARROW_TIES, y_scale=2.0)
# Sums as near to 32 bits as they get.
FULL = replace(PLAIN, x=(1, 511), channels=3, weights_scale=0.001, y_scale=0.07)
# Sums beyond 32 bits that are elements of y within its bounds.
LONG = replace(PLAIN, x=(2, 2000), channels=3, weights_scale=0.001, y_scale=0.5)
I16X8_CASES = (
    Case("plain", PLAIN),
    Case("per_channel", replace(PLAIN, weights_scales=5)),
    Case("without_bias", replace(PLAIN, bias=None)),
    Case("per_channel_without_bias", replace(PLAIN, weights_scales=5, bias=None)),
    Case("images", replace(PLAIN, x=(2, 2, 2, 3), depth=12)),
    Case("kept", replace(PLAIN, x=(2, 1, 12), keep=True)),
    Case("one_element", replace(PLAIN, x=(1, 1), channels=1)),
    Case("tails", replace(PLAIN, x=(3, 37), channels=13, weights_scales=13)),
    Case("relu", replace(PLAIN, activation="RELU")),
    Case("relu6", replace(PLAIN, activation="RELU6")),
    Case("relu_n1_to_1", replace(PLAIN, activation="RELU_N1_TO_1")),
    Case("ties", NARROW_TIES),
    Case("eighths", EIGHTHS),
    Case("rounded_twice", replace(PLAIN, y_scale=0.004)),
    Case("whole_blocks", replace(PLAIN, x=(2, 16), channels=16, weights_scales=16)),
    Case("all_of_32_bits", replace(FULL, weights_value=-128, bias=4_000_000)),
    Case("below_one_half", replace(PLAIN, weights_scale=1e-12)),
    Case("beyond_32_bits", replace(LONG, weights_value=127)),
    Case("beyond_32_bits_below", replace(LONG, weights_value=-128)),
    Case("large_bias", replace(LONG, y_scale=40.0, bias=2**40)),
    Case("saturates", replace(PLAIN, weights_value=127, y_scale=0.0001)),
)
REAL = RealMatMul()
F32_CASES = (
    Case("plain", REAL),
    *(Case(a.lower(), replace(REAL, activation=a)) for a in ("RELU", "RELU6", "RELU_N1_TO_1")),
    Case("images", replace(REAL, x=(2, 2, 2, 3), depth=12)),
    Case("kept", replace(REAL, x=(2, 1, 12), keep=True)),
    Case("one_element", RealMatMul((1, 1), 1)),
    Case("long", RealMatMul((1, 300), 3)),
    Case("no_bias", replace(REAL, bias=None)),
    Case("large", replace(REAL, size=1e30)),
)
CASES = (
    *I8_CASES,
    *(replace(case, name=f"i16x8_{case.name}") for case in I16X8_CASES),
    *(replace(case, name=f"f32_{case.name}") for case in F32_CASES),
)


def refused(name: str, sentence: str, build: Callable[[ModelWriter], None]) -> Rejected:
    return Rejected(Case(name, build), sentence)


REJECTED = (
    refused("weights_rank_3", "must have two dimensions", MatMul(weights_rank=3)),
    refused("no_rows", "does not divide into rows", MatMul(depth=5)),
    refused("keep_other_depth", "differ", MatMul(x=(2, 6), depth=4, keep=True)),
    refused("axis", "along axis 0", MatMul(weights_scales=12, channels=12, weights_axis=1)),
    refused("scales", "1 or 5 scales", MatMul(weights_scales=12, weights_axis=1)),
    refused("zero_points", "zero points 0", MatMul(weights_scales=5, weights_zero_point=1)),
    refused("bias_elements", "bias has 4 elements", MatMul(bias_elements=4)),
    refused("bias_too_large", "may overflow 32 bits", MatMul(bias=2**31 - 1)),
    refused("scale_too_large", "may overflow 32 bits", MatMul(x_scale=1e9, bias=None)),
    refused("scale_infinite", "may overflow", MatMul(y_scale=1e-38, weights_scale=1e30)),
    refused("output", "follows from the inputs", MatMul(y=(1, 1, 5))),
    refused("unquantised", "x must be quantised", MatMul(x_scale=(), bias=None)),
    Rejected(Case("shuffled", MatMul(weights_format=1)), "weights_format", "MDL013"),
    refused("i16x8_rank", "must have two dimensions", replace(PLAIN, weights_rank=3)),
    refused("i16x8_depth", "does not divide into rows", replace(PLAIN, depth=7)),
    refused("i16x8_keep_depth", "differ", replace(PLAIN, x=(4, 6), depth=12, keep=True)),
    refused("i16x8_bias", "3 elements instead of 5", replace(PLAIN, bias_elements=3)),
    refused("i16x8_scales", "1 or 5 scales", replace(PLAIN, weights_scales=12, weights_axis=1)),
    Rejected(
        Case("i16x8_int32_bias", replace(PLAIN, bias_type="int32")),
        "x int16, weights int8, bias int32, y int16 do not go together",
        "MDL012",
    ),
    refused("i16x8_zero_point", "x must have zero point 0", replace(PLAIN, x_zero_point=1)),
    refused("i16x8_weights_zero_point", "zero points 0", replace(PLAIN, weights_zero_point=1)),
    refused("i16x8_bias_too_large", "may overflow 32 bits", replace(PLAIN, bias=2**60)),
    refused("i16x8_bias_beyond", "may overflow 64 bits", replace(PLAIN, bias=2**63 - 1)),
    refused("f32_depth", "does not divide into rows", replace(REAL, depth=7)),
    refused("f32_bias", "3 elements instead of 5", replace(REAL, bias_elements=3)),
)


class TestFullyConnected(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
