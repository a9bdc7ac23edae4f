"""Test cases of pooling ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from opsmith.tflite.cases import Case, Rejected, of_constants, refused
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter


def pool_cases(source: str) -> tuple[Case, ...]:
    """Cases of windows, padding, rounding and activations of a TFLite operator."""
    pool = partial(Pool, source)
    return (
        Case("same", pool()),
        Case("valid", pool(padding="VALID")),
        Case("channels_8", pool(x=(1, 4, 4, 8))),
        Case("channels_16", pool(x=(1, 4, 4, 16))),
        Case("channels_tail", pool(x=(1, 4, 4, 19))),
        Case("one_element", pool(x=(1, 1, 1, 1), window=(1, 1))),
        Case("one_pixel", pool(x=(1, 1, 1, 3), window=(3, 3))),
        Case("batches", pool(x=(3, 4, 5, 2))),
        Case("window_3", pool(window=(3, 3))),
        Case("window_3_stride_2", pool(window=(3, 3), stride=(2, 2))),
        Case("stride_2_3_valid", pool(x=(1, 9, 8, 4), stride=(2, 3), padding="VALID")),
        Case("stride_above_window", pool(x=(1, 9, 9, 2), stride=(4, 3))),
        Case("window_above_image", pool(x=(1, 3, 2, 4), window=(7, 8))),
        Case("whole_image", pool(x=(1, 25, 5, 6), window=(25, 5), padding="VALID")),
        Case("window_1x5", pool(window=(1, 5))),
        *(
            Case(f"channels_{n}", pool(x=(1, 5, 4, n), window=(3, 3)))
            for n in (3, 5, 7, 12, 17, 33)
        ),
        Case("relu", pool(activation="RELU")),
        Case("relu6", pool(activation="RELU6", scale=0.03, zero_point=-120)),
        Case("relu_n1_to_1", pool(activation="RELU_N1_TO_1", scale=0.02)),
        Case("zero_point_high", pool(activation="RELU", zero_point=127)),
        Case("nearly_equal_scales", pool(scale=0.1, y_scale=0.1 + 5e-7)),
        Case("unequal_scales", pool(y_scale=0.2, y_zero_point=5, activation="RELU6")),
        *_of_other_types(pool),
        Case("of_constant", of_constants(pool(x=(1, 5, 5, 2), window=(2000, 2000), zero_point=0))),
    )


def _of_other_types(pool: Callable[..., Pool]) -> Iterator[Case]:
    """Cases of a few windows of each type but int8."""
    floats = partial(pool, dtype="float32", zero_point=0, window=(3, 3))
    yield Case("channels_19_float32", floats(x=(2, 5, 6, 19), activation="RELU6"))
    yield Case("nan", floats(x=(1, 4, 5, 21), window=(2, 2), nan_at=7))
    yield Case("channels_35_float32", floats(x=(1, 9, 7, 35), stride=(2, 2), padding="VALID"))
    for dtype in ("uint8", "int16", "float32"):
        zero_point = {"uint8": 130}.get(dtype, 0)
        of_type = partial(pool, dtype=dtype, zero_point=zero_point)
        yield Case(f"same_{dtype}", of_type(x=(2, 5, 4, 5), window=(3, 2)))
        yield Case(f"valid_{dtype}", of_type(padding="VALID", stride=(2, 1)))
        yield Case(f"one_element_{dtype}", of_type(x=(1, 1, 1, 1), window=(1, 1)))
        yield Case(f"relu6_{dtype}", of_type(activation="RELU6", scale=0.03))
        yield Case(f"channels_tail_{dtype}", of_type(x=(1, 4, 4, 19)))
        yield Case(f"whole_{dtype}", of_type(x=(1, 9, 7, 3), window=(9, 7), padding="VALID"))


def refused_pools(source: str) -> tuple[Rejected, ...]:
    """Models with uses of the operator that must be refused."""
    pool = partial(Pool, source)

    return (
        refused("stride_0", pool(stride=(0, 1)), "must be positive"),
        refused("window_0", pool(window=(0, 1)), "must be positive"),
        refused("window_negative", pool(window=(1, -1)), "must be positive"),
        refused("does_not_fit", pool(window=(8, 1), padding="VALID"), "does not fit"),
        refused("huge_window", pool(window=(1 << 30, 1)), "does not fit"),
        refused("huge_area", pool(window=(4000, 4000)), "is too large"),
        refused("rank_3", pool(x=(7, 6, 4)), "must have 4 dimensions"),
        refused("unquantised", pool(scale=(), y_scale=0.1), "x must be quantised per tensor"),
        refused("huge_area_int16", pool(window=(182, 182), dtype="int16"), "is too large"),
    )


@dataclass(frozen=True)
class Pool:
    """Pooling node; calling it adds it to a model."""

    source: str  # the name of TFLite
    x: Sequence[int] = (1, 7, 6, 4)
    window: tuple[int, int] = (2, 2)
    padding: str = "SAME"
    stride: tuple[int, int] = (1, 1)
    activation: str = "NONE"
    scale: float | tuple[()] = 0.1
    zero_point: int = 4
    y_scale: float | None = None  # None: as x
    y_zero_point: int | None = None
    dtype: str = "int8"
    nan_at: int = 0  # every N-th float of x is NaN; 0: none
    version: int = 2

    def __call__(self, m: ModelWriter) -> None:
        scales = (self.scale, self.zero_point) if self.dtype != "float32" else ()
        x = self._input(m, *scales)
        scale = self.scale if self.y_scale is None else self.y_scale
        zero_point = self.zero_point if self.y_zero_point is None else self.y_zero_point
        scales = (scale, zero_point) if self.dtype != "float32" else ()
        y = m.tensor("y", self._y(), self.dtype, *scales)
        options: dict[str, OptionValue] = {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "filter_height": self.window[0],
            "filter_width": self.window[1],
            "fused_activation_function": self.activation,
        }
        m.node(self.source, [x], [y], options, version=self.version)
        m.output(y)

    def _input(self, m: ModelWriter, *scales: Any) -> ModelTensor:
        x = m.input("x", self.x, self.dtype, *scales)
        if not self.nan_at:
            return x
        added = np.zeros(self.x, np.float32)
        added.reshape(-1)[:: self.nan_at] = np.nan
        made = m.tensor("sum", self.x, self.dtype)
        options: dict[str, OptionValue] = {"fused_activation_function": "NONE"}
        m.node("ADD", [x, m.constant("added", added)], [made], options)
        return made

    def _y(self) -> tuple[int, ...]:
        sizes = []
        for size, window, stride in zip(self.x[1:3], self.window, self.stride, strict=False):
            reach = 0 if self.padding == "SAME" else window - 1
            sizes.append(max(-(-(size - reach) // max(stride, 1)), 1))
        return (self.x[0], *sizes, self.x[-1])
