"""Fixed point of runtimes/core gives the same in C++ as in numpy, also where it saturates."""

import subprocess
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from opsmith.testing.checkout import ROOT
from runtimes.core.exponential import logarithm, reciprocal_of_one_plus
from runtimes.core.fixed_point import doubling_high_mul, rounding_divide_by_pot
from runtimes.core.inverse_root import inverse_root

Ints = NDArray[np.int64]
LEAST, MOST = -(2**31), 2**31 - 1
POWERS = [2**n + x for n in range(5, 31) for x in (-1, 0)]
ENDS = [*range(20), *POWERS, *(MOST - x for x in range(20))]
COMPILER = ["g++", "-std=c++17", "-Wall", "-Wextra", "-fsyntax-only", f"-I{ROOT}", "-x", "c++", "-"]
# What C++ says for x = {0}, and the values of {1} and {2}.
FUNCTIONS: list[tuple[str, str, Callable[[Ints], tuple[Ints, ...]], int]] = [
    ("reciprocal", "reciprocal_of_one_plus({0}) == {1}", lambda x: (reciprocal_of_one_plus(x),), 0),
    ("fixed_logarithm", "fixed_logarithm({0}) == {1}", lambda x: (logarithm(x),), 2**19),
    ("inverse_root", "inverse_root({0}).multiplier == {1} && inverse_root({0}).shift == {2}",
     inverse_root, 0),
    ("fixed_point", "doubling_high_mul({0}, -7) == {1}", lambda x: (doubling_high_mul(x, -7),), 0),
    ("fixed_point", "rounding_divide_by_pot(-{0}, 3) == {1}",
     lambda x: (rounding_divide_by_pot(-x, 3),), 0),
    ("high_product", "high_product_of_halves({0}, -0x7fff0001) == {1} && "
     "high_product_of_halves({0}, INT32_MIN) == {2} && high_product_of_halves({0}, 0xffff) == {3}",
     lambda x: (x * -0x7fff0001 >> 32, x * LEAST >> 32, x * 0xffff >> 32), LEAST),
    ("high_product", "high_product_of_narrow({0} >> 11, 11, INT32_MAX) == {1} && "
     "high_product_of_narrow({0} >> 20, 20, 0x7654321f) == {2}",
     lambda x: ((x >> 11 << 11) * MOST >> 32, (x >> 20 << 20) * 0x7654321f >> 32), LEAST),
]  # fmt: skip


def said(header: str, claims: Iterable[str]) -> str:
    """Messages of the compiler about the claims; empty where all hold."""
    lines = [f'#include "runtimes/core/{header}.h"', "using namespace opsmith;"]
    lines += [f'static_assert({claim}, "");' for claim in claims]
    text = "\n".join([*lines, ""]).replace(str(LEAST), "INT32_MIN")
    return subprocess.run(COMPILER, input=text, text=True, capture_output=True, check=False).stderr


def test_positive_floats_are_those_of_ieee_754() -> None:
    random = np.random.default_rng(3)
    floats = np.exp2(random.uniform(-40, 10, (300, 2))).astype(np.float32)
    floats[:200:2] = np.exp2(random.integers(-20, 5, (100, 2)))  # powers of two, some plus an ulp
    floats.view(np.uint32)[:200:4] += 1
    floats[200:250, 1] = floats[200:250, 0] * np.float32(2.0**-24)  # halves of the last place
    a, b = floats.T
    found = {"sum": a + b, "product": a * b}
    claims = [
        f"positive::{name}({x}u, {y}u) == {z}u"
        for name, results in found.items()
        for x, y, z in zip(*(each.view(np.uint32) for each in (a, b, results)), strict=True)
    ]
    inverse = (np.float32(1) / a).view(np.uint32)
    claims += [
        f"positive::reciprocal({x}u) == {y}u"
        for x, y in zip(a.view(np.uint32), inverse, strict=True)
    ]
    claims += [f"positive::sum(0u, {x}u) == {x}u" for x in b.view(np.uint32)]
    large = np.abs(a) + np.float32(0.5)
    claims += [
        f"positive::whole({x}u) == {int(y)}"
        for x, y in zip(large.view(np.uint32), large, strict=True)
    ]
    assert said("positive_floats", claims) == ""


def test_shifts_saturate_from_the_first_number_that_does_not_fit() -> None:
    claims = [
        f"saturating_shift_left({x}, {n}) == {min(max(x << n, LEAST), MOST)}"
        for n in (1, 2, 3, 6, 30)
        for limit in (MOST >> n, LEAST >> n)
        for x in (limit - 1, limit, limit + 1)
    ]
    assert said("reciprocal", claims) == ""


@pytest.mark.parametrize(
    ("header", "claim", "definition", "least"), FUNCTIONS, ids=[each[1] for each in FUNCTIONS]
)
def test_functions_are_those_of_numpy(
    header: str, claim: str, definition: Callable[[Ints], tuple[Ints, ...]], least: int
) -> None:
    ends = np.unique(np.clip(np.array(ENDS, np.int64), least, MOST))
    x = np.concatenate([ends, np.random.default_rng(7).integers(least, MOST, 200)])
    values = zip(x, *definition(x), strict=True)
    assert said(header, (claim.format(*each) for each in values)) == ""
