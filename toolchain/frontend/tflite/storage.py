"""Element types that models only store: constants of int4, int2 and float16 widen when read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toolchain.ir import Array, Constant, DType, Graph, Node, Tensor
from toolchain.ir.types import f32, i8

FLOAT16 = DType("float16", "float16", "", 0)
PACKED = {DType("int4", "int4", "", 0): 4, DType("int2", "int2", "", 0): 2}  # bits


def unpacked(data: Array, elements: int, bits: int) -> Array:
    """Elements of so many bits as int8: those in the lowest bits of each byte come first."""
    to_top = np.arange(8 - bits, -1, -bits)
    upper = (data[:, np.newaxis] << to_top).astype(np.uint8)
    return (upper.reshape(-1)[:elements].view(np.int8) >> (8 - bits)).astype(i8.numpy)


def without_float16(graph: Graph) -> Graph:
    """The graph with constants of float32 in place of nodes that dequantise float16 ones."""
    widened: dict[str, Tensor] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        tensor = graph.tensors[node.inputs[0]] if _one_to_one(node) and node.inputs[0] else None
        if tensor is None or tensor.dtype != FLOAT16 or tensor.constant is None:
            nodes.append(node)
            continue
        output = graph.tensors[node.outputs[0]]
        if output.dtype != f32 or output.shape != tensor.shape:
            nodes.append(node)
            continue
        widened[output.id] = replace(output, constant=Constant(tensor.data.astype(f32.numpy)))
    return graph.with_nodes(tuple(nodes), **widened)


def _one_to_one(node: Node) -> bool:
    return node.op == "tflite.DEQUANTIZE" and (len(node.inputs), len(node.outputs)) == (1, 1)
