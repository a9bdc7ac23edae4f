"""Nodes of float32 that make up an operator which no op computes as a whole."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.reader import Reader
from opsmith.ir import Array
from opsmith.ir.types import boolean

NONE = {"fused_activation_function": "NONE"}
SUM = NONE | {"pot_scale_int16": True}
LAYER = NONE | {"weights_format": 0, "keep_num_dims": True, "asymmetric_quantize_inputs": False}
PRODUCT = {"adj_x": False, "adj_y": False, "asymmetric_quantize_inputs": False}
OPTIONS: dict[str, dict[str, Any]] = {
    "ADD": SUM,
    "SUB": SUM,
    "MUL": NONE,
    "DIV": NONE,
    "CONCATENATION": NONE,
    "FULLY_CONNECTED": LAYER,
    "BATCH_MATMUL": PRODUCT,
    "SOFTMAX": {"beta": 1.0},
}


class Parts:
    """Writer of the nodes of one operator. Methods return the tensor that a node writes."""

    def __init__(self, reader: Reader, operator: Operator) -> None:
        self.reader, self.operator, self.count = reader, operator, 0
        self.name = next(filter(None, operator.outputs), "")
        self.constants: dict[tuple[tuple[int, ...], bytes], str] = {}

    def shape(self, tensor: str) -> tuple[int, ...]:
        """Shape of a tensor."""
        return self.reader.tensors[tensor].shape

    def node(
        self, op: str, inputs: Sequence[str | None], shape: Sequence[int], **options: Any
    ) -> str:
        """Tensor that a new node writes; options that are not given have their usual values."""
        self.count += 1
        made = self.reader.tensor(f"{self.name}_{op}{self.count}", shape)
        return self.reader.node(self.operator, op, inputs, made, OPTIONS.get(op, {}) | options)

    def pair(self, op: str, a: str, b: str) -> str:
        """Tensor of the arithmetic of two tensors, which may broadcast."""
        shape = np.broadcast_shapes(self.shape(a), self.shape(b))
        return self.node(op, [a, b], tuple(map(int, shape)))

    def of(self, op: str, x: str) -> str:
        """Tensor of a function of each element."""
        return self.node(op, [x], self.shape(x))

    def chosen(self, op: str, x: str, bound: float, a: str, b: str) -> str:
        """Tensor of a where x is GREATER or LESS than a number, else of b, of the shape of x."""
        self.count += 1
        shape = self.shape(x)
        holds = self.reader.tensor(f"{self.name}_{op}{self.count}", shape, boolean)
        self.reader.node(self.operator, op, [x, self.real(bound)], holds)
        return self.node("SELECT_V2", [holds, a, b], shape)

    def real(self, array: Any) -> str:
        """Tensor of a float32 constant; equal constants share one."""
        given = np.asarray(array, np.float32)
        key = given.shape, given.tobytes()
        if key not in self.constants:
            self.constants[key] = self.reader.constant(f"{self.name}_constant", given)
        return self.constants[key]

    def reshaped(self, x: str, shape: Sequence[int]) -> str:
        """Tensor of the elements in another shape."""
        return self.node("RESHAPE", [x, self.reader.numbers("shape", shape)], shape)

    def part(self, x: str, axis: int, start: int, count: int) -> str:
        """Tensor of `count` positions of x along an axis."""
        begin, size = [0] * len(self.shape(x)), [*self.shape(x)]
        begin[axis], size[axis] = start, count
        bounds = [self.reader.numbers(name, e) for name, e in (("begin", begin), ("size", size))]
        return self.node("SLICE", [x, *bounds], size)

    def joined(self, parts: Sequence[str], axis: int) -> str:
        """Tensor of the parts, concatenated along an axis."""
        if len(parts) == 1:
            return parts[0]
        shape = [*self.shape(parts[0])]
        shape[axis] = sum(self.shape(part)[axis] for part in parts)
        return self.node("CONCATENATION", [*parts], shape, axis=axis)

    def turned(self, x: str, axes: Sequence[int]) -> str:
        """Tensor with its axes in another order."""
        shape = [self.shape(x)[axis] for axis in axes]
        return self.node("TRANSPOSE", [x, self.reader.numbers("axes", axes)], shape)

    def layer(self, x: str, weights: Array, bias: Array) -> str:
        """Tensor of the products of x with the rows of the weights, plus the bias."""
        shape = (*self.shape(x)[:-1], len(weights))
        return self.node("FULLY_CONNECTED", [x, self.real(weights), self.real(bias)], shape)

    def product(self, a: str, b: str, adjoint: bool = False) -> str:
        """Tensor of matrix products; with `adjoint`, b has its rows and columns exchanged."""
        a_shape, b_shape = self.shape(a), self.shape(b)
        outer = tuple(map(int, np.broadcast_shapes(a_shape[:-2], b_shape[:-2])))
        shape = (*outer, a_shape[-2], b_shape[-2 if adjoint else -1])
        return self.node("BATCH_MATMUL", [a, b], shape, adj_y=adjoint)
