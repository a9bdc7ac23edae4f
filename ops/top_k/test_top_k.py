"""TopK: every element type, ties, and both ways to say k, against LiteRT and in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from flatbuffers import flexbuffers

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


def top_k(
    x: Sequence[int],
    k: int,
    dtype: str = "int8",
    *,
    custom: bool = False,
    scales: tuple[float, float] = (0.5, 0.5),
    options: dict[str, int] | None = None,
) -> Callable[[ModelWriter], None]:
    """A TopK to build, as TOPK_V2 or as the custom op MyTopK with options."""

    def build(m: ModelWriter) -> None:
        first, second = scales if dtype != "float32" else ((), ())
        shape = (*x[:-1], k)
        source = m.input("x", x, dtype, first)
        outputs = [m.tensor("values", shape, dtype, second), m.tensor("indices", shape, "int32")]
        if custom:
            encoded = _flexbuffer(options or {"k": k})
            m.node("CUSTOM", [source], outputs, custom="MyTopK", custom_options=encoded)
        else:
            count = m.constant("count", np.array(k, np.int32))
            m.node("TOPK_V2", [source, count], outputs, version=2 if dtype != "int16" else 3)
        m.output(*outputs)

    return build


def _flexbuffer(options: dict[str, int]) -> bytes:
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in options.items():
            builder.Int(name, value)
    return bytes(builder.Finish())


CASES = (
    Case("int8", top_k((3, 16), 5)),
    Case("int16", top_k((2, 9), 4, "int16")),
    Case("float32", top_k((2, 9), 4, "float32")),
    Case("many_ties", top_k((4, 512), 40)),
    Case("all_sorted", top_k((17,), 17)),
    Case("one_of_one", top_k((1,), 1)),
    Case("only_the_largest", top_k((2, 3, 4), 1)),
)
REJECTED = (
    Rejected(Case("too_many", top_k((4,), 5)), "k is 5; the last axis has 4 elements"),
    Rejected(Case("none", top_k((4,), 1, custom=True, options={"k": 0})), "k is 0"),
    Rejected(Case("rescaled", top_k((4,), 2, scales=(0.5, 0.25))), "the same quantisation"),
    Rejected(
        Case("unknown_option", top_k((4,), 2, custom=True, options={"kk": 2})),
        "option kk=2 is not known to top_k (k, sorted)",
        code="MDL013",
    ),
    Rejected(
        Case("k_is_text", top_k((4,), 2, custom=True, options={"sorted": 7})),
        "attribute 'sorted' is 7, no bool",
        code="MDL013",
    ),
)


class TestTopK(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED


class TestMyTopK(OpTests):
    """Under the custom name, which LiteRT does not have."""

    folder = Path(__file__).parent
    oracle = "numpy"
    cases = (
        Case("int8", top_k((3, 16), 5, custom=True)),
        Case("int16", top_k((3, 16), 5, "int16", custom=True)),
        Case("float32", top_k((3, 16), 5, "float32", custom=True)),
    )
