"""The network that reads digits as a .pt2 program, written without PyTorch.

It has the weights and quantisations of tests/models/digits_int8.tflite, so that both give equal
elements by numerics=tflm.
"""

from pathlib import Path

import numpy as np

from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.roads.network import MODEL
from tests.unit.frontend.pt2_models import Name, Pt2Writer


def write_digits(path: Path) -> Path:
    """Write the network that reads digits as a .pt2 program."""
    _, graph = read(MODEL, "digits", shipped_ops())
    nodes = iter(graph.nodes)
    m = Pt2Writer((1, 1, 8, 8))
    x = quantised(m, Name("x"), graph.tensors[graph.inputs[0]])
    x = convolution(m, x, graph, next(nodes), 1)
    x = m.call("pad", (1, 12, 9, 9), self=x, pad=[0, 1, 0, 1])  # as SAME pads a stride of 2
    x = quantised(m, x, graph.tensors[graph.nodes[0].outputs[0]])
    x = convolution(m, x, graph, next(nodes), 0, stride=[2, 2], groups=12)
    x = first = convolution(m, x, graph, next(nodes), 0)
    x = convolution(m, x, graph, next(nodes), 1, groups=24)
    x = convolution(m, x, graph, next(nodes), 0)
    x = m.call("aten.add.Tensor", (1, 24, 4, 4), self=first, other=x)
    x = written(m, m.call("relu", (1, 24, 4, 4), self=x), graph, next(nodes))
    x = m.call("avg_pool2d", (1, 24, 2, 2), self=x, kernel_size=[2, 2])
    x = written(m, x, graph, next(nodes))
    x = m.call("aten.flatten.using_ints", (1, 96), self=x, start_dim=1)
    assert next(nodes).op == "reshape"
    node = next(nodes)
    weights, bias = constants(graph, node)
    rows = weights.data.reshape(-1, 2, 2, 24).transpose(0, 3, 1, 2).reshape(-1, 96)
    given = {"weight": dequantised(m, weights, rows), "bias": dequantised(m, bias, bias.data)}
    x = written(m, m.call("linear", (1, 10), input=x, **given), graph, node)
    x = m.call("aten.softmax.int", (1, 10), self=x, dim=-1)
    return m.save(path, written(m, x, graph, next(nodes)))


def convolution(
    m: Pt2Writer, x: Name, graph: Graph, node: Node, padding: int, **options: object
) -> Name:
    """Value of a node's convolution, and of its ReLU, where it has one."""
    weights, bias = constants(graph, node)
    axes = (3, 0, 1, 2) if node.op == "depthwise_conv_2d" else (0, 3, 1, 2)
    given = {
        "weight": dequantised(m, weights, weights.data.transpose(axes)),
        "bias": dequantised(m, bias, bias.data),
    }
    shape = graph.tensors[node.outputs[0]].shape
    sizes = [shape[axis] for axis in (0, 3, 1, 2)]
    y = m.call("conv2d", sizes, input=x, **given, padding=[padding] * 2, **options)
    if node.attributes["activation"] == "RELU":
        y = m.call("relu", sizes, self=y)
    return written(m, y, graph, node)


def constants(graph: Graph, node: Node) -> tuple[Tensor, Tensor]:
    """Tensors of the weights and biases of a node."""
    weights, bias = (graph.tensors[str(name)] for name in node.inputs[1:])
    return weights, bias


def dequantised(m: Pt2Writer, tensor: Tensor, array: Array) -> Name:
    """Constant dequantised by its tensor's scales: by index of the first axis, or one for all."""
    assert tensor.quantization is not None
    scales = np.resize(np.array(tensor.quantization.scales, np.float32), len(array))
    return m.weights(np.ascontiguousarray(array), scales)


def written(m: Pt2Writer, x: Name, graph: Graph, node: Node) -> Name:
    """Value quantised and dequantised as the node's output."""
    return quantised(m, x, graph.tensors[node.outputs[0]])


def quantised(m: Pt2Writer, x: Name, like: Tensor) -> Name:
    """Value quantised and dequantised as a tensor."""
    found = like.quantization
    assert found is not None
    return m.through(x, found.scales[0], found.zero_points[0])
