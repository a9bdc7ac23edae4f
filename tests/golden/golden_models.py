"""The models whose emitted C++ is kept in this folder, one folder each."""

import re
import tempfile
from pathlib import Path

import numpy as np

from opsmith.build_options import BuildOptions
from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.nodes import LISTING
from opsmith.emit.weights import write_weights
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.changed_ops import general_forms
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.unit.stream_models import Layers

FOLDER = Path(__file__).resolve().parent


def classifier(m: ModelWriter) -> None:
    """Classifier from float to float, with fused clamps, equal layers that share an instance, and a
    view.
    """
    x = m.input("serving_default_image:0", (1, 8, 8, 2), "float32")
    image = m.value("QUANTIZE", [x], m.tensor("image", (1, 8, 8, 2), "int8", 0.05, -3))
    for i, name in enumerate(("conv1", "conv2")):
        weights = (np.arange(36, dtype=np.int8) - 18 - i).reshape(2, 3, 3, 2)
        w = m.constant(f"{name}/weights", weights, (0.01, 0.02), (0, 0))
        b = m.constant(f"{name}/bias", np.array([100, -100 * i], np.int32))
        y = m.tensor(f"{name}/out", (1, 8, 8, 2), "int8", 0.05, -3)
        options: dict[str, int | str] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
        m.node("CONV_2D", [image, w, b], [y], options, version=3)
        image = m.tensor(f"{name}/Relu", (1, 8, 8, 2), "int8", 0.05, -3)
        m.node("RELU", [y], [image], version=2)
    flat = m.tensor("flat", (1, 128), "int8", 0.05, -3)
    m.node("RESHAPE", [image], [flat], {"new_shape": [1, 128]})
    y = m.tensor("StatefulPartitionedCall:0", (1, 128), "float32")
    m.node("DEQUANTIZE", [flat], [y], version=2)
    m.output(y)


def awkward(m: ModelWriter) -> None:
    """Model with names that C++ cannot have, constants, two inputs, a border, and sums that share a
    kernel.
    """
    a = m.input("int", (1, 2, 3), "int8", 0.5, 1)
    b = m.input("µ */ \\", (3,), "int8", 0.25, -2)
    total = m.tensor("a/b", (1, 2, 3), "int8", 0.75, 3)
    m.node("ADD", [a, b], [total], {"fused_activation_function": "RELU6"}, version=2)
    one = m.constant("a.b", np.array([1, 2, 3], np.int8), 0.5, 0)
    again = m.tensor("a_b", (1, 2, 3), "int8", 0.75, 3)
    m.node("ADD", [total, one], [again], {"fused_activation_function": "NONE"}, version=2)
    for i in range(4):
        next_sum = m.tensor(f"a+b {i}", (1, 2, 3), "int8", 0.75, 3 + i * i)
        m.node("ADD", [again, one], [next_sum], {"fused_activation_function": "NONE"}, version=2)
        again = next_sum
    twice = m.tensor("a-b", (1, 2, 3), "int8", 1.5, 3)
    m.node("ADD", [again, again], [twice], {"fused_activation_function": "NONE"}, version=2)
    border = m.constant("border", np.array([[0, 0], [1, 0], [0, 2]], np.int32))
    y = m.value("PAD", [twice, border], m.tensor("", (1, 3, 5), "int8", 1.5, 3), version=2)
    m.output(y, total, one)


def lines(m: ModelWriter) -> None:
    """Model that runs line by line: windows, a branch that lags behind the other one, a mean of all
    rows.
    """
    layers = Layers(31, 4, 4, m)
    x = layers.convolution(layers.x, 8, (3, 3), 2, "SAME")
    y = layers.convolution(x, 8, (3, 3), 1, "SAME")
    y = layers.add(layers.convolution(x, 8, (1, 1), 1, "SAME"), y)
    m.output(layers.pool("AVERAGE_POOL_2D", y, (16, 2), "VALID"))


def frames(m: ModelWriter) -> None:
    """Model that runs frame after frame: a window along time, and a layer of its newest row."""
    layers = Layers(6, 1, 4, m)
    x = layers.convolution(layers.x, 8, (3, 1), 1, "VALID")
    m.output(layers.flat(layers.convolution(x, 4, (1, 1), 1, "VALID")))


_ROW = re.compile(r'#line \d+ "ops/')
# name -> (what builds it, opt, stream)
MODELS = {
    "classifier": (classifier, "balanced", "0"),
    "awkward": (awkward, "size", "0"),
    "lines": (lines, "balanced", "rows"),
    "frames": (frames, "balanced", "frames"),
}


def emitted(name: str) -> dict[str, str]:
    """The text files that the model is emitted as, by name."""
    build, opt, stream = MODELS[name]
    writer = ModelWriter()
    build(writer)
    ops = general_forms(shipped_ops()) if opt == "size" else shipped_ops()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.tflite")
        path.write_bytes(writer.bytes())
        _, graph = read(path, name, ops)
        configuration = Configuration(options=BuildOptions(opt=opt, stream=stream))
        program = compile_graph(graph, ops, configuration, path.name)
        files = text_files(
            Joined.of(program),
            ops,
            # flatbuffers may lay out the same model in another way
            [Source(path.name, "00" * 32)],
            target=f"host, runtime reference, opt {opt}",
            binary="weights.bin",
            digest=write_weights(program, Path(folder, "weights.bin")),
        )
    del files[LISTING]
    # where an op.py has a kernel's row changes with every edit of it
    return {name: _ROW.sub('#line 1 "ops/', text) for name, text in files.items()}
