"""Prove that an op makes images row by row as its hook `streaming.rows` says, in numpy.

Every node of the cases that has rows is computed whole, and then each row of its output from the
rows of its inputs alone, with rows of padding where the window leaves the image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from toolchain.ir import Array, Graph, Node, Tensor
from toolchain.op.discover import OpIndex
from toolchain.op.node import node_problems, view
from toolchain.op.rows import AXIS, Rows
from toolchain.testing.evaluate import evaluate
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Detail


def check_rows(graph: Graph, ops: OpIndex) -> int:
    """Fail where a row differs from that of the whole image; how many rows were compared."""
    compared = 0
    for inputs in seeded_inputs([_detail(graph.tensors[name]) for name in graph.inputs], 2):
        values = evaluate(graph, ops, inputs)
        for node in graph.nodes:
            for row, got in _rows(graph, ops, node, values):
                wanted = values[node.outputs[0]][:, row : row + 1]
                np.testing.assert_array_equal(got, wanted, f"row {row} of {node.name}")
                compared += 1
    return compared


def _rows(
    graph: Graph, ops: OpIndex, node: Node, values: Mapping[str, Array]
) -> Iterator[tuple[int, Array]]:
    """Each row of the node's output, made from rows of its inputs."""
    op, y = ops.of(graph, node), graph.tensors[node.outputs[0]]
    images = _images(graph, node)
    if not images or len(node.outputs) > 1 or len(y.shape) != 4 or op.evaluate is None:
        return
    rows = op.rows_of(view(graph, node, op))
    for i in range(y.shape[AXIS] if rows is not None else 0):
        assert rows is not None
        windows = {name: _window(values[name], i, rows) for name in images}
        found = {name: window for name, window in windows.items() if window is not None}
        if len(found) == len(windows):
            yield i, _row(graph, ops, node, rows, {**values, **found})


def _images(graph: Graph, node: Node) -> list[str]:
    return [n for n in node.inputs if n is not None and graph.tensors[n].constant is None]


def _window(x: Array, row: int, rows: Rows) -> Array | None:
    """What row i of an output reads; None where that may not leave the image, and does."""
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


def _row(graph: Graph, ops: OpIndex, node: Node, rows: Rows, values: Mapping[str, Array]) -> Array:
    """The node with the geometry of a row, which must be a use of its op."""
    tensors: dict[str, Tensor] = {
        name: replace(graph.tensors[name], shape=values[name].shape)
        for name in _images(graph, node)
    }
    (name,) = node.outputs
    shape = list(graph.tensors[name].shape)
    shape[AXIS] = 1
    tensors[name] = replace(graph.tensors[name], shape=tuple(shape))
    changed = replace(node, attributes={**node.attributes, **rows.attributes})
    small = replace(graph, inputs=(), nodes=(changed,), tensors={**graph.tensors, **tensors})
    op = ops.of(graph, node)
    problems = node_problems(small, changed, op, f"row of {node.name}")
    assert not problems, "\n".join(map(str, problems))
    given = [_value(graph, values, each) for each in node.inputs if each is not None]
    assert op.evaluate is not None
    return np.asarray(op.evaluate(view(small, changed, op), given)[0])


def _value(graph: Graph, values: Mapping[str, Array], name: str) -> Array:
    tensor = graph.tensors[name]
    return values[name] if tensor.constant is None else tensor.data


def _detail(tensor: Tensor) -> Detail:
    return Detail(tensor.name, tensor.shape, tensor.dtype.numpy, None, None)
