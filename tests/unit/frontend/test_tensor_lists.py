"""Lists of TensorFlow that recurrent layers fill in loops become arrays."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.programs import stored
from tests.refusals import refusal

STEPS, FEATURES, UNITS = 5, 3, 4
GROWS = b"*#\n\x1dresize_if_index_out_of_bounds\x12\x02(\x01"
STAYS = GROWS[:-1] + b"\x00"


def constant(m: SubgraphWriter, name: str, values: object) -> ModelTensor:
    return m.constant(name, np.array(values, np.int32))


def weights(m: SubgraphWriter, name: str, inputs: int) -> ModelTensor:
    random = np.random.default_rng(len(name))
    return m.constant(name, random.normal(0, 0.5, (4 * UNITS, inputs)).astype(np.float32))


def made(
    m: SubgraphWriter, op: str, given: list[ModelTensor], like: ModelTensor, **options: int | str
) -> ModelTensor:
    y = m.tensor(f"t{len(m.content.tensors)}", like.shape, like.dtype, signature=like.signature)
    m.node(op, given, [y], options)
    return y


def cell(
    m: SubgraphWriter, x: ModelTensor, h: ModelTensor, c: ModelTensor
) -> tuple[ModelTensor, ModelTensor]:
    """Step of an LSTM, as Keras exports it; the batch is that of h, and may be open."""
    signature = (h.signature[0], 4 * UNITS) if h.signature else ()
    wide = m.tensor(f"wide{x.index}", (h.shape[0], 4 * UNITS), "float32", signature=signature)
    parts = zip((x, h), (weights(m, "wx", FEATURES), weights(m, "recurrent", UNITS)), strict=True)
    sums = [made(m, "FULLY_CONNECTED", [each, matrix], wide) for each, matrix in parts]
    m.node("ADD", sums, [wide], {})
    gates = [m.tensor(f"{k}{x.index}", h.shape, "float32", signature=h.signature) for k in "ifgo"]
    m.node("SPLIT", [constant(m, f"axis{x.index}", 1), wide], gates, {"num_splits": 4})
    i, f, o = (made(m, "LOGISTIC", [gates[k]], h) for k in (0, 1, 3))
    new = made(m, "MUL", [i, made(m, "TANH", [gates[2]], h)], h)
    c = made(m, "ADD", [made(m, "MUL", [f, c], h), new], h)
    return made(m, "MUL", [o, made(m, "TANH", [c], h)], h), c


def unrolled(batch: int) -> bytes:
    """Model of the LSTM without a loop: every state, concatenated."""
    m = ModelWriter()
    x = m.input("x", (STEPS, batch, FEATURES), "float32")
    steps = [m.tensor(f"x{i}", (batch, FEATURES), "float32") for i in range(STEPS)]
    m.node("UNPACK", [x], steps, {"axis": 0, "num": STEPS})
    h = c = m.constant("zeros", np.zeros((batch, UNITS), np.float32))
    states = []
    for step in steps:
        h, c = cell(m, step, h, c)
        states.append(h)
    y = m.tensor("y", (STEPS, batch, UNITS), "float32")
    m.node("PACK", states, [y], {"axis": 0, "values_count": STEPS})
    m.output(y)
    return m.bytes()


@dataclass(frozen=True)
class Looped:
    """Writer of the LSTM as TensorFlow's converter writes it for a batch of any size."""

    length: int = STEPS  # of the list of states; of one, each state takes the place of the last
    options: bytes = STAYS
    ends: str = "FlexTensorListStack"
    given: bool = False  # the list's length is an input of the model

    def stored(self, folder: Path) -> Path:
        """Path of the model, saved as a file."""
        m = ModelWriter()
        x = m.input("x", (STEPS, 1, FEATURES), "float32", signature=(STEPS, -1, FEATURES))
        like = m.tensor("like", (1, UNITS), "float32", signature=(-1, UNITS))
        items, states = m.tensor("items", (), "variant"), m.tensor("states", (), "variant")
        sizes, length = constant(m, "sizes", [-1, UNITS]), constant(m, "length", self.length)
        length = m.input("n", (), "int32") if self.given else length
        features = constant(m, "features", [-1, FEATURES])
        self._flex(m, "FlexTensorListReserve", [sizes, length], states)
        self._flex(m, "FlexTensorListFromTensor", [x, features], items)
        given = [constant(m, "zero", 0), items, states, *[self._zeros(m, x, like)] * 2]
        test, body = m.subgraph("test"), m.subgraph("body")
        self._test(test)
        self._body(body)
        kept = [m.tensor(f"kept{i}", t.shape, t.dtype) for i, t in enumerate(given)]
        m.node("WHILE", given, kept, {"cond_subgraph_index": 1, "body_subgraph_index": 2})
        y = m.tensor("y", (self.length, 1, UNITS), "float32", signature=(self.length, -1, UNITS))
        self._flex(m, self.ends, [kept[2], sizes], y)
        m.output(y)
        return stored(m, folder, "looped")

    def _zeros(self, m: SubgraphWriter, x: ModelTensor, like: ModelTensor) -> ModelTensor:
        """Initial state of zeros, whose batch is that of x."""
        shape, batch = m.tensor("shape", (3,), "int32"), m.tensor("batch", (), "int32")
        m.node("SHAPE", [x], [shape], {"out_type": 2})
        ends = [constant(m, f"end{i}", [i]) for i in (1, 2, 1)]
        m.node("STRIDED_SLICE", [shape, *ends], [batch], {"shrink_axis_mask": 1})
        dims, nothing = m.tensor("dims", (2,), "int32"), m.constant("nothing", np.array(0, "f4"))
        units = constant(m, "units", UNITS)
        m.node("PACK", [batch, units], [dims], {"axis": 0, "values_count": 2})
        m.node("FILL", [dims, nothing], [like])
        return like

    def _carried(self, m: SubgraphWriter) -> list[ModelTensor]:
        lists = [m.input(name, (), "variant") for name in ("items", "states")]
        count = m.input("count", (), "int32")
        m.content.inputs = [count.index, *(each.index for each in lists)]
        return [count, *lists] + [
            m.input(name, (1, UNITS), "float32", signature=(-1, UNITS)) for name in "hc"
        ]

    def _test(self, m: SubgraphWriter) -> None:
        count, more = self._carried(m)[0], m.tensor("more", (), "bool")
        m.node("LESS", [count, constant(m, "steps", STEPS)], [more])
        m.output(more)

    def _body(self, m: SubgraphWriter) -> None:
        count, items, states, h, c = self._carried(m)
        x = m.tensor("x", (1, FEATURES), "float32", signature=(-1, FEATURES))
        sizes = constant(m, "sizes", [-1, FEATURES])
        self._flex(m, "FlexTensorListGetItem", [items, count, sizes], x)
        after = made(m, "ADD", [count, constant(m, "one", 1)], count)
        h, c = cell(m, x, h, c)
        longer = m.tensor("longer", (), "variant")
        index = count if self.length == STEPS else constant(m, "first", 0)
        self._flex(m, "FlexTensorListSetItem", [states, index, h], longer)
        m.output(after, items, longer, h, c)

    def _flex(self, m: SubgraphWriter, op: str, given: list[ModelTensor], y: ModelTensor) -> None:
        options = self.options if op == "FlexTensorListSetItem" else STAYS
        m.node("CUSTOM", given, [y], custom=op, custom_options=options)


def legal(path: Path, batch: int = 1) -> Graph:
    shape = f"x:{STEPS}x{batch}x{FEATURES}"
    return read(path, "model", shipped_ops(), Reading(input_shape=(shape,)))[1]


@pytest.mark.parametrize(("model", "batch"), [(Looped(), 3), (Looped(length=1), 1)], ids=str)
def test_a_layer_in_a_loop_equals_the_unrolled_one(
    model: Looped, batch: int, tmp_path: Path
) -> None:
    graph = legal(model.stored(tmp_path), batch)
    x = np.random.default_rng(1).normal(0, 2, (STEPS, batch, FEATURES)).astype(np.float32)
    (got,) = NumpyReference(graph, shipped_ops()).run([x])
    (path := tmp_path / "unrolled.tflite").write_bytes(unrolled(batch))
    (want,) = Reference(path).run([x])
    assert got.tobytes() == want[-model.length :].tobytes()


@pytest.mark.parametrize(("model", "code", "what"), [
    (Looped(options=GROWS), "MDL010", "no op claims CUSTOM.FlexTensorListSetItem"),
    (Looped(ends="FlexTensorListPopBack"), "MDL010", "no op claims CUSTOM.FlexTensorListPopBack"),
    (Looped(given=True), "MDL014", "is computed at run time"),
], ids=str)  # fmt: skip
def test_lists_of_other_lengths_are_refused(
    model: Looped, code: str, what: str, tmp_path: Path
) -> None:
    problem = refusal(legal, model.stored(tmp_path)).problems[0]
    assert problem.code == code
    assert what in problem.what
    assert "FlexTensorListGetItem" not in problem.what


def test_a_list_that_nothing_fills_has_zeros_in_the_shape_of_its_items(tmp_path: Path) -> None:
    m = ModelWriter()
    i, states = m.input("i", (), "int32"), m.tensor("states", (), "variant")
    reserve, get = (f"CUSTOM.FlexTensorList{name}" for name in ("Reserve", "GetItem"))
    nothing = m.constant("nothing", np.zeros(0, np.int32))
    m.node(reserve, [nothing, constant(m, "length", 3)], [states])
    m.output(m.value(get, [states, i, nothing], m.tensor("y", (), "int32")))
    graph = read(stored(m, tmp_path, "model"), "model", shipped_ops())[1]
    (got,) = NumpyReference(graph, shipped_ops()).run([np.array(2, np.int32)])
    assert got.tobytes() == bytes(4)


def test_an_operator_that_makes_no_list_is_no_update(tmp_path: Path) -> None:
    m, path = ModelWriter(), tmp_path / "model.tflite"
    x, states, y = m.input("x", (2,)), m.tensor("states", (), "variant"), m.tensor("y", (2,))
    m.node("CUSTOM.Makes", [x], [states, y])
    m.node("CUSTOM.FlexTensorListSetItem", [states], [])
    m.output(y)
    path.write_bytes(m.bytes())
    with pytest.raises(ToolchainError, match="no op claims CUSTOM.FlexTensorListSetItem"):
        read(path, "model", shipped_ops())
