"""Add: every broadcast, quantisation and activation against LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Add:
    """An addition to build. Scales are (a, b, y)."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    y: tuple[int, ...] | None = None  # None: the larger of both
    activation: str = "NONE"
    scales: tuple[float | Sequence[float], ...] = (0.05, 0.03, 0.07)
    zero_points: tuple[int | Sequence[int], ...] = (-3, 7, 4)
    constant: str = ""  # which of a and b is constant
    dtype: str = "int8"  # int32 has no quantisation

    def __call__(self, m: ModelWriter) -> None:
        random, real = np.random.default_rng(len(self.a)), self.dtype == "float32"
        limits = np.iinfo("int8" if real else self.dtype)
        quantised = [*zip(self.scales, self.zero_points, strict=True)]
        inputs = []
        for name, shape, (scale, zero) in zip("ab", (self.a, self.b), quantised, strict=False):
            if name in self.constant:
                values = random.integers(limits.min, limits.max, shape, endpoint=True)
                inputs.append(m.constant(name, np.asarray(values, self.dtype), scale, zero))
            else:
                inputs.append(m.input(name, shape, self.dtype, scale, zero))
        shape = self.y if self.y is not None else max(self.a, self.b, key=lambda s: (len(s), s))
        y = m.tensor("y", shape, self.dtype, *quantised[2])
        m.node("ADD", inputs, [y], {"fused_activation_function": self.activation}, version=2)
        m.output(y)


PLAIN = Add((2, 3), (2, 3))
INT32 = Add((64,), (64,), dtype="int32", scales=((),) * 3, zero_points=((),) * 3)
WIDE = Add((256,), (256,))  # meets every sum of two equal elements
FLOAT = replace(INT32, dtype="float32")
RESNET = replace(WIDE, scales=(0.0364, 0.0293, 0.0402), zero_points=(-128, -3, -128))
CASES = (
    Case("plain", PLAIN),
    Case("one_element", Add((1,), (1,))),
    Case("scalars", Add((), ())),
    Case("scalar_b", Add((2, 3), ())),
    Case("scalar_a", Add((), (2, 3))),
    Case("one_and_many", Add((1,), (4, 5), (4, 5))),
    Case("rows", Add((4, 5), (5,))),
    Case("columns", Add((4, 1), (4, 5))),
    Case("both_ways", Add((4, 1), (1, 5), (4, 5))),
    Case("rank_4", Add((2, 3, 4, 5), (2, 3, 4, 5))),
    Case("rank_4_channels", Add((2, 3, 4, 5), (5,))),
    Case("rank_4_image", Add((2, 3, 4, 5), (1, 3, 4, 1))),
    Case("rank_4_batch", Add((1, 3, 1, 5), (2, 1, 4, 1), (2, 3, 4, 5))),
    Case("rank_5", Add((2, 1, 2, 3, 2), (2, 1, 2, 3, 2))),
    Case("rank_5_broadcast", Add((2, 1, 2, 1, 3), (1, 4, 1, 5, 1), (2, 4, 2, 5, 3))),
    Case("rank_5_and_4", Add((3, 2, 2, 2, 2), (2, 1, 2, 1))),
    Case("rank_5_and_1", Add((2,), (2, 2, 2, 2, 2))),
    Case("constant_a", replace(PLAIN, constant="a")),
    Case("constant_b", Add((2, 3), (3,), constant="b")),
    Case("constants", replace(PLAIN, constant="ab")),
    Case("equal_scales", replace(WIDE, scales=(0.5, 0.5, 0.5), zero_points=(0, 0, 0))),
    Case("halved", replace(WIDE, scales=(0.5, 0.5, 1.0), zero_points=(0, 0, 0))),
    Case("powers_of_two", replace(WIDE, scales=(0.25, 0.5, 2.0), zero_points=(1, -2, 3))),
    Case("unequal_scales", replace(WIDE, scales=(1e-4, 3.0, 2.9))),
    Case("far_scales", replace(WIDE, scales=(1e-6, 3e5, 5e5))),
    Case("saturates", replace(WIDE, scales=(0.5, 0.5, 0.01))),
    Case("barely_allowed", replace(WIDE, scales=(1.0, 1.0, 2.0**-18))),
    Case("vanishes", replace(WIDE, scales=(0.5, 0.5, 1e6))),
    Case("least_zero_points", replace(WIDE, zero_points=(-128, -128, -128))),
    Case("greatest_zero_points", replace(WIDE, zero_points=(127, 127, 127))),
    Case("opposite_zero_points", replace(WIDE, zero_points=(-128, 127, 0))),
    Case("relu", replace(WIDE, activation="RELU")),
    Case("relu6", replace(WIDE, activation="RELU6")),
    Case("relu_n1_to_1", replace(WIDE, activation="RELU_N1_TO_1")),
    Case("relu6_beyond_the_type", replace(WIDE, activation="RELU6", scales=(0.01, 0.01, 0.01))),
    *(
        Case(f"elements_{n}", replace(RESNET, a=(n,), b=(n,)))
        for n in (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)
    ),
    *(Case(f"channels_{n}", replace(RESNET, a=(1, 3, 2, n), b=(n,))) for n in (4, 16, 21)),
    Case("rows_of_both", replace(RESNET, a=(3, 1, 18), b=(2, 18), y=(3, 2, 18))),
    Case("image", replace(RESNET, a=(1, 9, 7, 5), b=(1, 9, 7, 5))),
    Case("image_and_channels", replace(RESNET, a=(1, 9, 7, 5), b=(5,))),
    Case("image_relu6", replace(RESNET, a=(1, 3, 3, 7), b=(1, 3, 3, 7), activation="RELU6")),
    Case("larger_output", replace(WIDE, scales=(0.3, 0.2, 4.0))),
    Case("int32", INT32),
    Case("int32_scalar", replace(INT32, b=(), constant="b")),
    Case("int32_rows", replace(INT32, a=(4, 5), b=(5,))),
    Case("int32_relu", replace(INT32, activation="RELU")),
    Case("int32_relu6", replace(INT32, activation="RELU6")),
    Case("int32_relu_n1_to_1", replace(INT32, activation="RELU_N1_TO_1")),
    *(
        Case(f"float32_{activation.lower()}", replace(FLOAT, activation=activation))
        for activation in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
    ),
    Case("float32_rows", replace(FLOAT, a=(4, 5), b=(5,))),
    Case("float32_constant", replace(FLOAT, b=(), constant="b")),
)
REJECTED = (
    Rejected(Case("shapes", Add((2, 3), (2, 4))), "shapes (2, 3), (2, 4) do not broadcast"),
    Rejected(Case("y", Add((2, 3), (2, 3), (3, 2))), "'y' is i8[3x2] where i8[2x3] follows"),
    Rejected(Case("rank", Add((1,) * 6, (1,))), "has more than 5 dimensions"),
    Rejected(Case("a", replace(PLAIN, scales=((), 0.5, 0.5))), "a must be quantised per tensor"),
    Rejected(Case("y_per_channel", replace(PLAIN, scales=(0.5, 0.5, (0.1, 0.2)),
             zero_points=(0, 0, (0, 0)))), "y must be quantised per tensor"),
    Rejected(Case("ratio", replace(PLAIN, scales=(1.0, 1.0, 1e-6))), "must be below 1"),
    Rejected(Case("tanh", replace(PLAIN, activation="TANH")), "'activation' is 'TANH'", "MDL013"),
)  # fmt: skip


class TestAdd(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
