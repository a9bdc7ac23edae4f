"""Test cases of convolutions over volumes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.tflite.one_node import Build
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from runtimes.families.volumes import LETTERS

ONES = (1, 1, 1)


@dataclass(frozen=True)
class Volume:
    """Source op that makes a node of the shapes of x, weights and y."""

    source: str
    transposed: bool = False  # the sizes of y come first, and the weights before x

    def __call__(
        self,
        x: Sequence[int],
        weights: Sequence[int],
        y: Sequence[int],
        *,
        padding: str = "SAME",
        strides: Sequence[int] = ONES,
        dilations: Sequence[int] = ONES,
        activation: str = "NONE",
        bias: bool = True,
        computed: bool = False,
        dtype: str = "float32",
    ) -> Build:
        """Node to build, with constant weights unless `computed`."""
        options: dict[str, OptionValue] = {
            "padding": padding,
            "fused_activation_function": activation,
        }
        steps = zip(LETTERS, strides, dilations, strict=True)
        for letter, stride, dilation in steps:
            options[f"stride_{letter}"] = stride
            options[f"dilation_{letter}_factor"] = dilation

        def build(m: ModelWriter) -> None:
            random = np.random.default_rng(sum(weights))
            given = m.input("x", x, dtype)
            values = random.normal(0, 1, weights).astype(dtype)
            filters = m.input("w", weights, dtype) if computed else m.constant("w", values)
            inputs = [given, filters]
            if self.transposed:
                inputs = [m.constant("sizes", np.array(y, np.int32)), filters, given]
            if bias:
                inputs.append(m.constant("b", random.normal(0, 1, y[-1:]).astype(dtype)))
            m.output(m.value(self.source, inputs, m.tensor("y", y, dtype), options))

        return build
