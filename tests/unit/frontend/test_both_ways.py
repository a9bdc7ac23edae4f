"""Layers that run both ways become two, which compute what LiteRT does."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.frontend.tflite.departures import MERGED
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.refusals import refusal

DEPTH = 3  # of x
UNITS = {"RNN": (4, 2), "LSTM": (4, 4)}  # of the layer that runs forward, and of the other
BATCHES, STEPS = 2, 5


def constant(m: ModelWriter, *shape: int) -> ModelTensor:
    random = np.random.default_rng(len(m.content.tensors))
    values = random.normal(0, 0.4, shape).astype(np.float32)
    return m.constant(f"c{len(m.content.tensors)}", values)


def state(m: ModelWriter, cells: int) -> ModelTensor:
    name = f"s{len(m.content.tensors)}"
    return m.tensor(name, (BATCHES, cells), "float32", variable=True)


def rnn(m: ModelWriter, x: ModelTensor) -> list[ModelTensor | None]:
    found: list[ModelTensor | None] = [x]
    for units in UNITS["RNN"]:
        found += [constant(m, units, DEPTH), constant(m, units, units), constant(m, units)]
        found.append(state(m, units))
    return [*found, None, None, None]


def lstm(m: ModelWriter, x: ModelTensor) -> list[ModelTensor | None]:
    found: list[ModelTensor | None] = [x]
    for cells in UNITS["LSTM"]:
        found += [constant(m, cells, DEPTH) for _ in range(4)]
        found += [constant(m, cells, cells) for _ in range(4)]
        found += [None] * 3 + [constant(m, cells) for _ in range(4)] + [None] * 2
    found += [state(m, cells) for cells in UNITS["LSTM"] for _ in range(2)]
    return found + [None] * 9


def layer(folder: Path, op: str, *, time_major: bool, merged: bool, aside: bool = False) -> Path:
    """Model of a bidirectional layer; with `aside`, it has an auxiliary input."""
    m = ModelWriter()
    sizes = (STEPS, BATCHES) if time_major else (BATCHES, STEPS)
    x = m.input("x", (*sizes, DEPTH), "float32")
    inputs = {"RNN": rnn, "LSTM": lstm}[op](m, x)
    if aside:
        inputs[inputs.index(None, 9 if op == "RNN" else 39)] = x
    cells = [sum(UNITS[op])] if merged else UNITS[op]
    made = [m.tensor(f"y{i}", (*sizes, each), "float32") for i, each in enumerate(cells)]
    options: dict[str, OptionValue] = {"time_major": time_major, "merge_outputs": merged}
    options["fused_activation_function"] = "TANH"
    m.node(f"BIDIRECTIONAL_SEQUENCE_{op}", inputs, made, options)
    m.output(*made)
    return stored(m, folder, "model")


@pytest.mark.parametrize("op", ["RNN", "LSTM"])
@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
def test_both_layers_are_litert_s(op: str, merged: bool, time_major: bool, tmp_path: Path) -> None:
    path, ops = layer(tmp_path, op, time_major=time_major, merged=merged), shipped_ops()
    _, graph = read(path, "model", ops)
    ours, litert = NumpyReference(graph, ops), Reference(path)
    departs = op == "LSTM" and merged and not time_major
    for _ in range(2):  # which begin with the states that the last one left
        x = np.random.default_rng(7).normal(0, 2, litert.inputs[0].shape).astype(np.float32)
        got, want = ours.run([x]), litert.run([x])
        if departs:
            got, want = [each[:1] for each in got], [each[:1] for each in want]
        assert [each.tobytes() for each in got] == [each.tobytes() for each in want]


@pytest.mark.parametrize("op", ["RNN", "LSTM"])
def test_a_further_input_is_refused(op: str, tmp_path: Path) -> None:
    path = layer(tmp_path, op, time_major=False, merged=False, aside=True)
    caught = refusal(read, path, "model", shipped_ops())
    assert f"no op claims BIDIRECTIONAL_SEQUENCE_{op}" in str(caught)


def test_merged_batches_are_those_of_both_outputs(tmp_path: Path) -> None:
    told, found, ops = [], [], shipped_ops()
    x = np.random.default_rng(7).normal(0, 2, (BATCHES, STEPS, DEPTH)).astype(np.float32)
    for merged in (True, False):
        path = layer(tmp_path, "LSTM", time_major=False, merged=merged)
        model, graph = read(path, "model", ops)
        told.append(model.departures)
        found.append(np.concatenate(NumpyReference(graph, ops).run([x]), axis=-1).tobytes())
    assert found[0] == found[1]
    assert told == [(f"operator 0 (BIDIRECTIONAL_SEQUENCE_LSTM): LiteRT {MERGED.litert}",), ()]
