"""Sums, differences and products of wrapping.h are of integers, and refuse floats."""

import subprocess

import pytest

from opsmith.testing.checkout import ROOT

USE = '#include "runtimes/core/wrapping.h"\nusing namespace opsmith;\n'
INTEGERS = """
static_assert(wrapping_sum(INT32_MAX, 1) == INT32_MIN, "");
static_assert(wrapping_difference(INT64_MIN, int64_t{1}) == INT64_MAX, "");
static_assert(wrapping_product(int8_t{64}, int8_t{2}) == INT8_MIN, "");
static_assert(wrapping_product(UINT32_MAX, UINT32_MAX) == 1, "");
static_assert(wrapping_sum(uint16_t{0xffff}, uint16_t{2}) == 1, "");
"""


def compiled(code: str) -> str:
    """Messages of the compiler about code that uses wrapping.h; empty where it has none."""
    command = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-fsyntax-only",
        f"-I{ROOT}",
    ]
    said = subprocess.run(
        [*command, "-x", "c++", "-"], input=USE + code, text=True, capture_output=True, check=False
    )
    return said.stderr


def test_integers_of_every_size_wrap() -> None:
    assert compiled(INTEGERS) == ""


@pytest.mark.parametrize("function", ["sum", "difference", "product"])
def test_floats_are_refused(function: str) -> None:
    code = f"float f(float a, float b) {{ return wrapping_{function}(a, b); }}\n"
    assert "only integers wrap; floats have +, - and *" in compiled(code)
