"""Nodes that LiteRT's reference lacks, gets wrong or bounds are compared apart, and it is said."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.op.departure import Departure
from opsmith.op.describe import Variant
from opsmith.op.index import OpIndex, index
from opsmith.op.view import NodeView
from opsmith.oracle.bounded import Died
from opsmith.oracle.by_node import NodeByNode, Note, Oracles, note_lines
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.expected import LITERT, Expected, expected
from opsmith.oracle.litert import Reference
from opsmith.oracle.question import Question
from opsmith.pipeline import read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import merged_model
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.fuzz.graphs.calls import model as write_model
from tests.programs import stored
from tests.unit.control_interpreter import Interpreter
from tests.unit.control_networks import control_network
from tests.unit.frontend.control_models import branch, summed, vector
from tests.unit.frontend.test_composites import composite
from tests.unit.seeds import seeds
from tests.unit.test_control_networks import inputs_of

X = np.array([-3.5, 0.5, 1.5, 200], np.float32)


def written(folder: Path, *ops: str) -> Path:
    """Path of a model of a chain of float operators, of one input each."""
    m = ModelWriter()
    x = m.input("x", X.shape, "float32")
    for number, op in enumerate(ops):
        y = m.value(op, [x], m.tensor(f"t{number}", X.shape, "float32"))
        x = y
    m.output(x)
    return stored(m, folder)


def sums(folder: Path) -> Path:
    """Path of a model of a SUM of int8, followed by an ABS."""
    m = ModelWriter()
    x, y = m.input("x", (2, 3), "int8", 0.5, 0), m.tensor("sum", (2,), "int8", 0.5, 0)
    m.node("SUM", [x, m.constant("axis", np.array([1], np.int32))], [y])
    m.output(m.value("ABS", [y], m.tensor("z", (2,), "int8", 0.5, 0)))
    return stored(m, folder)


def asked(
    path: Path, inputs: Sequence[Array], wanted: str, right: Array | None = None, by: str = ""
) -> Expected[Mapping[str, Array]]:
    """Expected value of a tensor, by a reference that agrees with one given value, or with any."""
    used = path.parent / "used_ops.json"
    folders = {name: {"folder": str(found.folder)} for name, found in shipped_ops().by_name.items()}
    used.write_text(json.dumps(folders), encoding="utf-8")
    agrees = (lambda found: np.array_equal(found[wanted], right)) if right is not None else any
    return expected(Question(path, used, inputs, [wanted]), by, agrees)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["", LITERT])
def test_an_operator_without_a_reference_kernel_is_run_by_another(by: str, tmp_path: Path) -> None:
    path = written(tmp_path, "NEG", "ELU", "ROUND", "CEIL", "EXP")
    found = asked(path, [X], "t4", by=by)
    assert np.array_equal(found.values["t4"], Reference(path, optimised=True).run([X])[0])
    assert (found.title, found.remark) == ("LiteRT", "")
    assert [*note_lines(found.notes)] == [
        "  operator 1 (ELU), operator 2 (ROUND), operator 3 (CEIL): by LiteRT's default kernels, "
        "since it has no reference kernel"
    ]


@pytest.mark.slow
def test_a_departure_is_named_where_bytes_differ(tmp_path: Path) -> None:
    path, x = sums(tmp_path), np.array([[-1, 2, 3], [4, 5, -60]], np.int8)
    right = np.array([4, 51], np.int8)
    found = asked(path, [x], "z", right)
    assert np.array_equal(found.values["z"], right)
    (note,) = found.notes
    assert found.title == "LiteRT and numpy"
    assert (note.source, note.op, note.numpy) == ("operator 0 (SUM)", "sum", True)
    assert "LiteRT reads the elements as uint8" in note.text
    positive = np.abs(x)
    assert asked(path, [positive], "z").title == "LiteRT"  # whose bytes are right, then


def one_op(name: str, **variant: object) -> OpIndex:
    """Shipped ops, of which the float variants of one have changed fields."""

    def changed(each: Variant) -> Variant:
        return replace(each, **variant)  # type: ignore[arg-type]

    found = shipped_ops().by_name[name]
    op = replace(found.op, variants=tuple(map(changed, found.op.variants)))
    others = {**shipped_ops().by_name, name: found.changed(op)}
    return index(list(others.values()))


def upward(steps: int) -> Callable[[NodeView, Sequence[Array]], list[Array]]:
    """Evaluator of the exponential, increased by N units in the last place."""

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> list[Array]:
        found = np.exp(np.clip(inputs[0], -9, 9).astype(np.float64)).astype(np.float32)
        return [(found.view(np.int32) + steps).view(np.float32)]

    return evaluate


@pytest.mark.parametrize(("steps", "wrong"), [(2, False), (9, True)])
def test_a_bound_is_held_against_litert_and_what_follows_is_exact(
    steps: int, wrong: bool, tmp_path: Path
) -> None:
    path, x = written(tmp_path, "EXP", "NEG"), np.clip(X, -9, 9)
    ops = one_op("exp", ulps=4, evaluate=upward(steps))
    model, graph = read(path, "m", ops)
    oracles = Oracles(path, model)
    values = NodeByNode(graph, ops, oracles=oracles).run([x])
    assert np.array_equal(values["t1"], -values["t0"])
    ((note),) = oracles.notes.values()
    assert note.wrong == wrong
    assert f"within {steps} ulps of LiteRT (allowed 4)" in note.text
    assert ("which is wrong" in "".join(note_lines([note]))) == wrong


def test_a_departure_may_be_about_some_inputs(tmp_path: Path) -> None:
    path = written(tmp_path, "EXP")
    where = Departure("", "guesses", "zero", lambda node, inputs: bool((inputs[0] > 100).any()))
    ops = one_op("exp", departs=where)
    model, graph = read(path, "m", ops)
    for x, noted in ((X, True), (np.zeros_like(X), False)):
        oracles = Oracles(path, model)
        NodeByNode(graph, ops, oracles=oracles).run([x])
        assert bool(oracles.notes) == noted


def rounds(m: SubgraphWriter) -> None:
    """Body that rounds its input."""
    m.output(m.value("ROUND", [vector(m)], m.tensor("rounded", (2,), "float32")))


@pytest.mark.slow
def test_bodies_of_branches_are_run_by_other_kernels_too(tmp_path: Path) -> None:
    m = ModelWriter()
    branch(rounds, rounds)(m)
    path = stored(m, tmp_path)
    _, graph = read(path, "m", shipped_ops())
    x = np.array([0.5, 2.7], np.float32)
    given: list[Array] = [np.array(True) if n == graph.inputs[0] else x for n in graph.inputs]
    found = asked(path, given, graph.outputs[0])
    assert found.values[graph.outputs[0]].tolist() == [0, 3]
    assert [note.source.partition(")")[0] for note in found.notes] == ["operator 0 (ROUND"]


def test_operators_of_composites_are_said_to_be_by_numpy(tmp_path: Path) -> None:
    m = ModelWriter()
    body = m.subgraph("body")
    rounds(body)
    (y,) = composite(m, body.number, vector(m))
    m.output(summed(m, y))
    path = stored(m, tmp_path)
    model, graph = read(path, "m", shipped_ops())
    oracles = Oracles(path, model)
    NodeByNode(graph, shipped_ops(), oracles=oracles).run([np.array([0.5, 2.7], np.float32)])
    (note,) = oracles.notes.values()
    assert note.source == "operator 0 (ROUND) of subgraph 1"
    assert note.text == "by numpy (LiteRT does not run it by itself)"


def test_equal_notes_are_one_line() -> None:
    first, second = (Note(f"operator {n} (A)", "a", "by numpy", numpy=True) for n in (1, 2))
    parts = [replace(first, source=f"operator 1 (A) {n}") for n in (0, 11)]
    line = "  operator 1 (A), operator 2 (A): by numpy"
    assert [*note_lines([*parts, second])] == [*note_lines([first, second])] == [line]
    inner = replace(second, source="operator 2 (A) of subgraph 1")
    assert [*note_lines([inner])] == ["  operator 2 (A) of subgraph 1: by numpy"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(8, 1))
def test_networks_of_branches_loops_and_variables_are_their_nodes(
    seed: int, tmp_path: Path
) -> None:
    network = control_network(seed, plain=False)
    path, ops = tmp_path / "m.tflite", shipped_ops()
    path.write_bytes(write_model(network))
    model, graph = read(path, "m", ops)
    oracles, interpreter = Oracles(path, model), Interpreter(network)
    walked = NodeByNode(graph, ops, oracles=oracles)
    for inputs in inputs_of(network, seed):
        values, wanted = walked.run(inputs), interpreter.run(inputs)
        assert all(map(np.array_equal, (values[name] for name in graph.outputs), wanted))
    assert oracles.asked
    assert not oracles.notes


@pytest.mark.slow
@pytest.mark.parametrize("name", ["svdf", "unidirectional_sequence_lstm"])
def test_states_and_intermediates_go_with_an_operator(name: str, tmp_path: Path) -> None:
    module = import_module(f"ops.{name}.test_{name}")
    (tests,) = (each for each in vars(module).values() if getattr(each, "folder", None))
    content = merged_model(tests._of_litert)
    path, reference = tmp_path / "m.tflite", Reference(content)
    path.write_bytes(content)
    model, graph = read(path, "m", shipped_ops())
    oracles = Oracles(path, model)
    walked = NodeByNode(graph, shipped_ops(), oracles=oracles)
    for inputs in seeded_inputs(reference.inputs, 2):
        values = walked.run(inputs)
        for output, wanted in zip(graph.outputs, reference.run(inputs), strict=True):
            assert np.array_equal(values[output], wanted)
    assert len(oracles.asked) == len(graph.nodes)


@pytest.mark.slow
def test_what_litert_computes_besides_changes_no_state(tmp_path: Path) -> None:
    """LiteRT's further computations change no state: its sums depend on caches, so numpy's states
    are numpy's.
    """
    module = import_module("ops.unidirectional_sequence_lstm.test_unidirectional_sequence_lstm")
    content = merged_model([each for each in module.BEYOND_LITERT if each.name == "f32_deep"])
    path = tmp_path / "m.tflite"
    path.write_bytes(content)
    model, graph = read(path, "m", shipped_ops())
    oracles = Oracles(path, model)
    walked = NodeByNode(graph, shipped_ops(), oracles=oracles)
    alone = NumpyReference(graph, shipped_ops())
    for inputs in seeded_inputs(alone.inputs, 2):
        assert np.array_equal(walked.run(inputs)[graph.outputs[0]], alone.run(inputs)[0])
    (note,) = oracles.notes.values()
    assert "ulps of LiteRT; the op declares that it differs" in note.text
    assert oracles.asked


def test_a_node_that_ends_litert_leaves_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that ends LiteRT, such as BROADCAST_ARGS of shapes that do not broadcast, leaves
    numpy.
    """
    ends = iter([Died("it aborted"), Died("it aborted")])

    def bounded(run: Callable[[], object], seconds: float) -> object:
        for end in ends:
            raise end
        return run()

    monkeypatch.setattr("opsmith.oracle.expected.bounded", bounded)
    m = ModelWriter()
    a, b = m.input("a", (2,), "int32"), m.input("b", (2,), "int32")
    m.output(m.value("BROADCAST_ARGS", [a, b], m.tensor("y", (2,), "int32")))
    path = stored(m, tmp_path)
    found = asked(path, [np.array([4, 5], np.int32), np.array([2, 3], np.int32)], "y")
    assert (found.title, found.values["y"].tolist()) == ("the numpy models", [4, 5])
    assert found.remark == "LiteRT cannot run this model: it aborted"
