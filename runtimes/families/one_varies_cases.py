"""Test cases of ops of two byte tensors of which one varies."""

from dataclasses import replace

from opsmith.tflite.cases import Case
from runtimes.families.binary_cases import Binary


def one_varies_cases(plain: Binary, *unsigned: str) -> list[Case]:
    """Cases of bytes with a constant of one value, or themselves; `unsigned` may be "uint8"."""
    wide = replace(plain, a=(307,), b=(307,))
    by_one = replace(wide, b=(1,), constant="b", values=50)
    more = tuple(each + 128 for each in plain.zero_points)
    return [
        Case("one_value_of_b", by_one),
        *(Case(f"{t}_one_value", replace(by_one, dtype=t, zero_points=more)) for t in unsigned),
        Case("one_value_everywhere", replace(by_one, b=(307,))),
        Case("one_value_of_a", replace(wide, a=(), constant="a", values=50)),
        Case("with_itself", replace(wide, same=True, scales=(0.05, 0.05, 0.2))),
    ]
