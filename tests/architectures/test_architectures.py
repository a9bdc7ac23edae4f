"""Networks of every architecture and quantisation scheme give LiteRT's bytes.

Floats that `Variant.ulps` lets differ from LiteRT's give those of numpy, which are near LiteRT's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import load_board
from opsmith.ir import Graph
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference, Subgraph
from opsmith.pipeline import Reading, read
from opsmith.testing.board_cases import features_of
from opsmith.testing.board_programs import program_answers
from opsmith.testing.differences import Results, assert_equal
from opsmith.testing.firmware import BOARDS
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from tests.architectures import control, images, sequences
from tests.architectures.exactness import NEAR, exact
from tests.architectures.layers import Layers
from tests.architectures.schemes import DYNAMIC_RANGE, FLOAT32, INT8, INT16X8, UINT8, Scheme
from tests.programs import compiled
from tests.system.tools import require_tools

pytestmark = pytest.mark.slow  # networks of every layer, compiled and not

EACH = slice(2, None, 3)  # of the networks, as firmware of this machine; all with --examples=2
SETS = 4  # of random inputs, besides the extremes
BOARD_SETS = 2
Networks = tuple[tuple[Callable[[Layers], None], Scheme], ...]

IMAGES = (
    images.ds_cnn, images.mobilenet_v1, images.mobilenet_v2, images.mobilenet_v3,
    images.efficientnet_lite, images.resnet, images.u_net, images.super_resolution, images.detector,
)  # fmt: skip
# Compiled for Params known at compile time; ops prove both forms of their kernels.
INSTANCES = (images.mobilenet_v3, images.resnet, images.super_resolution)
SEQUENCES = (
    sequences.tcn, sequences.conv_1d, sequences.lstm, sequences.gru, sequences.svdf,
    sequences.transformer, sequences.autoencoder,
)  # fmt: skip
CONTROL: Networks = (
    (control.early_exit, INT8),
    (control.recurrent, INT8),
    (control.recurrent, FLOAT32),
    (control.moving_average, INT16X8),
)
INT16X8_NETWORKS = (
    images.ds_cnn, images.mobilenet_v2, images.u_net, sequences.tcn, sequences.conv_1d,
    sequences.lstm, sequences.gru,
)  # fmt: skip
UINT8_NETWORKS = (images.mobilenet_v1, images.resnet, images.u_net)
FLOAT32_NETWORKS = (
    images.mobilenet_v3, images.u_net, images.super_resolution, images.detector, sequences.conv_1d,
    sequences.gru, sequences.svdf, sequences.transformer,
)  # fmt: skip
DYNAMIC_RANGE_NETWORKS = (
    images.ds_cnn, images.u_net, sequences.lstm, sequences.svdf, sequences.transformer,
)  # fmt: skip
ON_BOARDS: Networks = (
    (images.mobilenet_v3, INT8),
    (sequences.tcn, INT8),
    (sequences.svdf, INT8),
    (sequences.conv_1d, INT16X8),
    (sequences.transformer, DYNAMIC_RANGE),
)


@dataclass(frozen=True)
class Model:
    """A function of a model file, with what LiteRT answers to some inputs."""

    name: str
    write: Callable[[], ModelWriter]  # when a test needs it: each process collects all tests
    number: int = 0  # of the subgraph that is the function
    opt: str = "size"  # kernels in their general forms, which is several times faster to compile

    @cached_property
    def _writer(self) -> ModelWriter:
        return self.write()

    @cached_property
    def content(self) -> bytes:
        return self._writer.bytes()

    def graph(self, folder: Path) -> Graph:
        """Graph of a model as the compiler reads it from a file in a folder."""
        path = folder / f"{self.name}.tflite"
        path.write_bytes(self.content)
        reading = Reading(signature=self._writer.subgraphs[self.number].content.signature)
        return read(path, self.name, shipped_ops(), reading)[1]

    @cached_property
    def litert(self) -> Reference:
        of = self._writer.subgraphs[self.number].content
        ends = Subgraph(self.number, tuple(of.inputs), tuple(of.outputs))
        return Reference(self.content, subgraph=ends)

    @cached_property
    def sets(self) -> Results:
        return seeded_inputs(self.litert.inputs, SETS)

    @cached_property
    def wanted(self) -> Results:
        return [self.litert.run(each) for each in self.sets]


def model(network: Callable[[Layers], None], scheme: Scheme, opt: str = "size") -> Model:
    """Model of one network, as a file of its own."""

    def write() -> ModelWriter:
        writer = ModelWriter()
        network(Layers(writer, scheme))
        return writer

    return Model(f"{network.__name__}_{scheme.name}", write, opt=opt)


def two_signatures() -> ModelWriter:
    """One file of two functions: what makes features of a signal, and what tells them apart."""
    encode = ModelWriter(signature="encode")
    sequences.conv_1d(Layers(encode, INT8))
    classify = encode.subgraph("classify", signature="classify")
    sequences.autoencoder(Layers(classify, INT16X8))
    return encode


MODELS = [
    *(model(network, INT8, "balanced" if network in INSTANCES else "size") for network in IMAGES),
    *(model(network, INT8) for network in SEQUENCES),
    *(model(network, INT16X8) for network in INT16X8_NETWORKS),
    *(model(network, UINT8) for network in UINT8_NETWORKS),
    *(model(network, FLOAT32) for network in FLOAT32_NETWORKS),
    *(model(network, DYNAMIC_RANGE) for network in DYNAMIC_RANGE_NETWORKS),
    *starmap(model, CONTROL),
    Model("signature_encode", two_signatures),
    Model("signature_classify", two_signatures, 1),
]


@pytest.mark.parametrize("each", MODELS, ids=lambda each: each.name)
def test_numpy_equals_litert(each: Model, tmp_path: Path) -> None:
    graph = each.graph(tmp_path)
    numpy = NumpyReference(graph, shipped_ops())
    results = [numpy.run(values) for values in each.sets]
    if exact(graph):
        assert_equal("numpy", each.litert.outputs, results, each.wanted)
    for got, want in zip(results, each.wanted, strict=True):
        for mine, litert in zip(got, want, strict=True):
            most = np.abs(litert.astype(np.float64)).max()
            np.testing.assert_allclose(mine, litert, rtol=0, atol=NEAR * most)
    for outputs in zip(*each.wanted, strict=True):
        assert len(np.unique(np.stack(outputs))) > 2, "the network answers nearly nothing"


def test_firmware_of_this_machine_equals_litert(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    every = pytestconfig.getoption("--examples") > 1
    ops, programs, oracles = shipped_ops(), [], []
    models = MODELS if every else MODELS[EACH]
    for each in models:
        graph = each.graph(tmp_path)
        oracles.append(each.litert if exact(graph) else NumpyReference(graph, ops))
        programs.append((compiled(graph, opt=each.opt), ops))
    firmware = build_hosts(programs, ops, tmp_path / "host", sanitize=True)
    for each, oracle, made in zip(models, oracles, firmware, strict=True):
        wanted = each.wanted if oracle is each.litert else [oracle.run(s) for s in each.sets]
        assert_equal(each.name, oracle.outputs, made.run(each.sets), wanted)


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.first(1)
@pytest.mark.parametrize(("board", "opt", "networks"), [
    ("mps2_an386", "size", (*ON_BOARDS, *CONTROL)),
    ("mps3_an547", "balanced", ON_BOARDS),
], ids=["mps2_an386", "mps3_an547"])  # fmt: skip
def test_firmware_of_boards_equals_litert(
    board: str, opt: str, networks: Networks, tmp_path: Path
) -> None:
    require_tools(load_board(board, BOARDS))

    def case(network: Callable[[Layers], None], scheme: Scheme) -> Case:
        name = f"{network.__name__}_{scheme.name}"
        return Case(name, lambda writer: network(Layers(writer, scheme)))

    content, ops = merged_model([case(*each) for each in networks]), shipped_ops()
    litert, arena = Reference(content), load_board(board, BOARDS).arena
    program = compiled(content, features=features_of(board), arena=arena, opt=opt)
    sets = seeded_inputs(litert.inputs, BOARD_SETS)
    wanted = [litert.run(each) for each in sets]
    results = program_answers(board, [(program, ops)], tmp_path, sets, litert.outputs, opt=opt)
    assert_equal(board, litert.outputs, results, wanted)
