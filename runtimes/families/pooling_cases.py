"""Cases of pooling ops, for their tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter


def pool_cases(source: str) -> tuple[Case, ...]:
    """Windows, padding, rounding and activations of this operator of TFLite."""
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
        Case("of_constant", partial(of_constant, source=source)),
    )


def refused_pools(source: str) -> tuple[Rejected, ...]:
    """Uses of the operator that must be refused."""
    pool = partial(Pool, source)

    def refused(name: str, sentence: str, build: Pool) -> Rejected:
        return Rejected(Case(name, build), sentence)

    return (
        refused("stride_0", "must be positive", pool(stride=(0, 1))),
        refused("window_0", "must be positive", pool(window=(0, 1))),
        refused("window_negative", "must be positive", pool(window=(1, -1))),
        refused("does_not_fit", "does not fit", pool(window=(8, 1), padding="VALID")),
        refused("huge_window", "does not fit", pool(window=(1 << 30, 1))),
        refused("huge_area", "is too large", pool(window=(4000, 4000))),
        refused("rank_3", "must have four dimensions", pool(x=(7, 6, 4))),
        refused("unequal_scales", "the same scale", pool(y_scale=0.2)),
        refused("unequal_zero_points", "the same scale", pool(y_zero_point=5)),
        refused("unquantised", "x must be quantised per tensor", pool(scale=(), y_scale=0.1)),
        refused("output", "follows from the inputs", pool(y=(1, 7, 6, 5))),
    )


@dataclass(frozen=True)
class Pool:
    """A pooling; call it to add it to a model."""

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
    y: Sequence[int] | None = None

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.x, "int8", self.scale, self.zero_point)
        scale = self.scale if self.y_scale is None else self.y_scale
        zero_point = self.zero_point if self.y_zero_point is None else self.y_zero_point
        y = m.tensor("y", self.y or self._y(), "int8", scale, zero_point)
        options: dict[str, OptionValue] = {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "filter_height": self.window[0],
            "filter_width": self.window[1],
            "fused_activation_function": self.activation,
        }
        m.node(self.source, [x], [y], options, version=2)
        m.output(y)

    def _y(self) -> tuple[int, ...]:
        sizes = []
        for size, window, stride in zip(self.x[1:3], self.window, self.stride, strict=False):
            reach = 0 if self.padding == "SAME" else window - 1
            sizes.append(max(-(-(size - reach) // max(stride, 1)), 1))
        return (self.x[0], *sizes, self.x[-1])


def of_constant(m: ModelWriter, source: str) -> None:
    """A constant image, and a window that reaches far beyond it: folded at build time."""
    x = m.constant("x", np.arange(-25, 25, dtype=np.int8).reshape(1, 5, 5, 2), 0.1)
    y = m.tensor("y", (1, 5, 5, 2), "int8", 0.1)
    options: dict[str, OptionValue] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    m.node(source, [x], [y], {**options, "filter_height": 2000, "filter_width": 2000})
    m.output(y)
