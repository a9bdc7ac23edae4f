"""The network that reads digits as arrays of float32, for exporters of other packages.

Its weights are those of tests/models/digits_int8.tflite, dequantised: all roads begin with equal
numbers. A file of it is read by NumPy alone.
"""

from pathlib import Path

import numpy as np

from opsmith.ir import Array, Graph
from opsmith.pipeline import read
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops

MODEL = ROOT / "tests/models/digits_int8.tflite"
IMAGES = ROOT / "tests/models/digits_test.npz"
CALIBRATION = 100  # images from the first that exporters choose scales by


def write_network(path: Path) -> None:
    """Write `w0`, `b0` and so on, layer by layer, and `images` (float32[N, 8, 8, 1], from 0 to 1).

    Weights are laid out as TFLite has them: OHWI, 1HWC where depthwise, OI of the product.
    """
    _, graph = read(MODEL, "digits", shipped_ops())
    layers = [node for node in graph.nodes if len(node.inputs) == 3]  # x, weights and bias
    arrays = {}
    for number, node in enumerate(layers):
        for kind, name in zip("wb", node.inputs[1:], strict=True):
            arrays[f"{kind}{number}"] = _real(graph, str(name))
    arrays["images"] = images()[:CALIBRATION]
    np.savez(path, allow_pickle=False, **arrays)


def _real(graph: Graph, name: str) -> Array:
    """Constant of the model, dequantised."""
    tensor = graph.tensors[name]
    assert tensor.constant is not None
    assert tensor.quantization is not None
    sizes = [1] * len(tensor.shape)
    sizes[tensor.quantization.axis] = -1
    scales = np.array(tensor.quantization.scales, np.float32).reshape(sizes)
    return np.asarray(tensor.constant.array * scales, np.float32)


def images() -> Array:
    """All 360 held-out images as float32 from 0 to 1, channels last."""
    found = np.load(IMAGES)["images"].astype(np.float32)
    return np.asarray((found + 128) / np.float32(255), np.float32)


def labels() -> Array:
    """The digits that the images show."""
    return np.asarray(np.load(IMAGES)["labels"])
