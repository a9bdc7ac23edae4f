"""Test cases of relations of two elements."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from runtimes.families.binary_cases import Binary

NUMBERS = ("float32", "int16", "int32", "int64", "int8", "uint8")
UINT8 = (125, 135, ())


def relation(op: str, **changes: Any) -> Binary:
    """Node of a relation of int8, unless `changes` say otherwise."""
    plain = Binary(op, scales=(0.05, 0.03, ()), zero_points=(-3, 7, ()), y_dtype="bool", version=1)
    return replace(plain, **changes)


def logical_cases(op: str) -> list[Case]:
    """Cases of every pair of two truth values, and of broadcasts."""
    plain = relation(op, dtype="bool")
    shapes: dict[str, tuple[Sequence[int], Sequence[int]]] = {
        "many": ((37,), (37,)),
        "one_element": ((1,), (1,)),
        "scalar": ((), (2, 3)),
        "both_ways": ((4, 1), (1, 5)),
        "rank_5": ((2, 1, 2, 1, 3), (1, 4, 1, 5, 1)),
        "rank_5_other": ((1, 4, 1, 5, 1), (2, 1, 2, 1, 3)),
    }
    return [Case(name, replace(plain, a=a, b=b)) for name, (a, b) in shapes.items()]


def relation_cases(op: str) -> list[Case]:
    """Cases of every type and quantisation, with some equal pairs, and of broadcasts."""
    real = relation(op, dtype="float32", a=(64,), b=())
    pairs = relation(op, a=(64, 1), b=(1, 64))
    constants = {"not_a_number": np.nan, "infinite": np.inf, "zero": -0.0}
    quantised = {
        "equal_scales": ((0.5, 0.5), (0, 0)),
        "values_that_vanish": ((1e-4, 2e-4), (-128, 127)),  # below half a unit of fixed point
        "nearly_one": ((0.9999999, 0.4), (0, -1)),
    }
    return [
        *(_of_type(op, dtype) for dtype in NUMBERS),
        *(
            Case(f"{name}_b", replace(real, constant="b", values=value))
            for name, value in constants.items()
        ),
        *(
            Case(name, replace(pairs, scales=(*scales, ()), zero_points=(*zeros, ())))
            for name, (scales, zeros) in quantised.items()
        ),
        Case(
            "uint8_equal_scales",
            replace(pairs, dtype="uint8", scales=(0.5, 0.5, ()), zero_points=(9, 9, ())),
        ),
        Case("constant_b", relation(op, a=(40,), b=(), constant="b", values=7)),
        Case("one_element", relation(op, a=(1,), b=(1,))),
        Case("scalars", relation(op, a=(), b=(), dtype="int32")),
        Case("rank_5", relation(op, a=(2, 1, 2, 1, 3), b=(1, 4, 1, 5, 1), dtype="int16")),
        Case("rank_5_other", relation(op, a=(1, 4, 1, 5, 1), b=(2, 1, 2, 1, 3), dtype="int16")),
        Case("rank_6", relation(op, a=(2, 1, 2, 1, 2, 2), b=(1, 3, 1, 2, 2, 2))),
        Case("six_axes", relation(op, a=(2, 1) * 3, b=(1, 2) * 3)),
    ]


def _of_type(op: str, dtype: str) -> Case:
    zeros = {"zero_points": UINT8} if dtype == "uint8" else {}
    return Case(dtype, relation(op, dtype=dtype, a=(3, 17), b=(3, 17), **zeros))


def relation_refusals(op: str) -> list[Rejected]:
    """Models with shapes, types and quantisations that no relation takes."""
    channels = relation(op, scales=((0.1, 0.2), 0.5, ()), zero_points=((0, 0), 0, ()))
    return [
        refused("sizes", relation(op, b=(2, 4), y=(2, 4)), "(2, 3), (2, 4) do not broadcast"),
        refused("bare", relation(op, scales=(0.5, (), ())), "b must be quantised per tensor"),
        refused("channels", channels, "a must be quantised per"),
        refused("scale", relation(op, scales=(0.5, 1.0, ())), "b has scale 1.0, which must be"),
        refused("uint32", relation(op, dtype="uint32"), "takes", "MDL012"),
    ]
