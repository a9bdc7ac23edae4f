"""An operand that is the shape of an output is the stored shape where only running tells it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.pipeline import read
from opsmith.testing.checkout import ROOT
from opsmith.testing.differences import assert_equal
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import oracle_of
from opsmith.testing.op_cases import check_on_host
from opsmith.tflite.cases import cases, merged_model
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored

Build = Callable[[ModelWriter], None]


def sizes(m: ModelWriter, name: str, shape: Sequence[int], dtype: str = "int32") -> ModelTensor:
    """Tensor that holds the given shape, computed from an input that does not matter."""
    given = m.input(f"any_{name}", (len(shape),), dtype)
    zeros, added = np.zeros(len(shape), dtype), np.array(shape, dtype)
    nothing, wanted = m.tensor(f"no_{name}", given.shape, dtype), m.tensor(name, given.shape, dtype)
    m.node("MUL", [given, m.constant(f"zero_{name}", zeros)], [nothing], {})
    m.node("ADD", [nothing, m.constant(f"add_{name}", added)], [wanted], {})
    return wanted


def shaped(op: str, x: Sequence[int], shape: Sequence[int], at: int = 1, **more: Any) -> Build:
    """Model of a node of x and a shape, the node's input by number, after `more` constants."""

    def build(m: ModelWriter) -> None:
        inputs = [m.input("x", x, "int8", 0.5, 0)]
        inputs += [m.constant(name, np.array(value, np.int32)) for name, value in more.items()]
        inputs.insert(at, sizes(m, "shape", shape))
        y = m.tensor("y", shape, "int8", 0.5, 0)
        m.node(op, inputs, [y], {}, version=2 if op == "BROADCAST_TO" else 1)
        m.output(y)

    return build


def transposed(y: Sequence[int], stored: Sequence[int] | None = None, **signature: Any) -> Build:
    """Model of a transposed convolution whose output shape is computed at run time."""

    def build(m: ModelWriter) -> None:
        x, weights = m.input("x", (1, 3, 4, 2), "int8", 0.5, 3), np.arange(-27, 27, dtype=np.int8)
        w = m.constant("w", weights.reshape(3, 3, 3, 2), 0.02)
        made = m.tensor("y", y if stored is None else stored, "int8", 0.75, -5, **signature)
        inputs, strides = [sizes(m, "shape", y), w, x], {"stride_h": 2, "stride_w": 2}
        m.node("TRANSPOSE_CONV", inputs, [made], {"padding": "SAME", **strides})
        m.output(made)

    return build


def scattered(m: ModelWriter) -> None:
    """Model of a scatter of rows, whose shape is computed at run time."""
    x = m.input("x", (2, 3), "int8", 0.5, 0)
    at, y = m.constant("at", np.array([[3], [1]], np.int32)), m.tensor("y", (4, 3), "int8", 0.5, 0)
    m.node("SCATTER_ND", [at, x, sizes(m, "shape", (4, 3))], [y])
    m.output(y)


def reshaped_by_int64(m: ModelWriter) -> None:
    """Model of a reshape by sizes of int64, a type that no op takes, but whose values fit."""
    x = m.input("x", (2, 6), "float32")
    shape = m.tensor("narrow", (2,), "int32")
    m.node("CAST", [sizes(m, "shape", (3, 4), "int64")], [shape])
    m.output(m.value("RESHAPE", [x, shape], m.tensor("y", (3, 4), "float32")))


CASES = cases(
    transpose_conv=transposed((1, 6, 8, 3)),
    transpose_conv_odd=transposed((1, 5, 7, 3)),
    reshape=shaped("RESHAPE", (2, 6), (3, 4)),
    reshape_of_cast=reshaped_by_int64,
    broadcast_to=shaped("BROADCAST_TO", (1, 3), (2, 3)),
    fill=shaped("FILL", (), (2, 3), at=0),
    slice=shaped("SLICE", (4, 5), (2, 3), at=2, begin=[1, 2]),
    scatter_nd=scattered,
)


@pytest.mark.slow
def test_litert_gives_the_same_bytes_for_such_a_shape() -> None:
    ops, content = shipped_ops(), merged_model(CASES)
    numpy, litert = (oracle_of(content, ops, oracle) for oracle in ("numpy", "litert"))
    sets = seeded_inputs(litert.inputs, 8)
    results, wanted = ([each.run(values) for values in sets] for each in (numpy, litert))
    assert_equal("numpy", litert.outputs, results, wanted)


@pytest.mark.slow
def test_kernels_give_the_same_bytes_for_such_a_shape() -> None:
    check_on_host(ROOT / "ops" / "transpose_conv", CASES)


def legal(build: Build, folder: Path) -> tuple[tuple[str, ...], Graph]:
    """Assumptions about the model, and its legal graph."""
    model, graph = read(stored(build, folder), "m", shipped_ops())
    return model.assumed, graph


def test_what_is_assumed_is_said(tmp_path: Path) -> None:
    assumed, graph = legal(transposed((1, 6, 8, 3)), tmp_path)
    what = "'shape' is taken to be [1, 6, 8, 3], the shape that the model stores"
    assert assumed == (f"{what}: it is known only at run time",)
    assert graph.nodes[-1].remarks == assumed


@pytest.mark.parametrize(("sizes", "said"), [((3, 4), False), ((), False), ((4, 3), True)])
def test_an_output_of_another_shape_than_the_model_stores_is_told(
    sizes: tuple[int, ...], said: bool, tmp_path: Path
) -> None:
    """A converter stores no sizes for a shape that it does not know."""

    def build(m: ModelWriter) -> None:
        y = m.tensor("y", sizes, "float32")
        m.node("RELU", [m.input("x", (3, 4), "float32")], [y])
        m.output(y)

    what = "output 'y' is 3x4, as follows from the inputs; the model stores 4x3"
    assert legal(build, tmp_path)[0] == ((what,) if said else ())


def test_an_input_is_expected_to_hold_the_shape(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (2, 6), "float32"), m.tensor("y", (3, 4), "float32")
        m.node("RESHAPE", [x, m.input("sizes", (2,), "int32")], [y])
        m.output(y)

    tensors = legal(build, tmp_path)[1].tensors
    assert (tensors["sizes"].expected, tensors["x"].expected) == ((3, 4), ())


@pytest.mark.parametrize("build", [
    pytest.param(transposed((1, 6, 8, 3), (1, 9, 8, 3)), id="impossible"),
    pytest.param(transposed((1, 6, 8, 3), (1, 6, 8)), id="of_another_rank"),
    pytest.param(transposed((1, 6, 8, 3), signature=(1, -1, 8, 3)), id="open"),
    pytest.param(transposed((1, 6, 8, 3), ()), id="not_stored"),
])  # fmt: skip
def test_a_stored_shape_that_is_no_guide_is_not_taken(build: Build, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="'output_shape' must be a constant, but 'shape' is"):
        legal(build, tmp_path)
