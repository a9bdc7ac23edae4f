"""Proves in numpy that an op makes images row by row as its hook `streaming.rows` says.

Every node of the cases that has rows is computed whole, and then each row of its output from the
rows of its inputs alone, with rows of padding where the window leaves the image.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.op.rows import AXIS, RowWindow
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Detail
from opsmith.testing.inputs import seeded_inputs


@dataclass(frozen=True)
class _RowNode:
    """A node that can compute its output row by row."""

    node: Node
    op: TypedOp
    rows: RowWindow
    images: tuple[str, ...]  # inputs that it reads row by row
    of_a_row: NodeView  # the node with shapes and attributes for one row


def check_rows(graph: Graph, ops: OpIndex) -> int:
    """Fail where a row differs from that of the whole image; returns the number of rows."""
    compared, steps = 0, list(_steps(graph, ops))
    for inputs in seeded_inputs([_detail(graph.tensors[name]) for name in graph.inputs], 2):
        values = evaluate(graph, ops, inputs)
        for step in steps:
            whole = values[step.node.outputs[0]]
            for row, got in _rows(graph, step, values, whole.shape[AXIS]):
                wanted = whole[:, row : row + 1]
                np.testing.assert_array_equal(got, wanted, f"row {row} of {step.node.name}")
                compared += 1
    return compared


def _steps(graph: Graph, ops: OpIndex) -> Iterator[_RowNode]:
    for node in graph.nodes:
        op, y = ops.of(graph, node), graph.tensors[node.outputs[0]]
        images = _images(graph, node)
        if not images or len(node.outputs) > 1 or len(y.shape) != 4 or op.evaluate is None:
            continue
        rows = op.rows_of(view(graph, node, op))
        if rows is not None:
            yield _RowNode(node, op, rows, images, _of_a_row(graph, node, op, rows))


def _rows(
    graph: Graph, step: _RowNode, values: Mapping[str, Array], count: int
) -> Iterator[tuple[int, Array]]:
    """Rows of the node's output by number, each computed from rows of its inputs."""
    assert step.op.evaluate is not None
    for row in range(count):
        windows = {name: _window(values[name], row, step.rows) for name in step.images}
        found = {name: window for name, window in windows.items() if window is not None}
        if len(found) == len(windows):
            given = [
                _value(graph, {**values, **found}, each)
                for each in step.node.inputs
                if each is not None
            ]
            yield row, np.asarray(step.op.evaluate(step.of_a_row, given)[0])


def _images(graph: Graph, node: Node) -> tuple[str, ...]:
    return tuple(n for n in node.inputs if n is not None and graph.tensors[n].constant is None)


def _window(x: Array, row: int, rows: RowWindow) -> Array | None:
    """Rows of an input for a row of the output; None where they leave the image but must not."""
    first = row * rows.stride - rows.before
    wanted = range(first, first + rows.window)
    inside = [each for each in wanted if 0 <= each < x.shape[AXIS]]
    if len(inside) == rows.window:
        return x[:, first : first + rows.window]
    if rows.value is None:
        return None
    window = np.full((x.shape[0], rows.window, *x.shape[2:]), rows.value, x.dtype)
    window[:, [each - first for each in inside]] = x[:, inside]
    return window


def _of_a_row(graph: Graph, node: Node, op: TypedOp, rows: RowWindow) -> NodeView:
    """Node with the geometry of a row, which must be a valid use of its op."""
    heights = {**dict.fromkeys(_images(graph, node), rows.window), node.outputs[0]: 1}
    tensors = {name: _of_height(graph.tensors[name], size) for name, size in heights.items()}
    changed = replace(node, attributes={**node.attributes, **rows.attributes})
    small = replace(graph, inputs=(), nodes=(changed,), tensors={**graph.tensors, **tensors})
    problems = node_problems(small, changed, op, f"row of {node.name}")
    assert not problems, "\n".join(map(str, problems))
    return view(small, changed, op)


def _of_height(image: Tensor, height: int) -> Tensor:
    return replace(image, shape=(*image.shape[:AXIS], height, *image.shape[AXIS + 1 :]))


def _value(graph: Graph, values: Mapping[str, Array], name: str) -> Array:
    tensor = graph.tensors[name]
    return values[name] if tensor.constant is None else tensor.data


def _detail(tensor: Tensor) -> Detail:
    return Detail(tensor.name, tensor.shape, tensor.dtype.numpy, None, None)
