"""Test cases of ops of two tensors that broadcast."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from opsmith.tflite.writer import ModelWriter

QUANTISED = ("int8", "uint8", "int16")
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


@dataclass(frozen=True)
class Binary:
    """Node of two inputs; calling it adds it to a model. Scales are those of a, b and y."""

    op: str  # TFLite's
    a: Sequence[int] = (2, 3)
    b: Sequence[int] = (2, 3)
    y: Sequence[int] | None = None  # None: what both broadcast to
    dtype: str = "int8"
    y_dtype: str = ""  # where it is another
    scales: tuple[float | Sequence[float], ...] = (0.05, 0.03, 0.07)
    zero_points: tuple[Any, ...] = (-3, 7, 4)  # of each channel, or one for all
    constant: str = ""  # which of a and b is constant
    values: Any = None  # that constants repeat; None: random ones
    same: bool = False  # b is a
    activation: str = ""  # that is fused, in ops that have one
    options: Mapping[str, bool | str] = field(default_factory=dict)
    version: int = 2

    def __call__(self, m: ModelWriter) -> None:
        scales, zeros = self.scales, self.zero_points
        if self.dtype not in QUANTISED:
            scales, zeros = ((),) * 3, ((),) * 3
        inputs = []
        names = "a" if self.same else "ab"
        for name, shape, scale, zero in zip(names, (self.a, self.b), scales, zeros, strict=False):
            if name in self.constant:
                inputs.append(m.constant(name, self._values(shape), scale, zero))
            else:
                inputs.append(m.input(name, shape, self.dtype, scale, zero))
        inputs = inputs * 2 if self.same else inputs
        y = m.tensor("y", self._shape(), self.y_dtype or self.dtype, scales[2], zeros[2])
        fused = {"fused_activation_function": self.activation} if self.activation else {}
        m.node(self.op, inputs, [y], {**self.options, **fused}, version=self.version)
        m.output(y)

    def _values(self, shape: Sequence[int]) -> Any:
        if self.values is not None:
            return np.resize(np.array(self.values, self.dtype), shape)
        random = np.random.default_rng(len(self.a))
        if self.dtype == "bool":
            return np.asarray(random.integers(0, 1, shape, endpoint=True), bool)
        limits = np.iinfo("int8" if self.dtype == "float32" else self.dtype)
        return np.asarray(random.integers(limits.min, limits.max, shape, endpoint=True), self.dtype)

    def _shape(self) -> Sequence[int]:
        return np.broadcast_shapes(tuple(self.a), tuple(self.b)) if self.y is None else self.y


def of_shapes(
    plain: Binary, shapes: Mapping[str, tuple[Sequence[int], Sequence[int]]]
) -> list[Case]:
    """Case of each name in `shapes`, with its shapes of a and b."""
    return [Case(name, replace(plain, a=a, b=b)) for name, (a, b) in shapes.items()]


BROADCASTS = {
    "plain": ((2, 3), (2, 3)),
    "one_element": ((1,), (1,)),
    "scalars": ((), ()),
    "scalar_a": ((), (2, 3)),
    "scalar_b": ((2, 3), ()),
    "one_and_many": ((1,), (4, 5)),
    "rows": ((4, 5), (5,)),
    "columns": ((4, 1), (4, 5)),
    "both_ways": ((4, 1), (1, 5)),
    "rank_4": ((2, 3, 4, 5), (2, 3, 4, 5)),
    "rank_4_channels": ((2, 3, 4, 5), (5,)),
    "rank_4_image": ((2, 3, 4, 5), (1, 3, 4, 1)),
    "rank_4_batch": ((1, 3, 1, 5), (2, 1, 4, 1)),
    "rank_5": ((2, 1, 2, 3, 2), (2, 1, 2, 3, 2)),
    "rank_5_broadcast": ((2, 1, 2, 1, 3), (1, 4, 1, 5, 1)),
    "rank_5_other": ((1, 4, 1, 5, 1), (2, 1, 2, 1, 3)),  # strides where those are 0
    "rank_5_and_4": ((3, 2, 2, 2, 2), (2, 1, 2, 1)),
    "rank_5_and_1": ((2,), (2, 2, 2, 2, 2)),
    "rank_6": ((2, 1, 2, 1, 2, 2), (1, 3, 1, 2, 2, 2)),
    "six_axes": ((2, 1) * 3, (1, 2) * 3),
    "rank_8": ((1, 2, 1, 1, 2, 1, 2, 2), (2, 3, 1, 2)),
}
BYTES = {  # as uint8, where each tensor repeats, too
    "uint8_tail": ((1, 3, 2, 37), (1, 3, 2, 37)),
    "uint8_channels_of_a": ((20,), (1, 3, 2, 20)),
    "uint8_one_b": ((2, 35), (1,)),
    "uint8_one_a": ((1,), (2, 35)),
}
VECTORS = {  # that are full, and that have a tail
    **{f"elements_{n}": ((n,), (n,)) for n in (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)},
    **{f"channels_{n}": ((1, 3, 2, n), (n,)) for n in (4, 16, 21)},
    **{f"channels_{n}_of_a": ((n,), (1, 3, 2, n)) for n in (4, 16, 21)},
    "rows_of_both": ((3, 1, 18), (2, 18)),
    "image": ((1, 9, 7, 5), (1, 9, 7, 5)),
    "image_and_channels": ((1, 9, 7, 5), (5,)),
    "many_pairs": ((64, 1), (1, 64)),
}


def of_plain(op: str, **changes: Any) -> Binary:
    """Node of elements without quantisation, of int8 unless `changes` say otherwise."""
    return replace(Binary(op, scales=((),) * 3, zero_points=((),) * 3, version=1), **changes)


def plain_cases(plain: Binary, *dtypes: str) -> list[Case]:
    """Cases of elements without quantisation: types with a tail, one element, and broadcasts."""
    wide = replace(plain, a=(3, 7), b=(3, 7))
    shapes = "one_element scalars scalar_b rows both_ways rank_5_broadcast rank_5_other".split()
    return [
        *(Case(dtype, replace(wide, dtype=dtype)) for dtype in dtypes),
        *of_shapes(replace(plain, dtype=dtypes[0]), {name: BROADCASTS[name] for name in shapes}),
    ]


def activations(prefix: str, plain: Binary) -> list[Case]:
    """Case of each fused activation, named with `prefix`."""
    return [Case(f"{prefix}{one.lower()}", replace(plain, activation=one)) for one in ACTIVATIONS]


def number_cases(op: str) -> list[Case]:
    """Cases of an op of int32 and int64, which wrap, and of float32."""
    found = []
    for dtype in ("int32", "int64", "float32"):
        plain = Binary(op, (64,), (64,), dtype=dtype)
        found += [
            *activations(f"{dtype}_", plain),
            Case(f"{dtype}_scalar", replace(plain, b=(), constant="b")),
            Case(f"{dtype}_rows", replace(plain, a=(4, 19), b=(19,))),
            Case(f"{dtype}_columns", replace(plain, a=(4, 1), b=(4, 19))),
        ]
    return [*found, Case("float32_large", replace(plain, b=(), constant="b", values=3e38))]


def refusals(plain: Binary) -> list[Rejected]:
    """Models with shapes that no op of this family takes."""
    return [refused("sizes", replace(plain, b=(2, 4), y=(2, 4)), "(2, 4) do not broadcast")]


def quantised_refusals(plain: Binary) -> list[Rejected]:
    """Models with quantisations and activations that no int8 op of this family takes."""
    bare_a, bare_y = ((), 0.5, 0.5), (0.5, 0.5, ())
    channels = replace(plain, scales=(0.5, 0.5, (0.1, 0.2)), zero_points=(0, 0, (0, 0)))
    return [
        *refusals(plain),
        refused("a", replace(plain, scales=bare_a), "a must be quantised per tensor"),
        refused("bare", replace(plain, scales=bare_y), "y must be quantised"),
        refused("y_per_channel", channels, "y must be quantised per tensor"),
        refused("tanh", replace(plain, activation="TANH"), "'activation' is 'TANH'", "MDL013"),
    ]


def sum_cases(op: str, scales: tuple[float, ...], zero_points: tuple[int, ...]) -> list[Case]:
    """Cases of a sum or a difference of every type; vectors of int8 have these scales and zero
    points.
    """
    plain = Binary(op)
    wide = replace(plain, a=(256,), b=(256,))  # meets every sum of two equal elements
    long = replace(wide, a=(4099,), b=(4099,))  # for kernels that make a table
    vectors = replace(wide, scales=scales, zero_points=zero_points)
    more = tuple(each + 128 for each in zero_points)
    unsigned = replace(vectors, dtype="uint8", zero_points=more)
    return [
        *of_shapes(plain, BROADCASTS),
        Case("constant_a", replace(plain, constant="a")),
        Case("constant_b", replace(plain, b=(3,), constant="b")),
        Case("constants", replace(plain, constant="ab")),
        *(Case(name, replace(long, **change)) for name, change in SUM_QUANTISATIONS.items()),
        Case("uint8_simple_ratios", replace(long, dtype="uint8", scales=RATIOS, zero_points=more)),
        *activations("", wide),
        Case("relu6_beyond_the_type", replace(wide, activation="RELU6", scales=(0.01,) * 3)),
        *of_shapes(vectors, VECTORS),
        *of_shapes(unsigned, BYTES),
        Case("uint8_rounded_twice", replace(unsigned, zero_points=(128, 125, 3))),
        Case("image_relu6", replace(vectors, a=(1, 3, 3, 7), b=(1, 3, 3, 7), activation="RELU6")),
        *uint8_cases(wide),
        *number_cases(op),
        *_short_sum_cases(op),
    ]


def sum_refusals(op: str) -> list[Rejected]:
    """Models with shapes and quantisations that no sum or difference takes."""
    return [
        *quantised_refusals(Binary(op)),
        *_short_sum_refusals(op),
        refused("ratio", Binary(op, scales=(1.0, 1.0, 1e-6)), "must be below 1"),
    ]


def uint8_cases(plain: Binary) -> list[Case]:
    """Cases of a quantised op of uint8."""
    unsigned = replace(plain, dtype="uint8", zero_points=(125, 135, 132))
    return [
        Case("uint8", unsigned),
        Case("uint8_rows", replace(unsigned, a=(4, 5), b=(5,), zero_points=(0, 255, 3))),
        *activations("uint8_", replace(unsigned, a=(40,), b=(40,))),
    ]


def _short_sum(op: str, **changes: Any) -> Binary:
    """Node of a sum or a difference of int16 with any scales, unless `changes` say otherwise."""
    given = {"options": {"pot_scale_int16": False}, "zero_points": (0, 0, 0), **changes}
    return Binary(op, (400,), (400,), dtype="int16", **given)


def _short_sum_cases(op: str) -> list[Case]:
    """Cases of sums or differences of int16 that rescale by multipliers, and by shifts."""
    plain = _short_sum(op, scales=SCALES_16)
    shifted = _short_sum(op, scales=(0.5, 0.125, 0.5), options={})  # the option is set by default
    return [
        Case("int16", plain),
        Case("int16_saturates", replace(plain, scales=(0.5, 0.4, 0.01))),
        Case("int16_unequal", replace(plain, scales=(1e-4, 3.0, 2.9))),
        Case("int16_relu6", replace(plain, scales=(1e-3, 2e-3, 3e-3), activation="RELU6")),
        Case("int16_rows", replace(plain, a=(40, 50), b=(50,))),
        Case("int16_no_powers", _short_sum(op, scales=SCALES_16, options={})),
        Case("int16_shifts_b", shifted),
        Case("int16_shifts_a", replace(shifted, scales=(2.0**-15, 1.0, 1.0))),
        Case("int16_nearly_powers", replace(shifted, scales=(0.5003, 0.2499, 0.4999))),
        Case("int16_equal", replace(shifted, scales=(0.25,) * 3, activation="RELU_N1_TO_1")),
    ]


def _short_sum_refusals(op: str) -> list[Rejected]:
    """Models with quantisations of int16 that no sum or difference takes."""
    plain = _short_sum(op, scales=(0.5, 0.5, 0.5))
    shifted = replace(plain, options={"pot_scale_int16": True})
    sentence = "the scale of y must be the larger"
    return [
        refused("int16_zero", replace(plain, zero_points=(0, 1, 0)), "which must be 0"),
        refused("int16_smaller_y", replace(shifted, scales=(0.5, 0.5, 0.25)), sentence),
        refused("int16_larger_y", replace(shifted, scales=(0.5, 0.5, 1.0)), sentence),
        refused("int16_far", replace(shifted, scales=(2.0**-16, 1.0, 1.0)), sentence),
    ]


SCALES_16 = (0.03641735, 0.02931172, 0.04022341)
RATIOS = (6 / 255, 1.2 / 255, 7.2 / 255)
SUM_QUANTISATIONS: Mapping[str, Mapping[str, Any]] = {
    "equal_scales": {"scales": (0.5, 0.5, 0.5), "zero_points": (0, 0, 0)},
    "simple_ratios": {"scales": RATIOS, "zero_points": (-128, -128, -86)},
    "simple_ratios_of_b": {"scales": (4 / 255, 6 / 255, 7 / 255), "activation": "RELU6"},
    "halved": {"scales": (0.5, 0.5, 1.0), "zero_points": (0, 0, 0)},
    "powers_of_two": {"scales": (0.25, 0.5, 2.0), "zero_points": (1, -2, 3)},
    "unequal_scales": {"scales": (1e-4, 3.0, 2.9)},
    "far_scales": {"scales": (1e-6, 3e5, 5e5)},
    "saturates": {"scales": (0.5, 0.5, 0.01)},
    "barely_allowed": {"scales": (1.0, 1.0, 2.0**-18)},
    "vanishes": {"scales": (0.5, 0.5, 1e6)},
    "larger_output": {"scales": (0.3, 0.2, 4.0)},
    "least_zero_points": {"zero_points": (-128, -128, -128)},
    "greatest_zero_points": {"zero_points": (127, 127, 127)},
    "opposite_zero_points": {"zero_points": (-128, 127, 0)},
}


def comparison_cases(op: str) -> list[Case]:
    """Cases of the greater or the lesser of two elements, of every type."""
    plain = Binary(op, scales=(0.5,) * 3, zero_points=(0,) * 3)
    real, int16, int32 = (replace(plain, dtype=each) for each in ("float32", "int16", "int32"))
    constants = {"not_a_number": np.nan, "infinite": np.inf, "zero": -0.0}
    return [
        Case("int8", plain),
        Case("int16", int16),
        Case("int32", int32),
        Case("uint8", replace(plain, dtype="uint8")),
        Case("int16_vectors", replace(int16, a=(531,), b=(531,))),
        Case("uint8_vectors", replace(plain, a=(531,), b=(531,), dtype="uint8")),
        Case("int64", replace(plain, dtype="int64")),
        Case("float32", real),
        *(
            Case(f"{name}_b", replace(real, a=(64,), b=(), constant="b", values=value))
            for name, value in constants.items()
        ),
        Case("scalars", replace(plain, a=(), b=())),
        Case("scalar_a", replace(plain, a=())),
        Case("scalar_b", replace(int32, a=(40,), b=(), constant="b", values=7)),
        Case("rows", replace(plain, a=(4, 5), b=(5,))),
        Case("both_ways", replace(plain, a=(4, 1), b=(1, 5))),
        Case("rank_4", replace(int16, a=(2, 3, 1, 5), b=(2, 1, 4, 5))),
        Case("rank_5", replace(int32, a=(2, 1, 2, 1, 3), b=(1, 4, 1, 5, 1))),
        Case("six_axes", replace(int32, a=(2, 1) * 3, b=(1, 2) * 3)),
        Case("of_elements_35", replace(plain, a=(5, 7), b=(5, 7))),
        Case("many", replace(plain, a=(3, 17), b=(3, 17))),
        *(Case(f"channels_{n}", replace(plain, a=(1, 3, 2, n), b=(n,))) for n in (4, 16, 21)),
        Case("rows_of_both", replace(plain, a=(3, 1, 18), b=(2, 18))),
    ]
