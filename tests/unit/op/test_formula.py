"""Formulas in numpy become C++ and OpenCL C of the same order, or an error at their line."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.contract.assertions import line_of
from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.ir.types import f32, i32
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import loaded
from runtimes.core.formula import traced
from runtimes.core.real_sine import real_sine


@pytest.mark.parametrize(("formula", "cpp", "opencl"), [
    (lambda x: x - (x - 1) - 2 * x, "x - (x - 1.0f) - 2.0f * x", None),
    (lambda x: -(x + x) * 0.1, "-(x + x) * 0.1f", None),
    (lambda x: -(-1 * -x), "-(-1.0f * -x)", None),
    (lambda x: np.negative(-x), "-(-x)", None),
    (lambda x: x * (x / 2), "x * (x / 2.0f)", "x * (divided(x, 2.0f))"),
    (lambda x: (x < 1) == (x > 2), "(x < 1.0f) == (x > 2.0f)", None),
    (lambda x: np.where(np.where(x > 0, x, 1) > -3, abs(x), x) + 1,
     "((x > 0.0f ? x : 1.0f) > -3.0f ? __builtin_fabsf(x) : x) + 1.0f",
     "((x > 0.0f ? x : 1.0f) > -3.0f ? fabs(x) : x) + 1.0f"),
    (lambda x: real_sine(x + 1), "opsmith::real_sine(x + 1.0f)", "real_sine(x + 1.0f)"),
])  # fmt: skip
def test_it_keeps_the_order(
    formula: Callable[[Array], Array], cpp: str, opencl: str | None
) -> None:
    found = traced(formula, f32)
    assert (found.cpp, found.opencl) == (cpp, opencl or cpp)


@pytest.mark.parametrize(("formula", "said"), [
    (np.cos, "no formula of float32 has cos"),
    (lambda x: np.clip(x, 0, 1), "no formula of float32 has clip"),
    (np.asarray, "no formula of float32 has asarray"),
    (lambda x: np.zeros(3), "gives ndarray, which does not depend on x"),
])  # fmt: skip
def test_what_has_other_bits_or_none_is_an_error(
    formula: Callable[[Array], Array], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        traced(formula, f32)


def test_integers_are_compared_but_not_added() -> None:
    assert traced(lambda x: np.where(x < 0, 1, x), i32).cpp == "x < 0 ? 1 : x"
    with pytest.raises(TypeError, match="no formula of int32 has add"):
        traced(lambda x: x + 1, i32)


def test_errors_are_at_the_line_of_the_formula(tmp_path: Path) -> None:
    op = (ROOT / "ops/elu/op.py").read_text(encoding="utf-8")
    line = next(i for i, each in enumerate(op.split("\n"), 1) if "np.where" in each)
    elu = loaded(ROOT / "ops/elu")
    assert line_of(elu, elu.op.variants[-1].kernels[-1]) == line
    wrong = tmp_path / "elu" / "op.py"
    wrong.parent.mkdir()
    wrong.write_text(op.replace("x < 0, ", "np.isnan(x), "), encoding="utf-8")
    with pytest.raises(ToolchainError, match="has isnan") as error:
        loaded(wrong.parent)
    assert error.value.problems[0].where == f"{wrong}:{line}"
