"""Dequantised weights are integers and scales again; other floats are refused."""

import numpy as np
import pytest

from opsmith.op.kernel import Refused
from runtimes.core.scaled_integers import ScaledIntegers, scaled_integers

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("size", [1e-42, 1e-7, 0.01, 1e30])
def test_products_are_the_floats_to_the_bit(bits: int, size: float) -> None:
    most = 1 << bits - 1
    integers = RNG.integers(-most, most, (40, 33)).astype(np.float32)
    integers[0] = 0
    integers[1, 1:] = 0
    rows = integers * (size * RNG.uniform(0.5, 2, (40, 1))).astype(np.float32)
    found = scaled_integers(rows)
    assert isinstance(found, ScaledIntegers)
    assert found.bits <= bits
    assert np.abs(found.values.astype(int)).max() <= most
    products = found.values.astype(np.float32) * found.scales[:, np.newaxis]
    assert products.tobytes() == rows.tobytes()


@pytest.mark.parametrize("wrong", [np.pi, -0.0, np.inf, np.nan, 300.0, 1e-45])
def test_one_element_that_is_no_such_product_is_enough(wrong: float) -> None:
    rows = np.tile(np.arange(-3, 4, dtype=np.float32), (5, 30))
    assert isinstance(scaled_integers(rows), ScaledIntegers)
    rows[3, 200] = wrong
    assert scaled_integers(rows) == Refused("channel 3 is no integers of 8 bits times a scale")


def test_floats_are_refused() -> None:
    rows = RNG.normal(size=(3, 100)).astype(np.float32)
    assert isinstance(scaled_integers(rows), Refused)
    rows[:] = -0.0
    assert isinstance(scaled_integers(rows), Refused)
