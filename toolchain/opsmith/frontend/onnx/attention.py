"""Products of two tensors that are computed: MatMul, and Attention of float32."""

from __future__ import annotations

import math

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.parts import PRODUCT, Parts
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.values import Value, refuse, stated


def computed_product(reader: Reader, operator: Operator) -> None:
    """MatMul of tensors of two or more axes."""
    a, b = (reader.value(operator, index) for index in range(2))
    a, b = (reader.ordered(operator, each, stated(len(each.order))) for each in (a, b))
    shapes = [reader.tensors[each.tensor].shape for each in (a, b)]
    if min(map(len, shapes)) < 2 or shapes[0][-1] != shapes[1][-2]:
        raise refuse(operator, f"the shapes {shapes} do not fit", "MDL006")
    outer = np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2])
    shape = (*map(int, outer), shapes[0][-2], shapes[1][-1])
    target = reader.target(operator, reader.quantised(a), fuses=False)
    inputs: list[str | None] = [a.tensor, b.tensor]
    reader.write(operator, "BATCH_MATMUL", inputs, target, stated(len(shape)), shape, PRODUCT)


def attention(reader: Reader, operator: Operator) -> None:
    """Attention: softmax(Q K^T + mask) V for each head."""
    parts, options = Parts(reader, operator), operator.attributes
    if any(operator.inputs[4:]) or any(operator.outputs[1:]) or options.get("softcap"):
        raise refuse(operator, "past keys, further outputs and softcap are not read")
    flat = len(reader.value(operator, 0).order) == 3
    heads = ("q_num_heads", "kv_num_heads", "kv_num_heads")
    q, k, v = (_by_heads(reader, operator, parts, i, heads[i]) for i in range(3))
    batch, count, rows, depth = parts.shape(q)
    if parts.shape(k) != (batch, count, parts.shape(v)[2], depth) or parts.shape(v)[1] != count:
        what = f"shapes {[parts.shape(each) for each in (q, k, v)]} of heads are not read"
        raise refuse(operator, what)
    scale = float(options.get("scale") or 1 / math.sqrt(depth))
    if scale < 0:
        raise refuse(operator, "its scale is negative", "MDL014")
    root = parts.real(math.sqrt(scale))
    scores = parts.product(parts.pair("MUL", q, root), parts.pair("MUL", k, root), adjoint=True)
    for mask in _masks(reader, operator, parts, rows, parts.shape(k)[2]):
        shape = parts.shape(scores)
        if np.broadcast_shapes(parts.shape(mask), shape) != shape:
            raise refuse(operator, f"a mask {parts.shape(mask)} does not fit {shape}", "MDL014")
        scores = parts.pair("ADD", scores, mask)
    found = parts.product(parts.of("SOFTMAX", scores), v)
    if flat:
        found = parts.turned(found, (0, 2, 1, 3))
        found = parts.reshaped(found, (batch, rows, count * parts.shape(v)[3]))
    reader.values[operator.outputs[0]] = Value(found, stated(len(parts.shape(found))))


def _by_heads(reader: Reader, operator: Operator, parts: Parts, index: int, heads: str) -> str:
    """An operand with the axes batch, head, position, element."""
    x = reader.value(operator, index)
    x = reader.ordered(operator, x, stated(len(x.order)))
    shape = parts.shape(x.tensor)
    if len(shape) == 4:
        return x.tensor
    count = int(operator.attributes.get(heads, 0))
    if len(shape) != 3 or count < 1 or shape[2] % count:
        raise refuse(operator, f"operand {index} of {shape} has no {count} heads", "MDL014")
    split = parts.reshaped(x.tensor, (*shape[:2], count, shape[2] // count))
    return parts.turned(split, (0, 2, 1, 3))


def _masks(reader: Reader, operator: Operator, parts: Parts, rows: int, columns: int) -> list[str]:
    """Names of the tensors that are added to the products."""
    found = []
    if operator.attributes.get("is_causal"):
        found.append(parts.real(np.triu(np.full((rows, columns), -np.inf), 1)))
    if len(operator.inputs) > 3 and operator.inputs[3]:
        mask = reader.value(operator, 3)
        found.append(reader.ordered(operator, mask, stated(len(mask.order))).tensor)
    return found
