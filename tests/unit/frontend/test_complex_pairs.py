"""Complex numbers of a file become pairs of floats, through all that moves them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.refusals import refusal

Move = Callable[[ModelWriter, ModelTensor], ModelTensor]
BINS = 5  # of spectra of 8 samples
X = np.array([[[3, 1, 4, -1, 5, 9, -2, 6]], [[0, 0, 7, 0, 0, 0, 0, 0]]], np.float32)


def spectra(folder: Path, move: Move, part: str = "IMAG") -> Path:
    """Model whose operators move spectra, which are exact for X except in two bins."""
    m = ModelWriter()
    x, z = m.input("x", X.shape, "float32"), m.tensor("z", (2, 1, BINS), "complex64")
    m.node("RFFT2D", [x, numbers(m, "lengths", [1, 8])], [z])
    moved = move(m, z)
    m.output(m.value(part, [moved], m.tensor("y", moved.shape, "float32")))
    return stored(m, folder, "model")


def numbers(m: ModelWriter, name: str, values: object, dtype: str = "int32") -> ModelTensor:
    return m.constant(name, np.array(values, dtype))


def reshaped(m: ModelWriter, z: ModelTensor) -> ModelTensor:
    y = m.tensor("moved", (BINS, 2), "complex64")
    m.node("RESHAPE", [z, numbers(m, "shape", [-1, 2])], [y])
    return y


def reshaped_by_option(m: ModelWriter, z: ModelTensor) -> ModelTensor:
    return m.value(
        "RESHAPE", [z], m.tensor("moved", (BINS, 2), "complex64"), {"new_shape": [BINS, 2]}
    )


def reshaped_as_computed(m: ModelWriter, z: ModelTensor) -> ModelTensor:
    shape, y = m.tensor("shape", (2,), "int32"), m.tensor("moved", (2, BINS), "complex64")
    m.node("ADD", [numbers(m, "one", [1, 1]), numbers(m, "other", [1, BINS - 1])], [shape], {})
    m.node("RESHAPE", [z, shape], [y])
    return y


def squeezed(m: ModelWriter, z: ModelTensor) -> ModelTensor:
    return m.value(
        "SQUEEZE", [z], m.tensor("moved", (2, BINS), "complex64"), {"squeeze_dims": [-2]}
    )


def expanded(axis: int, shape: tuple[int, ...]) -> Move:
    def move(m: ModelWriter, z: ModelTensor) -> ModelTensor:
        y = m.tensor("moved", shape, "complex64")
        m.node("EXPAND_DIMS", [z, numbers(m, "axis", axis)], [y])
        return y

    return move


def added(m: ModelWriter, z: ModelTensor) -> ModelTensor:
    return m.value("ADD", [z, z], m.tensor("moved", z.shape, "complex64"), {})


@pytest.mark.parametrize("move", [
    reshaped,
    reshaped_by_option,
    reshaped_as_computed,
    squeezed,
    expanded(-1, (2, 1, BINS, 1)),
    expanded(1, (2, 1, 1, BINS)),
])  # fmt: skip
@pytest.mark.parametrize("part", ["REAL", "IMAG"])
def test_pairs_move_as_complex_numbers_do(move: Move, part: str, tmp_path: Path) -> None:
    path, ops = spectra(tmp_path, move, part), shipped_ops()
    _, graph = read(path, "model", ops)
    (got,), (want,) = NumpyReference(graph, ops).run([X]), Reference(path).run([X])
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=4e-6)
    assert len({*np.round(got.reshape(-1), 2)}) > 4


def test_what_computes_with_complex_numbers_is_refused(tmp_path: Path) -> None:
    caught = refusal(read, spectra(tmp_path, added), "model", shipped_ops())
    assert "complex numbers (complex64)" in str(caught)
