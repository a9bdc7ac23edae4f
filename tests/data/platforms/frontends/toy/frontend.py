"""Reads `.toy` files, one line each: `relu SIZE`, a model of one RELU of int8."""

import hashlib
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.ir import Graph, Node, Quantization, Tensor
from opsmith.ir.types import i8


def read_model(path: Path, name: str) -> Model:
    """The model of the file. Raises MDL001."""
    data = path.read_bytes()
    word, _, size = data.decode("ascii", "replace").strip().partition(" ")
    if word != "relu" or not size.isdecimal():
        fix = "write `relu SIZE`"
        raise ToolchainError.of("MDL001", f"'{word}' is no layer", where=str(path), fix=fix)
    halves, shape = Quantization((0.5,), (0,)), (1, int(size))
    tensors = {each: Tensor(each, each, i8, shape, halves) for each in ("x", "y")}
    node = Node("only", "tflite.RELU", ("x",), ("y",), source="line 1 (RELU)")
    graph = Graph(name, tensors, (node,), inputs=("x",), outputs=("y",))
    return Model(graph, hashlib.sha256(data).hexdigest(), ("main",), ("x", "y"))
