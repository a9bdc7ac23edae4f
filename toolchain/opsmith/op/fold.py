"""Evaluation of a node at build time by its op's `evaluate`."""

from collections.abc import Mapping, Sequence

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Constant, Graph, Node, Tensor
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.node import view

LARGEST_CONSTANT = 1 << 24  # elements; more than any flash holds, as few may broadcast to billions
MOST_BYTES = 1 << 27  # limit of all computed constants, besides the allowance by EACH_BYTE
EACH_BYTE = 8  # allowed result bytes per byte of a model's constants: float16 to double
OF_SHAPES = "of_shapes"  # trait of ops that read types and shapes only


class Room:
    """Bytes that may be computed at build time, since a few numbers can imply any amount."""

    def __init__(self, graph: Graph) -> None:
        constants = (each for each in graph.tensors.values() if each.constant is not None)
        self._left = MOST_BYTES + EACH_BYTE * sum(each.bytes for each in constants)

    def folded(self, graph: Graph, node: Node, ops: OpIndex) -> Mapping[str, Tensor] | None:
        """Outputs of a node as constants, by name; None if not computable or beyond the budget."""
        size = sum(graph.tensors[name].bytes for name in node.outputs)
        found = folded(graph, node, ops) if size <= self._left else None
        self._left -= 0 if found is None else size
        return found


def folded(graph: Graph, node: Node, ops: OpIndex) -> Mapping[str, Tensor] | None:
    """Outputs of a node as constants, by name.

    None where the op has no `evaluate` or keeps states, where an input whose elements it reads is
    not constant, and where an output is larger than any flash or has several writers.
    """
    op = ops.of(graph, node)
    inputs = [graph.tensors[name] for name in node.inputs if name is not None]
    outputs = [graph.tensors[name] for name in node.outputs]
    if op.evaluate is None or op.states:
        return None
    if any(tensor.mutable or tensor.elements > LARGEST_CONSTANT for tensor in outputs):
        return None
    if not all(is_known(tensor, op) for tensor in inputs):
        return None
    try:
        values = op.evaluate(view(graph, node, op), [_elements(tensor) for tensor in inputs])
    except ToolchainError:
        raise
    except Exception as error:  # any exception by the op's author
        raise _failed(node, error) from error
    if [np.shape(value) for value in values] != [tensor.shape for tensor in outputs]:
        raise _wrong_shapes(node, values)
    return {t.id: _constant(t, value) for t, value in zip(outputs, values, strict=True)}


def is_known(tensor: Tensor, op: Op) -> bool:
    """True if the op's reading of an input needs only facts that are known at build time."""
    return OF_SHAPES in op.traits or (tensor.constant is not None and not tensor.mutable)


def _elements(tensor: Tensor) -> Array:
    """Elements of a constant; for an op that reads only shapes, zeros that take no memory."""
    if tensor.constant is not None:
        return tensor.data
    return np.broadcast_to(np.zeros((), tensor.dtype.numpy), tensor.shape)


def _failed(node: Node, error: Exception) -> ToolchainError:
    what = f"evaluate of op '{node.op}' fails: {type(error).__name__}: {error}"
    return ToolchainError.of("OPS041", what, where=node.source, fix="correct the function")


def _wrong_shapes(node: Node, values: Sequence[Array]) -> ToolchainError:
    shapes = ", ".join(str(list(np.shape(value))) for value in values)
    return ToolchainError.of(
        "OPS041",
        f"evaluate of op '{node.op}' gave {shapes or 'nothing'} where its infer said otherwise",
        where=node.source,
        fix="return one array for each output, of the shape that infer= says",
    )


def _constant(tensor: Tensor, value: object) -> Tensor:
    array = np.array(value, tensor.dtype.numpy).reshape(tensor.shape)
    return Tensor(
        tensor.id,
        tensor.name,
        tensor.dtype,
        tensor.shape,
        tensor.quantization,
        Constant(array, computed=True),
    )
