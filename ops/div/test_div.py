"""Div: signs, broadcasts and activations against LiteRT, which fails where a divisor is 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case, check_on_host
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

DIVISORS = (1, 2, 3, 7, 666, 2**30, 2**31 - 1, -2, -3, -641, -(2**31), 1000003)


def div(
    a: Sequence[int],
    b: Sequence[int],
    y: Sequence[int] | None = None,
    *,
    divisors: Sequence[int] | None = DIVISORS,
    activation: str = "NONE",
    dtype: str = "int32",
) -> Callable[[ModelWriter], None]:
    """A division by constants, or by an input where there are none."""

    def build(m: ModelWriter) -> None:
        inputs = [m.input("a", a, dtype)]
        if divisors is None:
            inputs.append(m.input("b", b, dtype))
        else:
            inputs.append(m.constant("b", np.resize(np.array(divisors, dtype), b)))
        found = np.broadcast_shapes(tuple(a), tuple(b)) if y is None else y
        output = m.tensor("y", found, dtype)
        m.node("DIV", inputs, [output], {"fused_activation_function": activation})
        m.output(output)

    return build


CASES = (
    Case("each", div((12,), (12,))),
    Case("scalar", div((40,), (), divisors=[666])),
    Case("one_element", div((1,), (1,))),
    Case("negative", div((3, 5), (), divisors=[-7])),
    Case("minus_one", div((9,), (), divisors=[-1])),  # -2^31 saturates
    Case("rows", div((5, 12), (12,))),
    Case("columns", div((12, 5), (12, 1))),
    Case("scalar_a", div((), (2, 6))),
    Case("both_ways", div((4, 1), (1, 12))),
    Case("rank_5", div((2, 1, 2, 1, 3), (1, 2, 1, 5, 1))),
    Case("relu", div((5, 12), (12,), activation="RELU")),
    Case("relu6", div((5, 12), (12,), activation="RELU6")),
    Case("relu_n1_to_1", div((5, 12), (12,), activation="RELU_N1_TO_1")),
)
REJECTED = (
    Rejected(Case("zero", div((2,), (2,), divisors=(0, 1))), "b is 0 in places"),
    Rejected(Case("sizes", div((2, 3), (2, 4), (2, 4))), "do not broadcast"),
    Rejected(Case("rank", div((2,) * 6, (2,))), "has more than 5 dimensions"),
    Rejected(Case("float", div((2,), (2,), dtype="float32")), "div takes int32", "MDL012"),
)


class TestDiv(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED

    def test_what_litert_has_no_answer_for_is_as_numpy_says(self) -> None:
        """Divisors of an input, zeros among them."""
        each = Case("any", div((4, 9), (9,), divisors=None))
        check_on_host(self.folder, (each,), oracle="numpy")
