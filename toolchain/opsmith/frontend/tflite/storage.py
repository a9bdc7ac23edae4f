"""Widening of tensors that are only stored as int4, int2, float16, or as weights before DEQUANTIZE.

Tensors that are stored sparsely are dense once they are read, so that a DENSIFY has nothing to do.
"""

from dataclasses import replace

import numpy as np

from opsmith.ir import Array, Constant, DType, Graph, Node, Tensor, TensorType
from opsmith.ir.types import f32, i8, u8

FLOAT16 = DType("float16", "float16", "", 0)
PACKED = {DType("int4", "int4", "", 0): 4, DType("int2", "int2", "", 0): 2}  # bits per element


def unpacked(data: Array, elements: int, bits: int) -> Array:
    """Elements of `bits` bits as int8; elements in the lowest bits of each byte come first."""
    to_top = np.arange(8 - bits, -1, -bits)
    upper = (data[:, np.newaxis] << to_top).astype(np.uint8)
    return (upper.reshape(-1)[:elements].view(np.int8) >> (8 - bits)).astype(i8.numpy)


def without_densify(graph: Graph) -> Graph:
    """Graph with constants in place of DENSIFY nodes of stored tensors."""
    made: dict[str, Tensor] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        x = _stored(graph, node, "tflite.DENSIFY")
        y = graph.tensors[node.outputs[0]] if x is not None else None
        if x is None or y is None or x.dtype != y.dtype:
            nodes.append(node)
            continue
        made[y.id] = replace(y, shape=x.shape, constant=x.constant, packed=x.packed)
    return graph.with_nodes(tuple(nodes), **made)


def with_wide_weights(graph: Graph) -> Graph:
    """Graph with float32 constants in place of DEQUANTIZE nodes of weights.

    Only float16 weights and per-channel quantised weights are widened here. All others become
    floats when constants are folded.
    """
    widened: dict[str, Tensor] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        tensor = _stored(graph, node, "tflite.DEQUANTIZE")
        wide = _wide(tensor) if tensor is not None else None
        output = graph.tensors[node.outputs[0]] if wide is not None else None
        if tensor is None or wide is None or output is None or output.type != _floats(wide):
            nodes.append(node)
            continue
        stored = wide.size * (tensor.packed or 8 * tensor.data.itemsize) // 8
        widened[output.id] = replace(output, constant=Constant(wide, stored=stored))
    return graph.with_nodes(tuple(nodes), **widened)


def _floats(wide: Array) -> TensorType:
    return TensorType(f32, wide.shape)


def _wide(weights: Tensor) -> Array | None:
    """Values of weights as float32, if this module widens their type; else None."""
    quantization = weights.quantization
    if weights.dtype == FLOAT16:
        return weights.data.astype(f32.numpy)
    if weights.dtype not in (i8, u8) or quantization is None or not quantization.per_channel:
        return None
    shape = np.ones(weights.data.ndim, np.int64)
    shape[quantization.axis] = -1
    scales = np.array(quantization.scales, f32.numpy).reshape(shape)
    zero_points = np.array(quantization.zero_points, np.int32).reshape(shape)
    with np.errstate(over="ignore"):
        return np.asarray(scales * (weights.data - zero_points).astype(f32.numpy))


def _stored(graph: Graph, node: Node, op: str) -> Tensor | None:
    """Constant that a node of an operator, with one input and one output, reads; else None."""
    if node.op != op or (len(node.inputs), len(node.outputs)) != (1, 1):
        return None
    tensor = graph.tensors.get(node.inputs[0] or "")
    return tensor if tensor is not None and tensor.constant is not None else None
