"""Channels go where no input of the model could tell, and nowhere else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array, Graph
from opsmith.ir.verify import verify
from opsmith.op.macs import total_macs
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.add_outputs import add_outputs
from opsmith.transform.channel_ranges import channel_ranges
from opsmith.transform.fold_constants import fold_constants
from opsmith.transform.remove_channels import remove_channels
from opsmith.transform.remove_dead_nodes import remove_dead_nodes
from tests.layers import conv_2d
from tests.programs import assert_litert, built, compiled

SCALE, LOW = 0.05, -128  # of every tensor: RELU clamps to LOW, which stands for zero
OFF, ON, STUCK = -(10**6), 0, 10**6  # biases: always LOW, anything, always 127


def convolution(
    m: ModelWriter,
    x: ModelTensor,
    biases: Sequence[int],
    size: int = 1,
    padding: str = "SAME",
    activation: str = "RELU",
    zero: Sequence[tuple[int, ...]] = (),
) -> ModelTensor:
    """Add a convolution with the given biases; `zero` are index tuples of weights that are 0."""
    number = len(m.content.tensors)
    weights = np.random.default_rng(number).integers(1, 127, (len(biases), size, size, x.shape[3]))
    weights[:, : size - 1, 0] *= -1
    for index in zero:
        weights[index] = 0
    scale = 0.01 / size**4  # so that no sum of constants alone is beyond the range of y
    w = m.constant(f"w{number}", weights.astype(np.int8), scale, 0)
    b = m.constant(f"b{number}", np.array(biases, np.int32), SCALE * scale, 0)
    sides = tuple(s - (size - 1 if padding == "VALID" else 0) for s in x.shape[1:3])
    y = m.tensor(f"y{number}", (1, *sides, len(biases)), "int8", SCALE, LOW)
    return conv_2d(m, x, w, b, y, padding=padding, fused_activation_function=activation)


def depthwise(m: ModelWriter, x: ModelTensor, padding: str = "SAME") -> ModelTensor:
    number, channels = len(m.content.tensors), x.shape[3]
    weights = np.random.default_rng(number).integers(-30, 30, (1, 3, 3, channels))
    w = m.constant(f"w{number}", weights.astype(np.int8), 0.01, 0)
    b = m.constant(f"b{number}", np.zeros(channels, np.int32), SCALE * 0.01, 0)
    y = m.tensor(f"y{number}", x.shape, "int8", SCALE, LOW)
    options: dict[str, int | str] = {"padding": padding, "stride_w": 1, "stride_h": 1}
    options |= {"depth_multiplier": 1, "fused_activation_function": "RELU"}
    m.node("DEPTHWISE_CONV_2D", [x, w, b], [y], options)
    return y


@dataclass(frozen=True)
class Network:
    """Network, and the shapes of its computed tensors once channels are removed."""

    name: str
    build: Callable[[ModelWriter, ModelTensor], ModelTensor]
    left: Sequence[tuple[int, ...]]


def two(
    biases: Sequence[int], size: int = 1, padding: str = "SAME", **options: object
) -> Callable[[ModelWriter, ModelTensor], ModelTensor]:
    """Network of a convolution with the given biases, then one with a window of the given size."""

    def build(m: ModelWriter, x: ModelTensor) -> ModelTensor:
        return convolution(m, convolution(m, x, biases), [0, 9], size, padding, **options)  # type: ignore[arg-type]

    return build


def with_skip(m: ModelWriter, x: ModelTensor) -> ModelTensor:
    """Network with a skip: one channel is LOW in both operands, one in a alone, one in b alone."""
    a, b = convolution(m, x, [OFF, OFF, ON, ON]), convolution(m, x, [OFF, ON, STUCK, ON])
    y = m.value("ADD", [a, b], m.tensor("sum", a.shape, "int8", 4 * SCALE, LOW), version=2)
    return convolution(m, y, [0])


def separable(m: ModelWriter, x: ModelTensor) -> ModelTensor:
    return convolution(m, depthwise(m, convolution(m, x, [OFF, ON, OFF, ON])), [0, 9])


def grouped(m: ModelWriter, x: ModelTensor) -> ModelTensor:
    """Network of a convolution of two groups, the first of which is dead."""
    y = convolution(m, x, [ON] * 4)
    w = m.constant("w", np.full((4, 1, 1, 2), 5, np.int8), 0.01, 0)
    b = m.constant("b", np.array([OFF, OFF, OFF, ON], np.int32), SCALE * 0.01, 0)
    z = m.tensor("z", y.shape, "int8", SCALE, LOW)
    conv_2d(m, y, w, b, z, fused_activation_function="RELU")
    return convolution(m, z, [0])


def matrix(m: ModelWriter, x: ModelTensor, *, pooled: bool) -> ModelTensor:
    """Network of a matrix product of all pixels, or of their maxima."""
    y = convolution(m, x, [OFF, STUCK, ON, ON])
    if pooled:
        z = m.tensor("pooled", (1, 1, 1, 4), "int8", SCALE, LOW)
        window = {"filter_height": 4, "filter_width": 3, "stride_w": 4, "stride_h": 3}
        m.node("MAX_POOL_2D", [y], [z], {"padding": "VALID", **window})
        y = z
    depth = int(np.prod(y.shape))
    flat = m.tensor("flat", (1, depth), "int8", SCALE, LOW)
    m.node("RESHAPE", [y], [flat], {"new_shape": [1, depth]})
    w = m.constant("w", np.arange(2 * depth).reshape(2, depth).astype(np.int8), 0.04 / depth, 0)
    return m.value("FULLY_CONNECTED", [flat, w, None], m.tensor("z", (1, 2), "int8", 0.2, 5))


NETWORKS = (
    Network("zeros", two([OFF, ON, OFF, ON]), [(1, 4, 3, 2), (1, 4, 3, 2)]),
    Network("zeros_under_padding", two([OFF, ON, ON], 3), [(1, 4, 3, 2), (1, 4, 3, 2)]),
    Network("constants", two([STUCK, ON, ON]), [(1, 4, 3, 2), (1, 4, 3, 2)]),
    Network("constants_under_padding", two([STUCK, ON], 3), [(1, 4, 3, 2), (1, 4, 3, 2)]),
    Network("constants_inside", two([STUCK, ON], 3, "VALID"), [(1, 4, 3, 1), (1, 2, 1, 2)]),
    Network("not_read", two([ON, ON], zero=[(slice(None), 0, 0, 1)]), [(1, 4, 3, 1), (1, 4, 3, 2)]),
    Network("read_by_one", two([ON, ON], zero=[(0, 0, 0, 1)]), [(1, 4, 3, 2), (1, 4, 3, 2)]),
    Network("all_constant", two([OFF, STUCK]), []),
    Network("skip", with_skip, [(1, 4, 3, 3)] * 3 + [(1, 4, 3, 1)]),
    Network("separable", separable, [(1, 4, 3, 2)] * 3),
    Network("grouped", grouped, [(1, 4, 3, 2), (1, 4, 3, 1), (1, 4, 3, 1)]),
    Network("pixels", lambda m, x: matrix(m, x, pooled=False), [(1, 4, 3, 2), (1, 24), (1, 2)]),
    Network(
        "pooled",
        lambda m, x: matrix(m, x, pooled=True),
        [(1, 4, 3, 2), (1, 1, 1, 2), (1, 2), (1, 2)],
    ),
)  # fmt: skip


def model(network: Network) -> bytes:
    m = ModelWriter()
    m.output(network.build(m, m.input("x", (1, 4, 3, 2), "int8", SCALE, 3)))
    return m.bytes()


def legal(content: bytes, folder: Path) -> Graph:
    path = folder / "m.tflite"
    path.write_bytes(content)
    return read(path, "m", shipped_ops())[1]


def removed(graph: Graph) -> Graph:
    after = verify(remove_channels(graph, shipped_ops()), "legal")
    return remove_dead_nodes(fold_constants(after, shipped_ops()))


def check_equal(graph: Graph, reference: Reference, sets: Sequence[Sequence[Array]]) -> None:
    for inputs in sets:
        values = evaluate(graph, shipped_ops(), inputs)
        for name, wanted in zip(graph.outputs, reference.run(inputs), strict=True):
            np.testing.assert_array_equal(values[name], wanted)


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_what_is_left(network: Network, tmp_path: Path) -> None:
    content = model(network)
    after = removed(legal(content, tmp_path))
    assert [after.tensors[node.outputs[0]].shape for node in after.nodes] == list(network.left)
    reference = Reference(content)
    check_equal(after, reference, seeded_inputs(reference.inputs, 20))
    assert remove_channels(after, shipped_ops()) is after


def add_networks(m: ModelWriter, networks: Sequence[Network]) -> None:
    """Add all networks to a model, side by side."""
    for network in networks:
        part = Prefixed(m, network.name)
        m.output(network.build(part, m.input(network.name, (1, 4, 3, 2), "int8", SCALE, 3)))


@pytest.mark.slow
def test_kernels_compute_what_is_left(tmp_path: Path) -> None:
    m = ModelWriter()
    add_networks(m, NETWORKS)
    assert_litert(m, built(compiled(m), tmp_path), sets=20)


class Prefixed(ModelWriter):
    """Writer that adds to a model, with a common prefix of names."""

    def __init__(self, whole: ModelWriter, prefix: str) -> None:
        super().__init__()
        self.content = whole.content
        self._prefix = prefix

    def tensor(self, name: str, *args: object, **options: object) -> ModelTensor:
        return super().tensor(f"{self._prefix}/{name}", *args, **options)  # type: ignore[arg-type]


def test_what_others_see_keeps_its_channels(tmp_path: Path) -> None:
    graph = legal(model(NETWORKS[0]), tmp_path)
    inner = graph.nodes[0].outputs[0]
    after = removed(add_outputs(graph, [inner], "m"))
    assert after.tensors[inner].shape == (1, 4, 3, 4)
    assert after.tensors[after.inputs[0]].shape == (1, 4, 3, 2)


REAL = (  # name, MACs and bytes of weights: as given, as left
    ("ad_int8", (264_192, 264_192), (264_192, 264_192)),
    ("kws_int8", (2_656_768, 22_016), (2_656_768, 22_016)),
    ("resnet_int8", (12_501_632, 77_360), (12_501_632, 77_360)),
    ("sww_int8", (826_368, 46_040), (826_368, 46_040)),
    ("vww_int8", (7_489_664, 208_112), (3_727_313, 29_066)),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "before", "after"), REAL, ids=[name for name, _, _ in REAL])
def test_real_models(
    name: str, before: tuple[int, int], after: tuple[int, int], real_model: Callable[[str], Path]
) -> None:
    path = real_model(f"{name}.tflite")
    graph = read(path, "m", shipped_ops())[1]
    left = removed(graph)
    assert (total_macs(graph, shipped_ops()), weight_bytes(graph)) == before
    assert (total_macs(left, shipped_ops()), weight_bytes(left)) == after
    reference = Reference(path)
    sets = seeded_inputs(reference.inputs, 4)
    check_equal(left, reference, sets)
    check_ranges(graph, sets)


def weight_bytes(graph: Graph) -> int:
    constants = (tensor for tensor in graph.tensors.values() if tensor.constant is not None)
    return sum(tensor.bytes for tensor in constants if tensor.dtype.name == "int8")


def check_ranges(graph: Graph, sets: Sequence[Sequence[Array]]) -> None:
    """Require that no element leaves its range."""
    ranges = channel_ranges(graph, shipped_ops())
    for inputs in sets:
        for name, value in evaluate(graph, shipped_ops(), inputs).items():
            if name in ranges:
                rows = value.reshape(-1, len(ranges[name].low))
                assert (rows >= ranges[name].low).all()
                assert (rows <= ranges[name].high).all()
