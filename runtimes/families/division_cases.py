"""Test cases of divisions that round down; LiteRT refuses divisors of zero."""

from dataclasses import replace

from opsmith.tflite.cases import Case, Rejected, refused
from runtimes.families.binary_cases import Binary

INTEGERS = (1, 2, 3, 7, -2, -3, 5, -100, 100, 127, -128)
REALS = (0.1, -0.3, 7.0, 1e-3, -1e6, 1e20, 2.5, -1.0, 1e-40, -1e-38, 3e-3)


def division(op: str, dtype: str) -> Binary:
    """Node that divides by constants of either sign."""
    values = REALS if dtype == "float32" else INTEGERS
    none: tuple[tuple[()], ...] = ((), (), ())
    return Binary(op, (40, 11), (11,), None, dtype, "", none, none, "b", values, version=1)


def division_cases(op: str, types: tuple[str, ...]) -> list[Case]:
    """Cases of each type, and of broadcasts."""
    shapes = {
        "one_element": ((1,), (1,)),
        "scalars": ((), ()),
        "scalar_a": ((), (11,)),
        "rank_5": ((2, 1, 2, 1, 3), (1, 4, 1, 5, 1)),
        "rank_5_other": ((1, 4, 1, 5, 1), (2, 1, 2, 1, 3)),
        "rank_6": ((2, 1, 2, 1, 2, 2), (1, 3, 1, 2, 2, 2)),
        "six_axes": ((2, 1) * 3, (1, 2) * 3),
    }
    plain = division(op, "int32")
    return [
        *(Case(dtype, division(op, dtype)) for dtype in types),
        *(Case(name, replace(plain, a=a, b=b)) for name, (a, b) in shapes.items()),
    ]


def any_divisor(op: str, types: tuple[str, ...]) -> list[Case]:
    """Cases of divisors from an input, some zero, by which LiteRT's division is undefined."""
    return [Case(dtype, replace(division(op, dtype), constant="")) for dtype in types]


def division_refusals(op: str) -> list[Rejected]:
    """Models with divisors, shapes and types that no division takes."""
    plain = division(op, "int32")
    return [
        refused("zero", replace(plain, a=(2,), b=(2,), values=(0, 1)), "b is 0 in places"),
        refused("sizes", replace(plain, a=(2, 3), b=(2, 4), y=(2, 4)), "do not broadcast"),
        refused("uint32", replace(plain, dtype="uint32", values=1), "takes", "MDL012"),
    ]
