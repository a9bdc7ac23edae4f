"""Tests that nodes which set an item of a list become one operator, and no others do."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.frontend.tflite import read_model
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored

WHOLE = (4, 2, 3)
ROW = (1, 2, 3)
UPDATE = "tflite.DYNAMIC_UPDATE_SLICE"


@dataclass(frozen=True)
class SetItem:
    """A model that sets item i of x, as the converter writes it, or otherwise."""

    axis: int = 0
    activation: str = "NONE"
    step: int | Sequence[int] = 1  # to the first row after the item
    first: Sequence[int] = (0, 0, 0)  # of the rows before the item
    others: Sequence[int] = (-1, -1)  # sizes of their other axes
    zeros: Sequence[int] = (0, 0)  # where the rows after the item begin along these
    rest: Sequence[int] = (-1, -1, -1)  # their sizes
    item: Sequence[int] = ROW
    one_list: bool = True

    def stored(self, folder: Path) -> Path:
        """Path of the model, saved in a folder."""
        m = ModelWriter()
        x, i = m.input("x", WHOLE, "float32"), m.input("i", (), "int32")
        item = m.input("item", self.item, "float32")
        other = x if self.one_list else m.input("other", WHOLE, "float32")
        following = m.tensor("following", np.shape(self.step), "int32")
        m.node("ADD", [i, _numbers(m, "step", self.step)], [following], {})
        before = self._rows(m, "before", x, _numbers(m, "first", self.first), i, self.others)
        after = self._rows(m, "after", other, following, _numbers(m, "rest", self.rest), self.zeros)
        y = m.tensor("y", WHOLE, "float32")
        self._joined(m, [before, item, after], y, self.axis, self.activation)
        m.output(y)
        return stored(m, folder, "model")

    def _rows(
        self,
        m: ModelWriter,
        name: str,
        x: ModelTensor,
        at: ModelTensor,
        size: ModelTensor,
        others: Sequence[int],
    ) -> ModelTensor:
        """Slice of rows, whose begin or size is computed from a number and the given constants."""
        number = at if at.shape != (3,) else size
        vector = m.tensor(f"{name}_number", (1,), "int32")
        m.node("RESHAPE", [number, _numbers(m, f"{name}_shape", [1])], [vector])
        whole = m.tensor(f"{name}_numbers", (3,), "int32")
        self._joined(m, [vector, _numbers(m, f"{name}_others", others)], whole)
        given = [whole if each is number else each for each in (at, size)]
        return m.value("SLICE", [x, *given], m.tensor(name, ROW, "float32", signature=(-1, 2, 3)))

    def _joined(
        self,
        m: ModelWriter,
        inputs: Sequence[ModelTensor],
        y: ModelTensor,
        axis: int = 0,
        activation: str = "NONE",
    ) -> None:
        options: dict[str, OptionValue] = {"axis": axis, "fused_activation_function": activation}
        m.node("CONCATENATION", inputs, [y], options)


def _numbers(m: ModelWriter, name: str, values: int | Sequence[int]) -> ModelTensor:
    return m.constant(name, np.array(values, np.int32))


def test_an_item_is_set_as_litert_does(tmp_path: Path) -> None:
    path, ops = SetItem().stored(tmp_path), shipped_ops()
    _, graph = read(path, "model", ops)
    assert [node.op for node in graph.nodes][-1] == "dynamic_update_slice"
    numpy, litert = NumpyReference(graph, ops), Reference(path)
    x = np.arange(np.prod(WHOLE), dtype=np.float32).reshape(WHOLE)
    item = -np.ones(ROW, np.float32)
    for i in range(WHOLE[0]):
        inputs = [x, np.array(i, np.int32), item]
        np.testing.assert_array_equal(numpy.run(inputs)[0], litert.run(inputs)[0])


@pytest.mark.parametrize(("model", "found"), [
    (SetItem(), True),
    (SetItem(axis=1), False),
    (SetItem(activation="RELU"), False),
    (SetItem(step=2), False),
    (SetItem(step=[1]), False),
    (SetItem(first=[0, 1, 0]), False),
    (SetItem(others=[-1, 2]), False),
    (SetItem(zeros=[0, 1]), False),
    (SetItem(rest=[-1, -1, 3]), False),
    (SetItem(item=WHOLE), False),
    (SetItem(one_list=False), False),
], ids=str)  # fmt: skip
def test_only_setting_an_item_is_an_update(model: SetItem, found: bool, tmp_path: Path) -> None:
    nodes = read_model(model.stored(tmp_path), "model").graph.nodes
    assert (UPDATE in [node.op for node in nodes]) is found
