"""Ops of imported layers: what op.py may add to them, and what a node of them can be."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.cli import main
from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import NumpyReference
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import known_beside
from opsmith.testing.legal import legal
from opsmith.tflite.writer import ModelWriter
from runtimes.gpu import simulator
from tests.commands import refused
from tests.gpu.custom_layers import LEAKY, write_layers
from tests.refusals import refusal
from tests.warm_pytest import run_pytest

SHAPE = (2, 4, 3, 5)
CALL = "LAYER, EXAMPLE)"
# What an author adds: the right values, of tensors with channels last, and the shape of y.
FUNCTIONS = """
import numpy as np


def evaluate(node, inputs):
    assert inputs[0].shape == node["x"].shape == node["y"].shape, node
    y = inputs[0] + np.arange(inputs[0].shape[-1], dtype=np.float32)
    return [y * (1 + np.arange(y.shape[1], dtype=np.float32))[:, None, None]]


def infer(node):
    return [node["x"].type]


"""
Build = Callable[[ModelWriter], None]


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of imported ops, one of each layout, the last with functions. No test edits it."""
    folder = tmp_path_factory.mktemp("imported")
    write_layers(folder / "given")
    into = folder / "ops"
    for name in ("leaky", "places"):
        assert main(["import-layer", str(folder / f"given/{name}.xml"), "--into", str(into)]) == 0
    file = into / "places_fyxb" / "op.py"
    text = file.read_text("utf-8")
    assert CALL in text
    head, tail = text.split("LAYER = ", 1)
    tail = tail.replace(CALL, f"{CALL[:-1]}, infer=infer, evaluate=evaluate)")
    file.write_text(f"{head}{FUNCTIONS}LAYER = {tail}", encoding="utf-8")
    return into


def node(
    custom: str,
    shape: tuple[int, ...] = SHAPE,
    stored: tuple[int, ...] | None = None,
    dtype: str = "float32",
    **options: object,
) -> Build:
    """Model of a node of a layer, whose y is stored with the given shape."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", shape, dtype)
        y = m.tensor("y", shape if stored is None else stored, dtype)
        m.node("CUSTOM", [x], [y], custom=custom, custom_options=options)
        m.output(y)

    return build


def graph_of(build: Build, folder: Path) -> tuple[Graph, OpIndex]:
    m = ModelWriter()
    build(m)
    ops = known_beside(folder)
    return legal(m.bytes(), ops), ops


@pytest.mark.slow
def test_evaluate_sees_channels_last_however_the_kernel_does(ops: Path) -> None:
    whole, known = graph_of(node("PlacesFYXB"), ops / "places_fyxb")
    parts = decompose(whole, known, None)
    assert [each.op for each in parts.nodes] == ["transpose", "places_fyxb", "transpose"]
    assert parts.tensors[parts.nodes[1].inputs[0] or ""].shape == (5, 4, 3, 2)
    x = np.random.default_rng(1).normal(size=SHAPE).astype(np.float32)
    right, got = (NumpyReference(each, known).run([x])[0] for each in (whole, parts))
    np.testing.assert_array_equal(got, right)


@pytest.mark.slow
def test_infer_takes_the_place_of_the_stored_shape(ops: Path) -> None:
    whole, _ = graph_of(node("PlacesFYXB", stored=(7,)), ops / "places_fyxb")
    assert whole.tensors[whole.outputs[0]].shape == SHAPE
    whole, _ = graph_of(node("PlacesYXFB", stored=(7,)), ops / "places_yxfb")
    assert whole.tensors[whole.outputs[0]].shape == (7,)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "code", "said"), [
    (node("LeakyLayer", (2, 2, 2, 2, 2)), "MDL014", "a custom layer knows B, F, Y and X alone"),
    (node("LeakyLayer", stored=()), "MDL014", "the model stores no shape of y"),
    (node("LeakyLayer", arranged=True), "MDL015", "an option 'arranged' is not known"),
    (node("LeakyLayer", negative_slop=0.1), "MDL013", "to leaky_layer (negative_slope)"),
    (node("LeakyLayer", negative_slope="x"), "MDL013", "negative_slope"),
    (node("LeakyLayer", dtype="float16"), "MDL012", "has type float16"),
    (node("LeakyLayer", dtype="int8"), "MDL012", "'x' is int8; leaky_layer takes float32"),
])  # fmt: skip
def test_what_no_node_can_be(ops: Path, build: Build, code: str, said: str) -> None:
    caught = refusal(graph_of, build, ops / "leaky_layer")
    found = [(problem.code, said in problem.what) for problem in caught.problems]
    assert (code, True) in found, caught


CPU = """
from dataclasses import dataclass
from opsmith.op import Kernel, every_node

@dataclass(frozen=True)
class Size:
    \"""Elements.\"""

    elements: int

CPU = Kernel("reference", Size, every_node(lambda node: Size(node["x"].elements)))

"""


@pytest.mark.slow
def test_a_layer_may_have_a_kernel_for_processors(ops: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(ops / "leaky_layer", tmp_path / "ops" / "leaky_layer"))
    text = (folder / "op.py").read_text("utf-8")
    head, tail = text.split("# Shapes of", 1)
    made = tail.replace(CALL, f'{CALL[:-1]}, cpu=CPU, ignore=("T", "_class"))')
    (folder / "op.py").write_text(f"{head}{CPU}# Shapes of{made}", "utf-8")
    assert "error KRN001: there is no kernel file 'reference.h'" in refused("check", folder)
    (folder / "reference.h").write_text("// reference(", "utf-8")
    assert main(["check", str(folder)]) == 0
    whole, known = graph_of(node("LeakyLayer", T=0, _class=["x"]), folder)
    parts = decompose(whole, known, None)
    (layer,) = (n for n in select_kernels(parts, known, frozenset()).nodes if n.op != "transpose")
    assert layer.kernel is not None
    assert (layer.op, layer.kernel.name) == ("leaky_layer", "reference")


@pytest.mark.slow
def test_groups_must_divide_the_work_of_a_node(tmp_path: Path) -> None:
    write_layers(tmp_path / "given")
    layer = tmp_path / "given" / "leaky.xml"
    layer.write_text(LEAKY.replace('"X,Y,B*F"', '"X,Y,B*F" local="1,4,1"'), encoding="utf-8")
    assert main(["import-layer", str(layer), "--into", str(tmp_path / "ops")]) == 0
    folder = tmp_path / "ops" / "leaky_layer"
    graph_of(node("LeakyLayer", (1, 8, 3, 2)), folder)
    with pytest.raises(ToolchainError, match="work-items are no whole groups of \\[1, 4, 1\\]"):
        graph_of(node("LeakyLayer", (1, 6, 3, 2)), folder)


@pytest.mark.few(0)  # test_programs.py has such a kernel
@pytest.mark.slow
@pytest.mark.system
@pytest.mark.parametrize("shift", ["", " + 100000"])
def test_the_test_that_is_written_finds_what_lies_beyond_a_tensor(
    ops: Path, shift: str, tmp_path: Path
) -> None:
    if absent := simulator.absent():
        pytest.skip(absent)
    ops = shutil.copytree(ops, tmp_path / "ops")
    kernel = ops / "leaky_layer" / "leaky.cl"
    text = kernel.read_text("utf-8")
    kernel.write_text(text.replace("= given[from]", f"= given[from{shift}]"), encoding="utf-8")
    configured = ("-c", str(ROOT / "pyproject.toml"), f"--confcutdir={ops}", "-q", "-n0")
    done = run_pytest([*configured, str(ops / "leaky_layer")])
    assert done.returncode == (1 if shift else 0), done.stdout
    assert ("2 passed" in done.stdout) == (not shift)
    assert ("Invalid read of size 4" in done.stdout) == bool(shift)
