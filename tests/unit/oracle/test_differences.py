"""How arrays differ, in numbers that do not overflow."""

import numpy as np
import pytest

from opsmith.oracle.differences import Comparison, Difference, difference
from opsmith.rig.build import PortTensor
from opsmith.rig.crosscheck_report import Crosscheck, Row, check_json, check_text


def test_equal_arrays_do_not_differ() -> None:
    values = np.array([1.5, np.nan, np.inf, -0.0], np.float32)
    right = np.array([1.5, np.nan, np.inf, 0.0], np.float32)
    assert difference(values, right, 0, 0) == Difference(4, 0, 0, 0.0, 0.0, 2, 2)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_the_extremes_of_integers_differ_by_their_whole_range(dtype: str) -> None:
    limits = np.iinfo(dtype)
    ends = np.array([limits.min, limits.max], dtype)
    found = difference(ends, ends[::-1], 0, 0)
    assert (found.differing, found.beyond) == (2, 2)
    assert found.max_abs == float(int(limits.max) - int(limits.min))


def test_neighbours_of_64_bits_differ_by_one() -> None:
    high = np.array([2**62 + 1], np.int64)
    assert difference(high, high - 1, 0, 0).max_abs == 1


def test_booleans_differ() -> None:
    assert difference(np.array([True, False]), np.array([False, False]), 0, 0).differing == 1


def test_tolerances_are_relative_to_what_is_right() -> None:
    right = np.array([100.0, 0.0, -100.0], np.float32)
    values = np.array([101.0, 0.5, -101.0], np.float32)
    assert difference(values, right, 0.5, 0.01).beyond == 0
    assert difference(values, right, 0.5, 0.001).beyond == 2
    assert difference(values, right, 0.25, 0.01).beyond == 1
    assert difference(values, right, 0, 0).max_rel == 1.0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_tolerance_covers_what_is_no_number(value: float) -> None:
    one, other = np.array([1, value], np.float32), np.array([1, 2], np.float32)
    for values, right in ((one, other), (other, one), (np.array([1, -value], np.float32), one)):
        found = difference(values, right, 1e30, 1)
        assert found.beyond == (0 if np.isnan(values[1]) and np.isnan(right[1]) else 1)


def test_scalars_and_single_elements_have_differences() -> None:
    assert difference(np.array(3, np.int8), np.array(4, np.int8), 0, 0).max_abs == 1


def row(found: Difference | None) -> Row:
    node = {
        "index": 3, "op": "add", "name": "sum", "source": "operator 5 (ADD)", "why": "reference",
        "kernel": "reference", "remarks": ["RELU of operator 6 (RELU) fused"],
    }  # fmt: skip
    return Row(
        node,
        PortTensor("a\nb", "int8", (4,), 4, None, None, "a_b"),
        Comparison(1, 1, found, 1 if found and found.beyond else None),
    )


def test_the_report_names_the_first_that_diverges() -> None:
    wrong = Difference(4, 2, 1, 7.0, 0.5, 0, 0)
    check = Crosscheck("Host", "LiteRT", "", 0, 0, (row(None), row(wrong)), row(wrong))
    text = check_text(check)
    assert "1 of 2 tensors have no counterpart and were not compared" in text
    assert "first that diverges: node 3, add by reference\n  operator 5 (ADD)" in text
    assert "RELU of operator 6 (RELU) fused" in text
    assert "a?b" in text
    told = check_json(check)
    assert told["first_diverging_node"] == 3
    assert [each["diverges"] for each in told["tensors"]] == [False, True]


def test_within_tolerance_nothing_diverges() -> None:
    rows = (row(Difference(4, 2, 0, 7.0, 0.5, 0, 0)),)
    check = Crosscheck("Host", "numpy", "because", 9, 0, rows, None)
    assert "against numpy (because)" in check_text(check)
    assert "every node is within atol=9 rtol=0: yes" in check_text(check)
