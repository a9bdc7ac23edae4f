"""The fixed-point arithmetic at the ends of its types."""

import numpy as np
import pytest

from opsmith.ir import Quantization, Tensor
from opsmith.ir.types import i8
from opsmith.op import OpError
from opsmith.op.clamp import activation_range, round_half_away
from runtimes.core.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    quantize_multipliers,
)


def test_quantize_multiplier_of_tiny_scales_is_zero() -> None:
    assert quantize_multiplier(2.0**-40) == (0, 0)
    assert quantize_multiplier(0.0) == (0, 0)


@pytest.mark.parametrize("real", [-1.0, float("nan"), float("inf"), 2.0**40])
def test_quantize_multiplier_refuses_what_is_no_scale(real: float) -> None:
    with pytest.raises(OpError):
        quantize_multiplier(real)


ORDINARY = [1.0, 0.5, 0.75, 1e-3, 0.9999999999, 2.0**-32, 2.0**30 - 1]
RARE = [0.0, 2.0**-40, 2.0**29 * (1 - 2.0**-33), 1 - 2.0**-40]  # none, and rounded up to 2^31


@pytest.mark.parametrize("ratios", [ORDINARY, RARE, ORDINARY + RARE])
def test_multipliers_of_many_channels_are_those_of_each(ratios: list[float]) -> None:
    multipliers, shifts = quantize_multipliers(np.array(ratios))
    found = list(zip(multipliers.tolist(), shifts.tolist(), strict=True))
    assert found == [quantize_multiplier(ratio) for ratio in ratios]


@pytest.mark.parametrize("real", [-1.0, float("nan"), float("inf"), 2.0**40])
def test_of_many_channels_one_without_a_multiplier_is_refused(real: float) -> None:
    with pytest.raises(OpError):
        quantize_multipliers(np.array([0.5, real]))


def test_multiplication_wraps_left_shifts_as_int32_does() -> None:
    found = multiply_by_quantized_multiplier(np.array([2**30], np.int64), 2**30, 2)
    assert int(found[0]) == 0


@pytest.mark.parametrize(("x", "wanted"), [(0.5, 1), (-0.5, -1), (1.49, 1), (-2.5, -3), (0.0, 0)])
def test_round_half_away(x: float, wanted: int) -> None:
    assert round_half_away(x) == wanted


@pytest.mark.parametrize(("activation", "wanted"), [
    ("NONE", (-128, 127)),
    ("RELU", (-28, 127)),
    ("RELU6", (-28, 32)),
    ("RELU_N1_TO_1", (-38, -18)),
])  # fmt: skip
def test_activation_range(activation: str, wanted: tuple[int, int]) -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.1,), (-28,)))
    assert activation_range(activation, y) == wanted


def test_an_activation_that_is_none_is_refused_whatever_the_output_is() -> None:
    y = Tensor("y", "y", i8, (1,))
    with pytest.raises(OpError, match="fused activation TANH is not supported"):
        activation_range("TANH", y)


def test_activation_range_stays_in_the_type() -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.001,), (100,)))
    assert activation_range("RELU6", y) == (100, 127)


def test_unknown_activations_are_refused() -> None:
    y = Tensor("y", "y", i8, (1,), Quantization((0.1,), (0,)))
    with pytest.raises(OpError, match="TANH"):
        activation_range("TANH", y)
