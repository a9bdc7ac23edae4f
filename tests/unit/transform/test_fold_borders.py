"""Borders are made by the nodes that follow, where that changes no byte."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir.verify import verify
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.select.choice import candidates
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.fold_borders import fold_borders
from runtimes.families.convolution_cases import POINTWISE_WITH_BORDER
from tests.programs import assert_litert, built, compiled, stored

OPS = shipped_ops()
SCALE = 0.05


@dataclass(frozen=True)
class Bordered:
    """Network of a border around a 4x5 image of 2 channels, and a node that reads it."""

    name: str
    borders: Sequence[Sequence[tuple[int, int]]]  # one for each PAD
    reader: str
    size: tuple[int, int] = (3, 2)
    stride: int = 1
    padding: str = "VALID"
    zero_point: int = -128
    value: int | None = None
    readers: int = 1
    seen: bool = False
    left: int = 0  # PADs that are left

    def build(self, m: ModelWriter) -> None:
        """Add the border and its reader to a model."""
        x = m.input(f"{self.name}/x", (1, 4, 5, 2), "int8", SCALE, self.zero_point)
        for i, border in enumerate(self.borders):
            given = [x, m.constant(f"{self.name}/b{i}", np.array(border, np.int32))]
            if self.value is not None:
                value = np.array([self.value], np.int8)
                given.append(m.constant(f"{self.name}/v{i}", value, SCALE, self.zero_point))
            shape = tuple(s + sum(b) for s, b in zip(x.shape, border, strict=True))
            x = m.tensor(f"{self.name}/p{i}", shape, "int8", SCALE, self.zero_point)
            m.node("PAD" if len(given) == 2 else "PADV2", given, [x], version=2)
        for i in range(self.readers):
            m.output(self.read(m, x, f"{self.name}/{i}"))
        if self.seen:
            m.output(x)

    def read(self, m: ModelWriter, x: ModelTensor, name: str) -> ModelTensor:
        """Output of the node that follows the border."""
        window = zip(x.shape[1:3], self.size, strict=True)
        sides = [s if self.padding == "SAME" else s - w + 1 for s, w in window]
        shape = (1, *(-(-side // self.stride) for side in sides), x.shape[3])
        y = m.tensor(f"{name}/y", shape, "int8", SCALE, self.zero_point)
        stride = {"stride_w": self.stride, "stride_h": self.stride}
        options: dict[str, int | str] = {"padding": self.padding, **stride}
        if self.reader.endswith("POOL_2D"):
            sizes = dict(zip(("filter_height", "filter_width"), self.size, strict=True))
            m.node(self.reader, [x], [y], {**options, **sizes})
            return y
        random = np.random.default_rng(1)
        depthwise = self.reader.startswith("DEPTHWISE")
        shape = (1, *self.size, x.shape[3]) if depthwise else (x.shape[3], *self.size, x.shape[3])
        w = m.constant(f"{name}/w", random.integers(-127, 127, shape).astype(np.int8), 0.003, 0)
        b = m.constant(f"{name}/b", np.array([9] * x.shape[3], np.int32), 0.003 * SCALE, 0)
        m.node(
            self.reader,
            [x, w, b],
            [y],
            {**options, **({"depth_multiplier": 1} if depthwise else {})},
        )
        return y


N = (0, 0)
EVEN, ODD = (N, (1, 1), (1, 1), N), (N, (0, 1), (2, 0), N)
BORDERED = (
    Bordered("conv", [EVEN], "CONV_2D"),
    Bordered("conv_strided", [ODD], "CONV_2D", stride=2),
    Bordered("conv_same", [ODD], "CONV_2D", padding="SAME"),
    Bordered("conv_same_strided", [ODD], "CONV_2D", padding="SAME", stride=2),
    Bordered("conv_far", [(N, (4, 0), (0, 5), N)], "CONV_2D"),  # windows without a pixel
    Bordered("conv_zero_point", [ODD], "CONV_2D", zero_point=7),
    Bordered("conv_value", [ODD], "CONV_2D", zero_point=7, value=7),
    Bordered("conv_twice", [ODD, EVEN], "CONV_2D"),
    Bordered("depthwise", [ODD], "DEPTHWISE_CONV_2D"),
    Bordered("depthwise_same", [ODD], "DEPTHWISE_CONV_2D", padding="SAME", stride=2),
    Bordered("depthwise_far", [(N, (4, 0), (0, 5), N)], "DEPTHWISE_CONV_2D"),
    Bordered("maximum", [ODD], "MAX_POOL_2D", (3, 3)),
    Bordered("maximum_same", [EVEN], "MAX_POOL_2D", (3, 3), padding="SAME", stride=2),
    Bordered("maximum_lowest", [ODD], "MAX_POOL_2D", (3, 3), zero_point=3, value=-128),
    Bordered("two_readers", [ODD], "CONV_2D", readers=2),
    Bordered("another_value", [ODD], "CONV_2D", value=-127, left=1),
    Bordered("maximum_of_zeros", [ODD], "MAX_POOL_2D", (3, 3), zero_point=3, left=1),
    Bordered("maximum_far", [(N, (4, 0), N, N)], "MAX_POOL_2D", left=1),
    Bordered("maximum_far_behind", [(N, N, (0, 2), N)], "MAX_POOL_2D", left=1),
    Bordered("mean", [ODD], "AVERAGE_POOL_2D", left=1),
    Bordered("channels", [(N, (1, 1), N, (0, 1))], "CONV_2D", left=1),
    Bordered("channels_behind", [(N, N, N, (1, 0)), ODD], "CONV_2D", left=1),
    Bordered("output", [ODD], "CONV_2D", seen=True, left=1),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", BORDERED, ids=lambda case: case.name)
def test_a_border_is_taken_where_no_byte_changes(case: Bordered, tmp_path: Path) -> None:
    m = ModelWriter()
    case.build(m)
    after = verify(fold_borders(read(stored(m, tmp_path), "m", OPS)[1], OPS), "legal")
    assert sum(OPS[node.op].hooks.borders.adds is not None for node in after.nodes) == case.left
    reference = Reference(m.bytes())
    for inputs in seeded_inputs(reference.inputs, 6):
        values = evaluate(after, OPS, inputs)
        for name, wanted in zip(after.outputs, reference.run(inputs), strict=True):
            np.testing.assert_array_equal(values[name], wanted)


@pytest.mark.slow
@pytest.mark.parametrize("opt", ["balanced", "size"])
def test_kernels_make_the_borders(opt: str, tmp_path: Path) -> None:
    m = ModelWriter()
    for case in BORDERED:
        case.build(m)
    assert_litert(m, built(compiled(m, opt=opt), tmp_path), sets=6)


@pytest.mark.parametrize("name", POINTWISE_WITH_BORDER)
def test_pixels_of_a_border_have_scratch_to_be_copied_to(name: str) -> None:
    """Pixels of a border have scratch to be copied to: kernels that read 1x1 windows in place copy
    pixels outside x; dsp does so only where channels do not fill words.
    """
    m = ModelWriter()
    POINTWISE_WITH_BORDER[name](m)
    graph = fold_borders(legal(m.bytes(), OPS), OPS)
    (node,) = graph.nodes
    found = candidates(graph, node, OPS.of(graph, node), frozenset({"dsp"}))
    plans = {each.name: each.plan for each in found}
    channels = POINTWISE_WITH_BORDER[name].x[3]
    whole_words = -(-channels // 4) * 4
    assert plans["dsp"].scratch["window"] == (whole_words if channels % 4 else 0)
    assert plans["dsp_rows"].scratch["window"] == whole_words


def test_cmsis_nn_has_no_filter_of_one_row_over_a_border() -> None:
    """CMSIS-NN gets no filter of one row over a border: its functions expect y as high as x."""
    m = ModelWriter()
    POINTWISE_WITH_BORDER["pointwise_below_border"](m)
    graph = fold_borders(legal(m.bytes(), OPS), OPS)
    (node,) = graph.nodes
    for core in ("dsp", "mve"):
        found = candidates(graph, node, OPS.of(graph, node), frozenset({"cmsis_nn", core}))
        refused = {each.refused for each in found if each.name == "cmsis_nn"}
        assert "a filter of one row reaches a border" in refused
