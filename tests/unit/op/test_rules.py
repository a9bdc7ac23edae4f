"""Each rule of numerics is that of the installed LiteRT, and kernels follow it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.home import shipped
from opsmith.ir import Numerics
from opsmith.ir.text import graph_to_text
from opsmith.legalize.numerics import COMPUTED, not_reproduced
from opsmith.oracle import litert
from opsmith.oracle.expected import expected
from opsmith.oracle.litert import Reference
from opsmith.oracle.question import Question
from opsmith.oracle.rules import TFLM, answers
from opsmith.pipeline import Reading, rule_of
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_cases import check_on_host
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.merge_duplicates import merge_duplicates
from runtimes.core.exceptions import ExceptionSearch
from runtimes.core.output_steps import OUTPUTS, Ints, MonotoneSums
from runtimes.core.rescaling import Singles
from tests.fuzz.one_op import OF_RULES, by_rule, reproduced
from tests.oracles import need_oracle
from tests.programs import compiled, graph_of, stored

pytestmark = pytest.mark.slow

DIGITS = ROOT / "tests" / "models" / "digits_int8.tflite"


def test_a_sum_that_no_constants_give_is_not_reproduced() -> None:
    """Sums of 5 * 0.1 are ties, and with a far zero point XNNPACK's constants take 33 bits."""
    m = ModelWriter()
    a, b = m.input("a", (1, 4), "int8", 0.05, -1), m.input("b", (1, 4), "int8", 1 / 64, 57)
    y = m.tensor("y", (1, 4), "int8", 0.5, -128)
    m.node("ADD", [a, b], [y], {"fused_activation_function": "RELU6"}, version=2)
    m.output(y)
    graph = graph_of(m, reading=Reading(numerics="notebook"))
    (said,) = not_reproduced(graph, Numerics.NOTEBOOK, shipped_ops())
    assert "no multipliers and shift give all 65536 pairs" in said
    (node,) = compiled(graph).graph.nodes
    assert node.kernel is not None and node.numerics == Numerics.REFERENCE


@pytest.mark.parametrize(("rule", "right"), [("reference", 353), ("notebook", 351)])
def test_every_image_of_digits_gets_its_interpreters_answer(rule: Numerics, right: int) -> None:
    need_oracle(rule)
    content, images = DIGITS.read_bytes(), np.load(DIGITS.parent / "digits_test.npz")
    ours = by_rule(content, Numerics(rule))
    assert ours is not None
    oracle = Reference(content, default=rule == Numerics.NOTEBOOK)
    inputs = [[image[None]] for image in images["images"]]
    found = np.array([ours.run(each)[0][0] for each in inputs])
    assert np.array_equal(found, [oracle.run(each)[0][0] for each in inputs])
    assert (found.argmax(axis=1) == images["labels"]).sum() == right


@pytest.mark.few(7)
@pytest.mark.parametrize("name", OF_RULES)
def test_kernels_follow_the_notebooks_rule(name: str) -> None:
    folder = shipped("ops") / OF_RULES[name][0].op.lower()
    cases = reproduced(OF_RULES[name], name, 6)
    assert cases
    check_on_host(folder, cases, ("balanced", "size"), "notebook")


def test_sums_that_no_line_gives_are_listed() -> None:
    random = np.random.default_rng(5)
    factors = random.uniform(0.0009, 0.004, 64).astype(np.float32)
    rule, reach = Singles(factors.tobytes()), np.full(64, 140_000)

    def output(sums: Ints) -> Ints:
        return np.clip(rule(sums.T).T - 3, -128, 127)

    guess = rule.first_sums(OUTPUTS + 3)
    layer = MonotoneSums(-reach, reach, output, rule.slope, guess)
    more = random.integers(-5000, 5000, 64)
    found = ExceptionSearch(layer, 1000).moved(more).first([(11, 16)])
    assert found is not None and len(found.exceptions) > 4
    assert ExceptionSearch(layer, 1).first([(11, 16)]) is None
    every, lines = np.arange(-140_000, 140_001)[None, :], found.thresholds
    moved = every + more[:, None] << lines.left
    high = moved * lines.multiplier[:, None].astype(np.int64) >> 32
    got = np.clip(high + lines.offset[:, None] >> lines.right, -128, 127)
    sums, channels = found.exceptions[:, 0], found.exceptions[:, 1] >> 9
    got[channels, sums - more[channels] + 140_000] += 2 * (found.exceptions[:, 1] & 1) - 1
    np.testing.assert_array_equal(got, output(np.broadcast_to(every, got.shape)))
    np.testing.assert_array_equal(found.table()[64:-1], found.exceptions)


def test_a_line_that_misses_more_sums_than_are_listed_is_refused() -> None:
    rule, reach = Singles(np.full(2, 3.1719747e-08, np.float32).tobytes()), np.full(2, 30_000)

    def output(sums: Ints) -> Ints:
        return np.clip(rule(sums.T + 1_465_963_689).T + 4, -128, 127)

    guess = rule.first_sums(OUTPUTS - 4) - 1_465_963_689
    sums = MonotoneSums(-reach, reach, output, rule.slope, guess)
    assert ExceptionSearch(sums, 1000).first([(13, 12)]) is None


def _twice(m: ModelWriter) -> None:
    x = m.input("x", (1, 8), "int8", 0.1, 0)
    for name in ("y", "z"):
        m.output(m.value("QUANTIZE", [x], m.tensor(name, (1, 8), "int8", 0.07, 3), {}, version=2))


def test_a_rule_is_a_nodes_and_part_of_the_text() -> None:
    writer = ModelWriter()
    _twice(writer)
    ops = shipped_ops()
    graph = legal(writer.bytes(), ops, "notebook")
    assert [node.numerics for node in graph.nodes] == ["notebook", "notebook"]
    assert "numerics notebook" in graph_to_text(graph)
    first, second = graph.nodes
    other = replace(graph, nodes=(first, replace(second, numerics=Numerics.REFERENCE)))
    assert len(merge_duplicates(other, ops).nodes) == 2


def test_a_model_that_fixes_its_rule_is_not_contradicted(tmp_path: Path) -> None:
    fixed = replace(read_model(stored(_twice, tmp_path), "m"), numerics="tflm")
    assert rule_of(fixed, Reading(), "m") == Numerics.TFLM
    with pytest.raises(ToolchainError, match="MDL036"):
        rule_of(fixed, Reading(numerics="notebook"), "m")


@pytest.mark.parametrize(("rule", "why"), [
    ("notebook", "as this host is aarch64, and the rule is that of x86-64"),
    ("tflm", "as the package tflite-micro is not installed"),
])  # fmt: skip
def test_where_an_oracle_does_not_run_numpy_is_compared_with_and_says_why(
    rule: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setitem(sys.modules, TFLM, None)
    writer = ModelWriter()
    _twice(writer)
    path, used = tmp_path / "m.tflite", tmp_path / "used_ops.json"
    path.write_bytes(writer.bytes())
    folder = str(shipped_ops().by_name["quantize"].folder)
    used.write_text(json.dumps({"quantize": {"folder": folder}}), encoding="utf-8")
    inputs = [np.arange(8, dtype=np.int8)[None]]
    found = expected(Question(path, used, inputs, ["y", "z"], Reading(numerics=rule)))
    assert (found.title, found.remark) == ("the numpy models", f"by numerics={rule}, {why}")
    assert found.values["y"].shape == (1, 8)


@pytest.mark.parametrize("kernels", ["default", "optimised"])
def test_where_the_delegate_did_not_take_a_node_numpy_is_compared_with(
    kernels: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_oracle(Numerics.NOTEBOOK)
    made = litert._interpreter
    monkeypatch.setattr(litert, "_interpreter", lambda content, _: made(content, kernels))
    folders = {name: {"folder": str(op.folder)} for name, op in shipped_ops().by_name.items()}
    used = tmp_path / "used_ops.json"
    used.write_text(json.dumps(folders), encoding="utf-8")
    image = np.load(DIGITS.parent / "digits_test.npz")["images"][:1]
    found = expected(Question(DIGITS, used, [image], [], Reading(numerics=Numerics.NOTEBOOK)))
    if kernels == "default":  # SOFTMAX is left to LiteRT's kernel, and its rule is that one's
        assert (found.title, found.remark) == ("LiteRT's default interpreter", "")
    else:
        assert found.title == "the numpy models"
        assert "XNNPACK did not take 'conv' (conv_2d) and 6 more" in found.remark


def test_a_model_that_an_oracle_refuses_is_an_error(tmp_path: Path) -> None:
    need_oracle(Numerics.TFLM)
    writer = ModelWriter()
    x = writer.input("x", (1, 2), "int8", 0.1, 0)
    y = writer.tensor("y", (1,), "int8", 0.1, 0)
    writer.node(
        "REDUCE_PROD", [x, writer.constant("axes", np.array([1], np.int32))], [y], version=2
    )
    writer.output(y)
    asked = Question(stored(writer, tmp_path), tmp_path, [np.ones((1, 2), np.int8)], [])
    with pytest.raises(
        ToolchainError, match="RIG020: TensorFlow Lite Micro's reference kernels cannot"
    ):
        answers(Numerics.TFLM, asked)


def test_a_tensor_times_itself_is_rounded_as_its_square() -> None:
    """A tensor times itself is rounded as its square, also where the product of scales is next to a
    tie.
    """
    need_oracle(Numerics.NOTEBOOK)
    random, every = np.random.default_rng(0), np.arange(-128, 128, dtype=np.int8)[None]
    for _ in range(60):
        scale, half = np.float32(random.uniform(0.01, 0.3)), random.integers(0, 100) + 0.5
        y_scale = float(np.float32(scale * scale * random.integers(1, 128) ** 2 / half))
        writer = ModelWriter()
        x = writer.input("x", (1, 256), "int8", float(scale), int(random.integers(-128, 128)))
        y = writer.tensor("y", (1, 256), "int8", y_scale, int(random.integers(-128, 128)))
        writer.node("MUL", [x, x], [y], {"fused_activation_function": "NONE"}, version=2)
        writer.output(y)
        ours = by_rule(writer.bytes(), Numerics.NOTEBOOK)
        assert ours is not None
        wanted = Reference(writer.bytes(), default=True).run([every])
        np.testing.assert_array_equal(ours.run([every])[0], wanted[0])


@pytest.mark.parametrize(("y_scale", "taken"), [(1 / 255, True), (1 / 257, False)])
def test_a_square_by_256_or_more_is_not_reproduced(y_scale: float, taken: bool) -> None:
    """XNNPACK leaves it to a kernel that wraps where the zero point is added."""
    writer = ModelWriter()
    x = writer.input("x", (1, 4), "int8", 1.0, -1)
    y = writer.tensor("y", (1, 4), "int8", y_scale, 100)
    writer.node("MUL", [x, x], [y], {"fused_activation_function": "NONE"}, version=2)
    writer.output(y)
    assert (by_rule(writer.bytes(), Numerics.NOTEBOOK) is not None) == taken


def test_weights_that_the_model_computes_are_not_reproduced() -> None:
    """Weights that the model computes are not reproduced: interpreters choose other kernels,
    Opsmith folds.
    """
    writer = ModelWriter()
    x = writer.input("x", (1, 2), "int8", 0.05, 0)
    stored = writer.constant("stored", np.ones((2, 2), np.int8), 0.1, 0)
    weights = writer.value("NEG", [stored], writer.tensor("weights", (2, 2), "int8", 0.1, 0), {})
    y = writer.tensor("y", (1, 2), "int8", 0.1, 0)
    writer.node("FULLY_CONNECTED", [x, weights, None], [y], {})
    writer.output(y)
    graph = legal(writer.bytes(), shipped_ops(), "notebook")
    (layer,) = (node for node in graph.nodes if node.op == "fully_connected")
    assert layer.numerics == Numerics.REFERENCE
    assert any(COMPUTED in each for each in not_reproduced(graph, Numerics.TFLM, shipped_ops()))


def test_a_ratio_that_rounds_otherwise_in_double_precision_is_not_reproduced() -> None:
    """1/64 / 0.05 is 0.3125 in single precision, where a quarter is a tie, and less in double."""
    for y_scale, differ in ((0.05, True), (1 / 32, False)):
        writer = ModelWriter()
        x = writer.input("x", (1, 2), "int8", 1 / 64, -1)
        y = writer.value("RELU", [x], writer.tensor("y", (1, 2), "int8", y_scale, -1), {})
        writer.output(y)
        graph = legal(writer.bytes(), shipped_ops())
        assert any(not_reproduced(graph, Numerics.TFLM, shipped_ops())) == differ
