"""Results differ from an oracle's where a byte does, or a float by more than its bound."""

import numpy as np
import pytest

from opsmith.oracle.litert import Detail
from opsmith.testing.differences import assert_equal

ONE = np.float32(1)


def compare(got: object, want: object, ulps: int, at: float = 0.0, *, signs: bool = True) -> None:
    right = np.array([want])
    detail = Detail("case/y", right.shape, right.dtype, None, None)
    left = np.array([got], right.dtype)
    assert_equal("numpy", [detail], [[left]], [[right]], ulps, at, signs_of_nan=signs)


@pytest.mark.parametrize(
    ("got", "want"),
    [(ONE, ONE), (np.nextafter(ONE, np.float32(2)), ONE), (np.float32(1e-45), np.float32(-1e-45))],
)
def test_floats_within_the_bound_are_equal(got: np.float32, want: np.float32) -> None:
    compare(got, want, 2)


def test_units_may_be_those_of_a_larger_magnitude() -> None:
    near = np.float32(1e-5) + 2 * np.spacing(ONE)
    compare(near, np.float32(1e-5), 2, at=1.0)
    with pytest.raises(AssertionError, match="1 of 1 elements differ"):
        compare(near, np.float32(1e-5), 1, at=1.0)
    with pytest.raises(AssertionError, match="1 of 1 elements differ"):
        compare(near, np.float32(1e-5), 2)


def test_what_is_not_a_number_equals_another_one_where_there_is_a_bound() -> None:
    compare(-np.float32(np.nan), np.float32(np.nan), 1)
    with pytest.raises(AssertionError, match="1 of 1 elements differ"):
        compare(-np.float32(np.nan), np.float32(np.nan), 0)


@pytest.mark.parametrize(("got", "want", "ulps"), [
    (np.float32(1 + 2**-22), ONE, 1),
    (np.float32(np.nan), ONE, 4),
    (np.float32(np.inf), np.float32(1e38), 4),
    (np.float32(0.0), np.float32(-0.0), 0),
    (np.int8(2), np.int8(1), 4),
])  # fmt: skip
def test_others_are_not(got: object, want: object, ulps: int) -> None:
    with pytest.raises(AssertionError, match="case case, y, input set 0: 1 of 1 elements differ"):
        compare(got, want, ulps)


def test_the_sign_of_what_is_not_a_number_may_be_left_to_the_processor() -> None:
    quiet, other = np.array([0x7FC00000, 0x7FC00001], np.uint32).view(np.float32)
    compare(-quiet, quiet, 0, signs=False)
    for different in (other, np.float32(np.inf)):
        with pytest.raises(AssertionError, match="1 of 1 elements differ"):
            compare(different, quiet, 0, signs=False)
