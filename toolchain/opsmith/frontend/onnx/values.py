"""Graph of an ONNX file, with each tensor in the layout that costs least.

Images are stored with channels last. A Transpose only changes the names of a tensor's axes; nodes
are written where an operator needs another order.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.names import identifiers, shown
from opsmith.frontend.onnx.file import Operator
from opsmith.ir import Array, Constant, Graph, Node, Quantization, Tensor
from opsmith.ir.types import BY_NAME, DType, f32
from opsmith.op.fold import EACH_BYTE, MOST_BYTES

MOST = 1 << 28  # elements of a tensor
CHANNELS_LAST = (0, 2, 3, 1)
PLACES_FIRST = (0, 2, 1)  # permutation of a sequence: channels last
OVER_PLACES = ("AveragePool", "Conv", "ConvTranspose", "MaxPool", "Resize")


@dataclass(frozen=True)
class Value:
    """A tensor and its order of axes: stored axis i is axis order[i] of ONNX."""

    tensor: str
    order: tuple[int, ...]


@dataclass(frozen=True)
class StoredConstant:
    """A constant of the file; its elements are integers if it is quantised."""

    array: Array
    quantization: Quantization | None = None

    @property
    def real(self) -> Array:
        """Elements of the constant as float32, dequantised."""
        found = self.quantization
        if found is None:
            return self.array
        sizes = [1] * self.array.ndim
        if found.per_channel:
            sizes[found.axis] = -1
        scales, points = (np.reshape(e, sizes) for e in (found.scales, found.zero_points))
        scaled = (self.array.astype(np.int64) - points).astype(np.float32)
        return np.asarray(scaled * scales.astype(np.float32), np.float32)

    @property
    def uniform(self) -> "StoredConstant":
        """Constant as it is, or of float32 where an axis has scales, as only weights may have."""
        found = self.quantization
        return self if found is None or not found.per_channel else StoredConstant(self.real)

    @property
    def scaled(self) -> "StoredConstant":
        """Constant as it is if it is of int8 with one scale; otherwise its float32 elements."""
        found = self.uniform
        fits = found.quantization is not None and self.array.dtype == np.int8
        return self if fits else StoredConstant(self.real)


def stated(rank: int) -> tuple[int, ...]:
    """Order of axes in which nothing is permuted."""
    return tuple(range(rank))


def preferred(rank: int) -> tuple[int, ...]:
    """Order of axes in which tensors of this rank are stored."""
    return CHANNELS_LAST if rank == len(CHANNELS_LAST) else stated(rank)


# Operators with one computed operand before the layout is decided: scaling of an image's elements.
EACH_ELEMENT = frozenset("Add Cast Clip DequantizeLinear Div Mul QuantizeLinear Sub".split())


def order_of_input(rank: int, readers: Sequence[Operator]) -> tuple[int, ...]:
    """Order of axes in which an input is stored, given its readers."""
    kinds = {each.type for each in readers}
    if readers and all(each.type == "Transpose" or each.made is not None for each in readers):
        return stated(rank)
    return PLACES_FIRST if rank == 3 and kinds & {*OVER_PLACES} else preferred(rank)


def refuse(operator: Operator, what: str, code: str = "MDL013", fix: str = "") -> ToolchainError:
    """Error about an operator, by default with the fix to do without it."""
    fix = fix or f"build the layer otherwise, or {operator.otherwise}"
    return ToolchainError.of(code, what, where=operator.name, fix=fix)


class TooManyError(Exception):
    """Raised with a sentence where constants that are computed would be too large."""


class ConstantRoom:
    """Bytes that constants may take that are computed while a model with the given ones is read,
    since a few numbers can imply any amount.
    """

    def __init__(self, stored: Iterable[Array]) -> None:
        self._most = MOST_BYTES + EACH_BYTE * sum(each.nbytes for each in stored)
        self._taken = 0

    def take(self, size: int) -> None:
        """Count bytes. Raises TooManyError once their sum is above the limit."""
        self._taken += size
        if self._taken > self._most:
            what = "the constants that are computed of others take more than"
            raise TooManyError(f"{what} {self._most >> 20} MiB together")


@contextmanager
def legal(operator: Operator) -> Iterator[None]:
    """Context that makes Python's exceptions errors about an operator's attributes or operands."""
    try:
        yield
    except (TypeError, ValueError, LookupError, ArithmeticError) as wrong:
        what = "an attribute or operand has a type or number that it cannot have"
        raise refuse(operator, what) from wrong


def word(operator: Operator, name: str, default: str) -> str:
    """Text of an operator's attribute, by default `default`."""
    found = operator.attributes.get(name, default.encode())
    if not isinstance(found, bytes):
        raise refuse(operator, f"its attribute {name} is no text")
    return found.decode("ascii", "replace")


class Builder:
    """Graph that grows node by node."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self.called: dict[str, str] = {}  # other names of tensors in the graph

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: DType = f32,
        quantization: Quantization | None = None,
        array: Array | None = None,
    ) -> str:
        """Name of a new tensor of this stored shape; constant if it has an `array`."""
        if math.prod(map(int, shape)) > MOST:
            what, fix = f"it has more than {MOST} elements", "export with sizes that fit"
            raise ToolchainError.of("MDL003", what, where=f"'{shown(name)}'", fix=fix)
        unique = name
        while unique in self.tensors:
            unique += "_"
        constant = None if array is None else Constant(np.array(array, order="C"))
        self.tensors[unique] = Tensor(
            unique, name, dtype, tuple(map(int, shape)), quantization, constant
        )
        return unique

    def constant(self, name: str, array: Array, quantization: Quantization | None = None) -> str:
        """Name of a new constant."""
        return self.tensor(name, array.shape, BY_NAME[array.dtype.name], quantization, array)

    def numbers(self, name: str, values: Any) -> str:
        """Name of a new int32 constant."""
        return self.constant(name, np.asarray(values, np.int32))

    def node(
        self,
        operator: Operator,
        op: str,
        inputs: Sequence[str | None],
        output: str,
        attributes: Mapping[str, Any] | None = None,
        also: Sequence[str] = (),
        space: str = "tflite",
    ) -> str:
        """Tensor that a new node of an operator of a name space writes, with its further outputs in
        `also`.
        """
        made = Node(output, f"{space}.{op}", tuple(inputs), (output, *also), attributes or {})
        self.nodes.append(replace(made, source=operator.name))
        return output

    def shape(self, value: Value) -> tuple[int, ...]:
        """Shape of a value in ONNX's order of axes."""
        stored = self.tensors[value.tensor].shape
        return tuple(stored[value.order.index(axis)] for axis in range(len(stored)))

    def like(self, name: str, value: Value, shape: Sequence[int]) -> str:
        """Name of a new tensor with type and quantisation of a value, and another stored shape."""
        old = self.tensors[value.tensor]
        return self.tensor(name, shape, old.dtype, old.quantization)

    def ordered(self, operator: Operator, value: Value, order: tuple[int, ...]) -> Value:
        """The value in another order of axes, by a TRANSPOSE if elements have to move."""
        if value.order == order:
            return value
        old = self.tensors[value.tensor]
        axes = [value.order.index(axis) for axis in order]
        shape = [old.shape[axis] for axis in axes]
        made = self.like(f"{old.name}_ordered", value, shape)
        long = [axis for axis in axes if old.shape[axis] != 1]
        if long == sorted(long):  # only axes of size 1 move
            self.node(operator, "RESHAPE", [value.tensor, self.numbers("shape", shape)], made)
        else:
            self.node(operator, "TRANSPOSE", [value.tensor, self.numbers("axes", axes)], made)
        return Value(made, order)

    def graph(self, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> Graph:
        """Graph of all tensors and nodes so far, with C identifiers."""
        names = {old: self.called.get(old, old) for old in self.tensors}
        made = dict(zip(names, identifiers(names.values()), strict=True))
        tensors = {
            made[old]: replace(each, id=made[old], name=self.called.get(old, each.name))
            for old, each in self.tensors.items()
        }
        nodes = tuple(
            replace(
                node,
                name=made[node.name],
                inputs=tuple(None if i is None else made[i] for i in node.inputs),
                outputs=tuple(made[o] for o in node.outputs),
            )
            for node in self.nodes
        )
        first, last = (tuple(made[each] for each in names) for names in (inputs, outputs))
        return Graph(name, tensors, (), first, last).with_nodes(nodes)
