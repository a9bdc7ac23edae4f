"""Sub: every broadcast, type, quantisation and activation against LiteRT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


@dataclass(frozen=True)
class Sub:
    """A subtraction to build. Scales are (a, b, y)."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    y: tuple[int, ...] | None = None  # None: the larger of both
    activation: str = "NONE"
    scales: tuple[float | Sequence[float], ...] = (0.05, 0.03, 0.07)
    zero_points: tuple[int | Sequence[int], ...] = (-3, 7, 4)
    constant: str = ""  # which of a and b is constant
    dtype: str = "int8"  # int32 and float32 have no quantisation

    pot: bool = False  # int16 in powers of two

    def __call__(self, m: ModelWriter) -> None:
        random = np.random.default_rng(len(self.a))
        quantised = [*zip(self.scales, self.zero_points, strict=True)]
        inputs = []
        for name, shape, (scale, zero) in zip("ab", (self.a, self.b), quantised, strict=False):
            if name in self.constant:
                values = random.integers(-100, 100, shape, endpoint=True)
                inputs.append(m.constant(name, np.asarray(values, self.dtype), scale, zero))
            else:
                inputs.append(m.input(name, shape, self.dtype, scale, zero))
        shape = self.y if self.y is not None else max(self.a, self.b, key=lambda s: (len(s), s))
        y = m.tensor("y", shape, self.dtype, *quantised[2])
        options: dict[str, bool | str] = {
            "fused_activation_function": self.activation,
            "pot_scale_int16": self.pot,
        }
        m.node("SUB", inputs, [y], options, version=2)
        m.output(y)


PLAIN = Sub((2, 3), (2, 3))
INT32 = Sub((64,), (64,), dtype="int32", scales=((),) * 3, zero_points=((),) * 3)
FLOAT = replace(INT32, dtype="float32")
INT16 = Sub((400,), (400,), dtype="int16", zero_points=(0, 0, 0))
WIDE = Sub((256,), (256,))  # meets every sum of two equal elements
OTHER = replace(WIDE, scales=(0.03641735, 0.02931172, 0.04022341), zero_points=(-128, -3, -12))
CASES = (
    Case("plain", PLAIN),
    Case("one_element", Sub((1,), (1,))),
    Case("scalars", Sub((), ())),
    Case("scalar_b", Sub((2, 3), ())),
    Case("scalar_a", Sub((), (2, 3))),
    Case("one_and_many", Sub((1,), (4, 5), (4, 5))),
    Case("rows", Sub((4, 5), (5,))),
    Case("columns", Sub((4, 1), (4, 5))),
    Case("both_ways", Sub((4, 1), (1, 5), (4, 5))),
    Case("rank_4", Sub((2, 3, 4, 5), (2, 3, 4, 5))),
    Case("rank_4_channels", Sub((2, 3, 4, 5), (5,))),
    Case("rank_4_image", Sub((2, 3, 4, 5), (1, 3, 4, 1))),
    Case("rank_4_batch", Sub((1, 3, 1, 5), (2, 1, 4, 1), (2, 3, 4, 5))),
    Case("rank_5", Sub((2, 1, 2, 3, 2), (2, 1, 2, 3, 2))),
    Case("rank_5_broadcast", Sub((2, 1, 2, 1, 3), (1, 4, 1, 5, 1), (2, 4, 2, 5, 3))),
    Case("rank_5_and_4", Sub((3, 2, 2, 2, 2), (2, 1, 2, 1))),
    Case("rank_5_and_1", Sub((2,), (2, 2, 2, 2, 2))),
    Case("constant_a", replace(PLAIN, constant="a")),
    Case("constant_b", Sub((2, 3), (3,), constant="b")),
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
        Case(f"elements_{n}", replace(OTHER, a=(n,), b=(n,)))
        for n in (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)
    ),
    *(Case(f"channels_{n}", replace(OTHER, a=(n,), b=(1, 3, 2, n))) for n in (4, 16, 21)),
    Case("rows_of_both", replace(OTHER, a=(3, 1, 18), b=(2, 18), y=(3, 2, 18))),
    Case("image", replace(OTHER, a=(1, 9, 7, 5), b=(1, 9, 7, 5))),
    Case("image_and_channels", replace(OTHER, a=(1, 9, 7, 5), b=(5,))),
    Case("image_relu6", replace(OTHER, a=(1, 3, 3, 7), b=(1, 3, 3, 7), activation="RELU6")),
    Case("many_pairs", replace(OTHER, a=(64, 1), b=(1, 64), y=(64, 64))),
    Case("int32", INT32),
    Case("int32_scalar", replace(INT32, b=(), constant="b")),
    Case("int32_rows", replace(INT32, a=(4, 5), b=(5,))),
    Case("int32_relu", replace(INT32, activation="RELU")),
    Case("int32_relu6", replace(INT32, activation="RELU6")),
    Case("int32_relu_n1_to_1", replace(INT32, activation="RELU_N1_TO_1")),
    Case("int16", INT16),
    Case("int16_saturates", replace(INT16, scales=(0.5, 0.4, 0.01))),
    Case("int16_unequal", replace(INT16, scales=(1e-4, 3.0, 2.9))),
    Case("int16_relu6", replace(INT16, activation="RELU6", scales=(1e-3, 2e-3, 3e-3))),
    Case("int16_rows", replace(INT16, a=(40, 50), b=(50,))),
    *(
        Case(f"float32_{activation.lower()}", replace(FLOAT, activation=activation))
        for activation in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
    ),
    Case("float32_rows", replace(FLOAT, a=(4, 5), b=(5,))),
    Case("float32_columns", replace(FLOAT, a=(4, 1), b=(4, 5), y=(4, 5))),
    Case("float32_constant", replace(FLOAT, b=(), constant="b")),
)
REJECTED = (
    Rejected(Case("shapes", Sub((2, 3), (2, 4))), "shapes (2, 3), (2, 4) do not broadcast"),
    Rejected(Case("y", Sub((2, 3), (2, 3), (3, 2))), "'y' is i8[3x2] where i8[2x3] follows"),
    Rejected(Case("rank", Sub((1,) * 6, (1,))), "has more than 5 dimensions"),
    Rejected(Case("a", replace(PLAIN, scales=((), 0.5, 0.5))), "a must be quantised per tensor"),
    Rejected(Case("y_per_channel", replace(PLAIN, scales=(0.5, 0.5, (0.1, 0.2)),
             zero_points=(0, 0, (0, 0)))), "y must be quantised per tensor"),
    Rejected(Case("ratio", replace(PLAIN, scales=(1.0, 1.0, 1e-6))), "must be below 1"),
    Rejected(Case("pot", replace(INT16, pot=True)), "pot_scale_int16 is set"),
    Rejected(Case("int16_zero", replace(INT16, zero_points=(0, 1, 0))), "which must be 0"),
    Rejected(Case("tanh", replace(PLAIN, activation="TANH")), "'activation' is 'TANH'", "MDL013"),
)  # fmt: skip


class TestSub(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
