"""Tests that identities of shipped ops are not computed: casts, quantisations, and views that come
back.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled

pytestmark = pytest.mark.slow

OPS = shipped_ops()
SHAPE = (1, 4, 3)
Step = tuple[str, tuple[int, ...], str]  # operator, shape and element type of what it gives


def chain(dtype: str, steps: Sequence[Step]) -> bytes:
    """Model of MAXIMUM with a second input, the given steps, and MAXIMUM again: the steps touch no
    input and no output.
    """
    m = ModelWriter()

    def tensor(name: str, shape: tuple[int, ...], kind: str) -> ModelTensor:
        return m.tensor(name, shape, kind, (0.5,) if kind in ("int8", "int16") else ())

    def maximum(value: ModelTensor, name: str) -> ModelTensor:
        y = tensor(name, value.shape, value.dtype)
        m.node("MAXIMUM", [value, other], [y])
        return y

    scale = (0.5,) if dtype in ("int8", "int16") else ()
    value, other = (m.input(name, SHAPE, dtype, scale) for name in "xb")
    value = maximum(value, "a")
    for i, (name, shape, kind) in enumerate(steps):
        y = tensor(f"t{i}", shape, kind)
        given = [value]
        if name == "TRANSPOSE":
            given.append(m.constant(f"perm{i}", np.array([0, 2, 1], np.int32)))
        if name == "EXPAND_DIMS":
            given.append(m.constant(f"axis{i}", np.array(0, np.int32)))
        m.node(name, given, [y], {"new_shape": list(shape)} if name == "RESHAPE" else {})
        value = y
    m.output(maximum(value, "y"))
    return bytes(m.bytes())


GONE: list[tuple[str, list[Step]]] = [
    ("int8", [("CAST", SHAPE, "int8")]),
    ("int8", [("CAST", SHAPE, "int32"), ("CAST", SHAPE, "int8")]),
    ("int8", [("CAST", SHAPE, "float32"), ("CAST", SHAPE, "int8")]),
    ("int16", [("CAST", SHAPE, "float32"), ("CAST", SHAPE, "int16")]),
    ("int32", [("CAST", SHAPE, "int64"), ("CAST", SHAPE, "int32")]),
    ("int8", [("DEQUANTIZE", SHAPE, "float32"), ("QUANTIZE", SHAPE, "int8")]),
    ("int8", [("QUANTIZE", SHAPE, "int8")]),
    ("int8", [("RESHAPE", SHAPE, "int8")]),
    ("int8", [("RESHAPE", (12,), "int8"), ("RESHAPE", SHAPE, "int8")]),
    ("float32", [("SQUEEZE", (4, 3), "float32"), ("EXPAND_DIMS", SHAPE, "float32")]),
    ("int8", [("SQUEEZE", (4, 3), "int8"), ("RESHAPE", (12,), "int8"), ("RESHAPE", SHAPE, "int8")]),
    ("int8", [("TRANSPOSE", (1, 3, 4), "int8"), ("TRANSPOSE", SHAPE, "int8")]),
]
STAYS: list[tuple[str, list[Step]]] = [
    ("int32", [("CAST", SHAPE, "int16"), ("CAST", SHAPE, "int32")]),
    ("int32", [("CAST", SHAPE, "float32"), ("CAST", SHAPE, "int32")]),
    ("float32", [("CAST", SHAPE, "int32"), ("CAST", SHAPE, "float32")]),
    ("float32", [("QUANTIZE", SHAPE, "int8"), ("DEQUANTIZE", SHAPE, "float32")]),
]


@pytest.mark.parametrize(("dtype", "steps"), [*GONE, *STAYS])
def test_only_what_gives_its_input_back_goes(dtype: str, steps: list[Step]) -> None:
    content = chain(dtype, steps)
    graph = compiled(content).graph
    gone = (dtype, steps) in GONE
    assert len(graph.nodes) == (2 if gone else 2 + len(steps))
    reference = Reference(content)
    for each in seeded_inputs(reference.inputs, 6):
        got = evaluate(graph, OPS, each)[graph.outputs[0]]
        np.testing.assert_array_equal(got, reference.run(each)[0])
