"""Tests that values of tables keep their value in the types that the tables declare."""

import numpy as np
import pytest

from opsmith.ir.types import DType, f32, f64, i8, u32
from opsmith.op.hook_structs import fits


@pytest.mark.parametrize(("values", "dtype", "kept"), [
    ([0.1, 1e-300, 3e38], f32, True),  # rounded
    ([1e300], f32, False),
    ([-4e38], f32, False),
    ([np.inf, -np.inf, np.nan], f32, True),
    ([np.nan, 1e300], f32, False),
    ([1e300], f64, True),
    ([2**62], f32, True),
    ([127, -128], i8, True),
    ([128], i8, False),
    ([0.5], i8, False),
    ([-1], u32, False),
])  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_what_a_type_holds(values: list[float], dtype: DType, kept: bool) -> None:
    assert fits(np.array(values), dtype) == kept
