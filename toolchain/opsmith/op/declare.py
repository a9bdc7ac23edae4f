"""Declarations of an op besides its variants: sources, operands, attributes, states, rewrites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from opsmith.ir import Array, DType
from opsmith.ir.types import i8, i16, u8
from opsmith.op.view import GraphBuilder, GraphReader, NodeView


class OpError(Exception):
    """Raised by an op's functions for a node that the op does not take: a sentence for the user."""


@dataclass(frozen=True)
class Convert:
    """A source option that becomes an attribute of another name and value."""

    attribute: str  # its name there
    value: Callable[[Any], Any]  # raises OpError, ValueError or TypeError for what it cannot take


@dataclass(frozen=True)
class Rename:
    """A source op that becomes this op: a rule of the legalizer.

    Sources are `tflite.NAME`, which is also what the readers of .onnx and .pt2 files make of most
    operators; `tflite.CUSTOM.Name`, also for ONNX's operators of users' domains; and `onnx.Name`,
    `onnx.com.microsoft.Name` and `aten.name`, whatever its overload. These have tensors as inputs,
    in the format's order of operands and of axes, and all else as options. Quantised tensors are
    dequantised before them. What a reader reads by itself is only taken by a Rename that
    `overrides` the reader, for all operators of that name.
    """

    source: str  # 'tflite.CONV_2D', 'tflite.CUSTOM.MyOp', 'onnx.Hardmax', 'aten.threshold'
    versions: range = range(1, 2)  # of the source op that are understood; only TFLite's have them
    # source option -> attribute, for those whose names differ
    attributes: Mapping[str, str | Convert] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()  # source options that change nothing here
    # source input index for each declared input, where the order differs
    inputs: tuple[int, ...] | None = None
    # how the options of a CUSTOM op are read: bytes -> names and values
    options: Callable[[bytes], Mapping[str, Any]] | None = None
    when: Callable[[NodeView], bool] | None = None  # holds for the nodes that become this op
    # the op that claims the same source and steps back where this one holds; 'onnx' or 'aten': the
    # reader of these operators
    overrides: str = ""
    reason: str = ""  # why it does, for the report
    # LiteRT takes the shapes of outputs as stored: where others follow, it refuses the model, or
    # reads and writes past their ends
    as_stored: bool = False
    # the op that claims the same source and is asked first: what it does not take is this op
    extends: str = ""


@dataclass(frozen=True)
class Input:
    """An input, by name. `type` is an element type, or the name of a type variable: 'T'."""

    name: str  # of kernels' member `in.<name>`, too
    type: DType | str  # element type, or name of a type variable
    constant: bool = False  # must be known at build time; reaches kernels through tables only
    optional: bool = False  # may be absent
    first: bool = False  # a node without it is of the first variant that fits
    variadic: bool = False  # the last input only: any number of tensors of one type
    empty: bool = False  # may have no elements where outputs have some
    rank: int | range | None = None  # numbers of dimensions that it may have; None for any
    state: bool = False  # a variable tensor of the model, which kernels may change
    # the output whose shape its elements are; where only running the model tells these, the shape
    # that the model stores of this output is taken, as long as the op can have it
    shape_of: str = ""
    # the least and the greatest element that names something, such as a position of another input:
    # what `run` gives, without input=, leads to no others
    limits: Callable[[NodeView], tuple[int, int]] | None = None


@dataclass(frozen=True)
class Output:
    """An output, by name. `type` is an element type, or the name of a type variable: 'T'."""

    name: str  # of kernels' member `out.<name>`, too
    type: DType | str  # element type, or name of a type variable
    variadic: bool = False  # the last output only: any number of tensors of one type


@dataclass(frozen=True)
class ListOf:
    """Type of an attribute that is a tuple of scalars."""

    type: type


@dataclass(frozen=True)
class Attribute:
    """A typed constant of a node. An attribute without a default must be present.

    `type` is bool, int, float, str or bytes, `ListOf(type)` for a tuple of one such type, or an
    element type for a numpy array of any shape.
    """

    name: str  # as `node.attributes` has it
    # bool, int, float, str, bytes, `ListOf(int)`, or an element type for an array of any shape
    type: type | ListOf | DType
    default: Any = None  # value of nodes without it; None: it must be present
    choices: tuple[Any, ...] = ()  # values that it may have; any without them
    inner: bool = False  # only `decompose` sets it: messages about models do not list it


@dataclass(frozen=True)
class State:
    """A buffer of a node that survives invoke(): zero before the first call, or as `initial` says.

    `type` is an element type, or the name of a type variable of an input or output.
    """

    name: str  # of kernels' member of State, too
    type: DType | str  # element type, or name of a type variable
    elements: Callable[[NodeView], int]  # node -> how many it has
    initial: Callable[[NodeView], Array] | None = None  # node -> first values; zeros without it


States = Mapping[str, Array]  # contents of a node's states, by name, which `evaluate` changes


KEPT_WHOLE = "kept whole"  # start of the remark on a node that is not decomposed


@dataclass(frozen=True)
class Decompose:
    """Rewriting of a node as other ops. `into` adds them to the builder; the node is removed."""

    # (node, builder): adds the nodes that take its place
    into: Callable[[NodeView, GraphBuilder], None]
    when: Callable[[NodeView], bool] = lambda node: True  # node -> whether it holds for it
    required: bool = False  # no kernel can compute the nodes for which `when` holds
    cheaper: bool = False  # only where the other ops' kernels declare that they cost less


@dataclass(frozen=True)
class Match:
    """Rewriting of a subgraph as one node of this op.

    `find` is called for every node of op `root`, the last of the subgraph, and returns the inputs,
    outputs and attributes of the new node, or None where the subgraph does not match.
    """

    root: str  # op of the last node of the subgraph
    # (node, graph) -> what the new node takes, gives and knows; None where the subgraph is another
    find: Callable[[NodeView, GraphReader], Matched | None]
    # only where all its nodes run on the runtime's device, and one launch takes less than theirs
    on_device: bool = False


@dataclass(frozen=True)
class Matched:
    """A subgraph that one node of an op can replace, with that node's operands and attributes."""

    nodes: tuple[str, ...]  # names of all nodes that go, the root among them
    inputs: Mapping[str, str]  # declared input -> tensor id
    outputs: Mapping[str, str]  # declared output -> tensor id
    attributes: Mapping[str, Any] = field(default_factory=dict)  # attribute -> value


@dataclass(frozen=True)
class ExampleTensor:
    """A tensor of an example: constant when it has data."""

    dtype: DType | None  # None: as the op declares it, and with scale 0.5 for 8 or 16 bits
    shape: tuple[int, ...] | None  # None: as `infer` says, of an output
    scale: float | tuple[float, ...] | None = None
    zero_point: int = 0
    axis: int = 0
    data: Array | None = None


@dataclass(frozen=True)
class Example:
    """A node of an op, for compiling and testing its kernels: tensors by declared name.

    An output that it leaves out has the shape that `infer` gives. Tensors without an element type
    have the declared one, of the variant that has the example, or else of the op's first.
    """

    tensors: Mapping[str, ExampleTensor | Sequence[ExampleTensor]]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, attributes: Mapping[str, Any] | None = None, /, **operands: Any) -> Example:
        """Example with operands given as shapes (tuples, or lists of tuples for variadic ones), as
        values of constants, or as ExampleTensor.
        """

        def operand(value: Any) -> ExampleTensor | list[ExampleTensor]:
            match value:
                case ExampleTensor():
                    return value
                case tuple():
                    return ExampleTensor(None, value)
                case [tuple(), *_]:
                    return [ExampleTensor(None, shape) for shape in value]
            return ExampleTensor(None, np.shape(value), data=np.array(value))

        return cls({name: operand(value) for name, value in operands.items()}, attributes or {})

    def typed(self, operands: Iterable[Input | Output], types: Mapping[str, DType]) -> Example:
        """Example whose tensors, all outputs among them, have types by those of type variables."""
        tensors = dict(self.tensors)
        for each in operands:
            dtype = types.get(each.type) if isinstance(each.type, str) else each.type
            if each.name in tensors:
                tensors[each.name] = _typed(tensors[each.name], dtype)
            elif isinstance(each, Output) and not each.variadic:
                tensors[each.name] = _typed(ExampleTensor(None, None), dtype)
        return replace(self, tensors=tensors)


def _typed(
    given: ExampleTensor | Sequence[ExampleTensor], dtype: DType | None
) -> ExampleTensor | Sequence[ExampleTensor]:
    if not isinstance(given, ExampleTensor):
        return [_of_type(each, dtype) for each in given]
    return _of_type(given, dtype)


def _of_type(given: ExampleTensor, dtype: DType | None) -> ExampleTensor:
    if given.dtype is not None:
        return given
    scale = 0.5 if given.scale is None and dtype in (i8, u8, i16) else given.scale
    return replace(given, dtype=dtype, scale=scale)
