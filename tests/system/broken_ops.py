"""Op folders with a mistake in their kernel, which their numpy does not have."""

from pathlib import Path

from opsmith.tflite.writer import ModelWriter

_OP = '''"""{title}."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.op import *


@dataclass(frozen=True)
class Params:
    """How much there is."""

    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    return [node["x"].type]


def params(node: NodeView) -> Params:
    return Params(node["x"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    return [{numpy}]


OP = Op(
    name="{name}",
    legalize=({rename},),
    inputs=(Input("x", {dtype}),),
    outputs=(Output("y", {dtype}),),
    infer=infer,
    evaluate=evaluate,
    variants=(Variant({{}}, (Kernel("reference", Params, every_node(params)),)),),
)
'''
_KERNEL = """#pragma once
#include "{name}.op.h"
namespace opsmith::{name} {{
template <class P>
void reference(const P& p, const In& in, const Out& out) {{
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = {kernel};
}}
}}  // namespace opsmith::{name}
"""


def write_op(root: Path, name: str, *, rename: str, numpy: str, kernel: str, dtype: str) -> None:
    """Write one op: y as an expression, in numpy over inputs[0] and in C++ over in.x[i]."""
    folder = root / name
    folder.mkdir(parents=True)
    text = _OP.format(title=name, name=name, rename=rename, numpy=numpy, dtype=dtype)
    (folder / "op.py").write_text(text, encoding="utf-8")
    (folder / "reference.h").write_text(_KERNEL.format(name=name, kernel=kernel), encoding="utf-8")


_FIVE_TOO_HIGH = "(in.x[i] < 0 ? 0 : in.x[i] > 12 ? 12 : in.x[i]) + (i == 7 ? 5 : 0)"


def write_bad_relu6(root: Path, kernel: str = _FIVE_TOO_HIGH) -> None:
    """Write a RELU6, for scale 0.5 and zero point 0, in place of ops/relu6: 5 too high at element
    7.
    """
    write_op(
        root,
        "bad_relu6",
        rename='Rename("tflite.RELU6", range(1, 3), overrides="relu6", reason="a test")',
        numpy="np.clip(inputs[0], 0, 12)",
        kernel=kernel,
        dtype="i8",
    )


def write_twice(root: Path, kernel: str = "in.x[i] + in.x[i]") -> None:
    """Write the op of CUSTOM Twice on floats, which LiteRT does not have."""
    rename = 'Rename("tflite.CUSTOM.Twice")'
    numpy = "inputs[0] + inputs[0]"
    write_op(root, "twice", rename=rename, numpy=numpy, kernel=kernel, dtype="f32")


def clamps() -> bytes:
    """Model of ADD with a fused RELU, RELU6, RESHAPE and a second RELU6, all at scale 0.5."""
    m = ModelWriter()
    x = m.input("x", (4, 5), "int8", 0.5, 0)
    tensors = [m.tensor(f"t{i}", (4, 5), "int8", 0.5, 0) for i in range(3)]
    flat = m.tensor("flat", (20,), "int8", 0.5, 0)
    m.node("ADD", [x, x], [tensors[0]], version=2)
    m.node("RELU", [tensors[0]], [tensors[1]], version=2)
    m.node("RELU6", [tensors[1]], [tensors[2]], version=2)
    m.node("RESHAPE", [tensors[2]], [flat], {"new_shape": [20]})
    m.output(m.value("RELU6", [flat], m.tensor("y", (20,), "int8", 0.5, 0), version=2))
    return bytes(m.bytes())


def twice() -> bytes:
    """Model of a RESHAPE, a Twice and a RESHAPE, of floats."""
    m = ModelWriter()
    x = m.input("x", (2, 3), "float32")
    flat, doubled = m.tensor("flat", (6,), "float32"), m.tensor("doubled", (6,), "float32")
    m.node("RESHAPE", [x], [flat], {"new_shape": [6]})
    m.node("CUSTOM", [flat], [doubled], custom="Twice")
    m.output(m.value("RESHAPE", [doubled], m.tensor("y", (2, 3), "float32"), {"new_shape": [2, 3]}))
    return bytes(m.bytes())
