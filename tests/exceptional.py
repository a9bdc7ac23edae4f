"""Layers of int8 whose inputs give the sums that thresholds miss by one, by the notebook's rule."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array
from opsmith.op.kernel import Refused
from opsmith.op.node import view
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from runtimes.cmsis.dsp_packing import added_by_rows
from runtimes.core.byte_layer import byte_layer
from runtimes.core.dsp_requantization import PAIR_SHIFTS, excepted_requantization
from runtimes.core.rescaling import Narrow
from runtimes.families.layer import Layer

SCALE, ZERO_POINT = 0.05, -128


@dataclass(frozen=True)
class Exceptional:
    """A layer of one kind, with pixels that are windows of their own."""

    kind: str
    taps: int  # inputs of a channel
    channels: int = 24
    pixels: int = 48
    groups: int = 1  # of channels, all with the same inputs
    slides: int = 0  # pixels of a row that a window has; others lie between two of them
    beyond: bool = False  # windows reach beyond the image above and below
    batch: bool = False  # a window is an image

    def __call__(self, m: ModelWriter) -> None:
        depthwise, dense = self.kind == "DEPTHWISE_CONV_2D", self.kind == "FULLY_CONNECTED"
        random, side = np.random.default_rng(self.taps), 3 if depthwise else 1
        weights = random.integers(-127, 128, (self.channels, self.taps)).astype(np.int8)
        weights[:, 0], weights[:, 1] = 1, 11  # any sum is some input's
        scales = [float(np.float32(s)) for s in random.uniform(0.0009, 0.004, self.channels)]
        y_scale = float(np.float32(SCALE * self.taps / 9))
        inputs = self.channels if depthwise else self.taps * self.groups
        images, height = (self.pixels, side) if self.batch else (1, side * self.pixels)
        shape, along = (images, height, side, inputs), side
        if self.slides:
            along = self.slides
            shape = (1, 1, along * self.pixels, self.taps // along)
        x = m.input("x", shape[1::2] if dense else shape, "int8", SCALE, -3)
        filters = weights.reshape(self.channels, side, along, -1)
        filters = np.pad(filters, ((0, 0), (self.beyond,) * 2, (0, 0), (0, 0)))
        filters = filters.transpose(3, 1, 2, 0) if depthwise else filters
        axis = 3 if depthwise else 0
        w = m.constant("w", weights if dense else filters, scales, [0] * self.channels, axis=axis)
        of_bias = [float(np.float32(SCALE) * np.float32(s)) for s in scales]
        bias = random.integers(-900, 900, self.channels).astype(np.int32)
        b = m.constant("b", bias, of_bias, [0] * self.channels, axis=0)
        beside = shape[2] - self.slides + 1
        height, width = (1, beside) if self.slides else (self.pixels // images, 1)
        y_shape = images, height, width, self.channels
        y = m.tensor("y", y_shape[1::2] if dense else y_shape, "int8", y_scale, ZERO_POINT)
        options: dict[str, Any] = {"padding": "VALID", "stride_h": side, "stride_w": side}
        if self.beyond:
            options |= {"padding": "SAME", "dilation_h_factor": self.pixels}
        more = {"depth_multiplier": 1} if depthwise else {}
        m.node(self.kind, [x, w, b], [y], {} if dense else {**options, **more}, version=3)
        m.output(y)

    def case(self) -> Case:
        """Case of the layer for tests of ops."""
        of = f"_{self.slides}" + "_beyond" * self.beyond + "_batch" * self.batch
        return Case(f"exceptions_of_{self.taps}_{self.groups}_{self.pixels}{of}", self)

    def inputs_with_exceptions(self, layer: Layer) -> tuple[list[Array], int]:
        """Inputs of the layer, and the number of outputs that thresholds miss by one."""
        ops = shipped_ops()
        graph = legal(merged_model([self.case()]), ops, "notebook")
        (node,) = graph.nodes
        seen = view(graph, node, ops.of(graph, node))
        rows = layer.lifted_rows(seen).astype(np.int64)
        used = slice(self.taps, 2 * self.taps) if self.beyond else slice(None)
        rescaling = layer.rescaling(seen)
        assert not isinstance(rescaling, Narrow)
        adds = added_by_rows if self.kind == "FULLY_CONNECTED" else None
        of_bytes = byte_layer(seen, rows.astype(np.int8), rescaling, adds=adds)
        found = excepted_requantization(of_bytes, PAIR_SHIFTS)
        assert not isinstance(found, Refused)
        listed = found.table[-(-len(rows) // 8) * 8 :][: found.exceptions - 1]
        random, shape = np.random.default_rng(1), graph.tensors[graph.inputs[0]].shape
        windows = random.integers(-128, 128, (self.pixels, self.channels, self.taps))
        for pixel, (total, rest) in enumerate(listed[: self.pixels].tolist()):
            wanted = total - int(of_bytes.additions()[rest >> 9])
            windows[pixel, rest >> 9] = _inputs_of(rows[rest >> 9, used], wanted, random)
            if self.kind != "DEPTHWISE_CONV_2D":
                windows[pixel] = windows[pixel, rest >> 9]
        if self.kind != "DEPTHWISE_CONV_2D":
            x = np.tile(windows[:, 0], self.groups).reshape(shape)
        else:  # [pixel][row][column][channel]
            x = (
                windows.reshape(self.pixels, self.channels, 3, 3)
                .transpose(0, 2, 3, 1)
                .reshape(shape)
            )
        return [x.astype(np.int8)], min(len(listed), self.pixels)


def _inputs_of(weights: NDArray[np.int64], total: int, random: np.random.Generator) -> Array:
    """Inputs of int8 whose products with the weights have this sum."""
    while True:
        x = random.integers(-128, 128, len(weights))
        for i in range(len(weights) - 1, -1, -1):
            rest = total - int(weights @ x - weights[i] * x[i])
            if weights[i]:
                x[i] = np.clip(round(rest / int(weights[i])), -128, 127)
        if weights @ x == total:
            return np.asarray(x)


CONVOLUTIONS = Exceptional("CONV_2D", 64)
THREES = Exceptional("CONV_2D", 64, pixels=47)
GROUPS = Exceptional("CONV_2D", 64, groups=3)
SLIDES = Exceptional("CONV_2D", 96, channels=48, slides=3)
LINES = Exceptional("CONV_2D", 144, channels=48, slides=9)
MATRICES = Exceptional("FULLY_CONNECTED", 64, channels=30)
BEYOND = Exceptional("CONV_2D", 64, beyond=True)
DEPTHWISES = Exceptional("DEPTHWISE_CONV_2D", 9, channels=800, pixels=16)
BATCH = Exceptional("DEPTHWISE_CONV_2D", 9, channels=800, pixels=16, batch=True)
