"""Mul: every broadcast, quantisation and activation against LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Mul:
    """A multiplication to build. Scales and zero points are of (a, b, y)."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    y: tuple[int, ...] | None = None  # None: what both broadcast to
    dtype: str = "int8"
    activation: str = "NONE"
    scales: tuple[float | Sequence[float], ...] = (0.05, 0.03, 0.1)
    zero_points: tuple[int | Sequence[int], ...] = (-3, 7, 4)
    constant: str = ""  # which of a and b is constant

    def __call__(self, m: ModelWriter) -> None:
        random, real = np.random.default_rng(len(self.a)), self.dtype == "float32"
        limits = np.iinfo("int8" if real else self.dtype)
        quantised = [*zip(self.scales, self.zero_points, strict=True)]
        if self.dtype in ("int32", "float32"):
            quantised = [((), ())] * 3
        inputs = []
        for name, shape, (scale, zero) in zip("ab", (self.a, self.b), quantised, strict=False):
            if name in self.constant:
                values = random.integers(limits.min, limits.max, shape, endpoint=True)
                inputs.append(m.constant(name, np.asarray(values, self.dtype), scale, zero))
            else:
                inputs.append(m.input(name, shape, self.dtype, scale, zero))
        shape = np.broadcast_shapes(self.a, self.b) if self.y is None else self.y
        y = m.tensor("y", shape, self.dtype, *quantised[2])
        m.node("MUL", inputs, [y], {"fused_activation_function": self.activation}, version=2)
        m.output(y)


WIDE = Mul((256,), (256,))
SHORT = Mul((64,), (64,), dtype="int16", scales=(1e-3, 2e-3, 0.05), zero_points=(0, 0, 0))
PLAIN = Mul((64,), (64,), dtype="int32")
FLOAT = replace(PLAIN, dtype="float32")
PAIRS = Mul((64, 1), (1, 64), (64, 64), zero_points=(-128, 127, 4))
CASES = (
    Case("plain", Mul((2, 3), (2, 3))),
    Case("one_element", Mul((1,), (1,))),
    Case("scalars", Mul((), ())),
    Case("scalar_a", Mul((), (2, 3))),
    Case("channels", Mul((2, 3, 4, 5), (5,), constant="b")),
    Case("both_ways", Mul((4, 1), (1, 5))),
    Case("image", Mul((2, 3, 4, 5), (1, 3, 4, 1))),
    Case("rank_5", Mul((2, 1, 2, 1, 3), (1, 4, 1, 5, 1))),
    Case("constants", Mul((2, 3), (2, 3), constant="ab")),
    Case("wide", WIDE),
    Case("saturates", replace(WIDE, scales=(0.5, 0.5, 0.01))),
    Case("vanishes", replace(WIDE, scales=(0.01, 0.01, 1e6))),
    Case("ratio_above_one", replace(WIDE, scales=(1.5, 2.0, 0.5), zero_points=(0, 0, 0))),
    Case("ratio_wraps", replace(WIDE, scales=(3e3, 3e3, 1e-1))),
    Case("powers_of_two", replace(WIDE, scales=(0.25, 0.5, 0.5), zero_points=(1, -2, 3))),
    *(
        Case(f"shift_{n}", replace(PAIRS, scales=(0.5, 0.5, 0.3 * 2.0**n)))
        for n in (-1, 0, 1, 3, 8, 15, 22, 23)
    ),
    *(Case(f"channels_{n}", replace(WIDE, a=(1, 3, 2, n), b=(n,))) for n in (4, 16, 21)),
    Case("rows_of_both", replace(WIDE, a=(3, 1, 18), b=(2, 18))),
    *(Case(f"elements_{n}", replace(WIDE, a=(n,), b=(n,))) for n in (2, 8, 15, 16, 17, 31, 33)),
    *(
        Case(f"flat_shift_{n}", replace(WIDE, scales=(0.5, 0.5, 0.3 * 2.0**n)))
        for n in (0, 1, 3, 8, 15, 23, 30, 31)
    ),
    Case("least_zero_points", replace(WIDE, zero_points=(-128, -128, -128))),
    Case("greatest_zero_points", replace(WIDE, zero_points=(127, 127, 127))),
    Case("relu", replace(WIDE, activation="RELU")),
    Case("relu6", replace(WIDE, activation="RELU6")),
    Case("relu_n1_to_1", replace(WIDE, activation="RELU_N1_TO_1")),
    Case("int16", SHORT),
    Case("int16_rows", replace(SHORT, a=(4, 5), b=(5,))),
    Case("int16_saturates", replace(SHORT, scales=(0.5, 0.5, 0.01))),
    Case("int16_relu6", replace(SHORT, activation="RELU6")),
    Case("int32", PLAIN),
    Case("int32_scalar", replace(PLAIN, b=(), constant="b")),
    Case("int32_relu", replace(PLAIN, activation="RELU")),
    Case("int32_relu6", replace(PLAIN, activation="RELU6")),
    Case("int32_relu_n1_to_1", replace(PLAIN, activation="RELU_N1_TO_1")),
    *(
        Case(f"float32_{activation.lower()}", replace(FLOAT, activation=activation))
        for activation in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
    ),
    Case("float32_rows", replace(FLOAT, a=(4, 5), b=(5,))),
    Case("float32_constant", replace(FLOAT, b=(), constant="b")),
)
REJECTED = (
    Rejected(Case("sizes", Mul((2, 3), (2, 4), (2, 4))), "do not broadcast"),
    Rejected(Case("output", Mul((2, 3), (3,), (3, 2))), "'y' is i8[3x2] where"),
    Rejected(Case("rank", Mul((2,) * 6, (2,))), "has more than 5 dimensions"),
    Rejected(
        Case(
            "channels",
            Mul((2,), (2,), scales=((0.5, 0.25), 0.5, 0.5), zero_points=((0, 0), 0, 0)),
        ),
        "a must be quantised per tensor",
    ),
    Rejected(Case("bare", Mul((2,), (2,), scales=(0.5, 0.5, ()))), "y must be quantised"),
    Rejected(Case("zero_point", replace(SHORT, zero_points=(0, 1, 0))), "b is int16 with zero"),
    Rejected(Case("ratio", replace(WIDE, scales=(1e30, 1e30, 1e-30))), "scale ratio"),
    Rejected(Case("tanh", replace(WIDE, activation="TANH")), "known are NONE", "MDL013"),
)


class TestMul(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
