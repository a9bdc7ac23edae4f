"""`opsmith import-layer`: what it reads, and what it refuses, by name and with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.errors import ToolchainError
from opsmith.op import NodeView, Tensor, f32
from runtimes.gpu.openvino import xml
from runtimes.gpu.openvino.formats import FORMATS, moves, order, pitches, sizes
from runtimes.gpu.openvino.formulas import FormulaError, check, value
from runtimes.gpu.openvino.macros import macros
from runtimes.gpu.openvino.read import read_layers
from runtimes.gpu.openvino.source import kernels, parameters
from runtimes.gpu.openvino.translate import layer_of
from tests.gpu.custom_layers import BY_PITCHES, FILES, LEAKY, write_layers
from tests.gpu.layer_mistakes import IN_SOURCE, MISTAKES

pytestmark = pytest.mark.slow  # a folder of an op for each layer


def imported(folder: Path, layer: str, kernel: str = BY_PITCHES) -> Path:
    """Folder of the op imported from the given texts. Raises as the command does."""
    (folder / "secret.cl").write_text("secret", encoding="utf-8")
    given = folder / "given"
    given.mkdir()
    (given / "layer.xml").write_text(layer, encoding="utf-8")
    (given / "leaky.cl").write_text(kernel, encoding="utf-8")
    (given / "gpu.cl").write_text(kernel, encoding="utf-8")
    (given / "link.cl").symlink_to(folder / "secret.cl")
    into = folder / "ops"
    known = folder / "known"  # no shipped ops, whose files take longer to digest than all else
    known.mkdir()
    arguments = ["import-layer", str(given / "layer.xml"), "--into", str(into)]
    status = main([*arguments, "--ops", str(known)])
    assert status in (0, 2)
    assert status == 0 or not into.exists()
    return into / "leaky_layer"


@pytest.mark.parametrize(("before", "after", "code", "line", "said"), MISTAKES)
def test_a_mistake_is_refused_by_name(
    before: str, after: str, code: str, line: int, said: str, tmp_path: Path, capfd: Capture
) -> None:
    assert before in LEAKY
    imported(tmp_path, LEAKY.replace(before, after, 1 if code != "OPS081" else -1))
    told = capfd.readouterr().err
    assert re.findall(r"^error (\w+):", told, re.MULTILINE)[:1] == ([code] if code else []), told
    assert said in told
    assert not line or f"layer.xml:{line}\n" in told, told
    assert "secret" not in told.replace("secret.cl", "")


@pytest.mark.parametrize(("before", "after", "said"), IN_SOURCE)
def test_what_a_kernel_cannot_have_is_refused(
    before: str, after: str, said: str, tmp_path: Path, capfd: Capture
) -> None:
    assert before in BY_PITCHES
    imported(tmp_path, LEAKY, BY_PITCHES.replace(before, after, 1))
    told = capfd.readouterr().err
    assert "error OPS083" in told
    assert said in told


def test_all_mistakes_are_told_at_once(tmp_path: Path, capfd: Capture) -> None:
    text = LEAKY.replace("BFYX", "XYZ").replace('"X,', '"Z,').replace("-cl-mad", "-cl-mud")
    imported(tmp_path, text)
    assert capfd.readouterr().err.count("\nerror ") + 1 == 4


def test_kernels_are_copied_unchanged(tmp_path: Path) -> None:
    kernel = BY_PITCHES.replace("\n", "\r\n") + "// é"
    folder = imported(tmp_path, LEAKY, kernel)
    assert (folder / "leaky.cl").read_bytes() == kernel.encode()
    assert {path.name for path in folder.iterdir()} == {
        *("op.py", "gpu.cl", "leaky.cl", "test_leaky_layer.py")
    }


def test_nothing_is_overwritten(tmp_path: Path, capfd: Capture) -> None:
    write_layers(tmp_path / "given")
    arguments = ["import-layer", str(tmp_path / "given/leaky.xml"), "--into", str(tmp_path / "ops")]
    assert main(arguments) == 0
    before = (tmp_path / "ops/leaky_layer/op.py").stat().st_mtime_ns
    assert main(arguments) == 2
    assert "error OPS031: there is something called 'leaky_layer'" in capfd.readouterr().err
    assert (tmp_path / "ops/leaky_layer/op.py").stat().st_mtime_ns == before
    assert main([*arguments, "--name", "relu"]) == 2
    assert "error OPS030: an op has this name" in capfd.readouterr().err
    assert main([*arguments, "--name", "other", "--types", "f32", "f32", "f32"]) == 2
    assert "--types has 3 types, and LeakyLayer 1 inputs and an output" in capfd.readouterr().err
    assert main([*arguments, "--name", "other", "--types", "f16"]) == 2
    assert "error BLD001" in capfd.readouterr().err


def test_a_layer_may_be_called_like_a_module_of_the_runtime(tmp_path: Path) -> None:
    imported(tmp_path, LEAKY.replace("LeakyLayer", "Kernel"))
    assert [each.name for each in (tmp_path / "ops").iterdir()] == ["kernel_2"]


def test_an_operator_has_one_layer(tmp_path: Path, capfd: Capture) -> None:
    layer = LEAKY.partition("-->")[2]
    imported(tmp_path, layer * 2)
    assert "error OPS034: an op claims CUSTOM LeakyLayer already" in capfd.readouterr().err
    given = tmp_path / "given" / "layer.xml"
    given.write_text(layer, encoding="utf-8")
    arguments = ["import-layer", str(given), "--into", str(tmp_path / "ops")]
    assert main(arguments) == 0
    assert main([*arguments, "--name", "other"]) == 2
    assert "error OPS034: an op claims CUSTOM LeakyLayer already" in capfd.readouterr().err


def test_floats_of_models_may_be_no_numbers(tmp_path: Path) -> None:
    write_layers(tmp_path / "given")
    (described,) = read_layers(tmp_path / "given" / "leaky.xml")
    x, y = (Tensor(name, name, f32, (2, 5, 4, 3)) for name in "xy")

    def slope(value: float) -> str:
        attributes = {"arranged": True, "negative_slope": value}
        node = NodeView("n", "leaky_layer", {"x": x, "y": y}, attributes)
        return macros(layer_of(described, (f32, f32)), node, (3, 4, 10), ())["slope"]

    assert [slope(float(value)) for value in ("nan", "1e39", "-inf")] == [
        *("NAN", "INFINITY", "(-INFINITY)")
    ]


def test_a_flood_is_refused() -> None:
    many = "<a/>" * (xml.MOST_ELEMENTS + 1)
    deep = "<a>" * (xml.MOST_DEPTH + 2)
    for text in (many, deep):
        with pytest.raises(xml.XmlError, match="more than"):
            xml.elements(text)
    with pytest.raises(xml.XmlError, match="no XML"):
        xml.elements("</file><file>")


@pytest.mark.parametrize(("end", "line"), [("\r", 4), ("\r\n", 4), ("\n\r", 7)])
@pytest.mark.parametrize(("text", "said"), [("<a>", "no XML"), ("<!DOCTYPE a>", "a DOCTYPE")])
def test_lines_end_in_whatever_xml_lets_them(end: str, line: int, text: str, said: str) -> None:
    with pytest.raises(xml.XmlError, match=said) as caught:
        xml.elements(end.join(["<?xml", "version='1.0'?>", "<b/>", text]))
    assert caught.value.line == line


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    path.write_bytes(b" " * (xml.MOST_BYTES + 1))
    with pytest.raises(ToolchainError, match="it has more than"):
        read_layers(path)


@pytest.mark.parametrize(("formula", "result"), [
    ("B*F*Y*X", 2 * 3 * 5 * 7),
    ("x + y*2 - (f+1)", 7 + 10 - 4),
    ("(X+3)/4%2", 10 // 4 % 2 or 2),
    ("(3-X)/2+10", -4 // 2 + 10),  # truncates: -4 / 2
    ("(2-X)/2+10", -2 + 10),  # -5 / 2 is -2 in C
    ("(2-X)%2+10", -1 + 10),
    ("65535", 65535),
])  # fmt: skip
def test_formulas_are_computed_as_in_c(formula: str, result: int) -> None:
    found = {"B": 2, "F": 3, "Y": 5, "X": 7}
    if formula == "(X+3)/4%2":  # 2 % 2
        with pytest.raises(FormulaError, match="is 0 here"):
            value(formula, found)
        return
    assert value(formula, found) == result


@pytest.mark.parametrize("formula", ["", "B+", "(B", "B)", "B F", "W", "2**3", "+B", "(" * 30, "٣"])
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(FormulaError, match="no formula"):
        check(formula)


@pytest.mark.parametrize(("given", "memory", "apart"), [
    ("BFYX", (0, 3, 1, 2), (60, 12, 3, 1)),
    ("BYXF", (0, 1, 2, 3), (60, 1, 15, 5)),
    ("YXFB", (1, 2, 3, 0), (1, 2, 30, 10)),
    ("FYXB", (3, 1, 2, 0), (1, 24, 6, 2)),
])  # fmt: skip
def test_layouts(given: str, memory: tuple[int, ...], apart: tuple[int, ...]) -> None:
    shape = (2, 4, 3, 5)  # B, Y, X, F
    assert order(4, given) == memory
    arranged = tuple(shape[axis] for axis in memory)
    found = sizes(arranged, given, arranged=True)
    assert found == sizes(shape, given, arranged=False) == {"B": 2, "F": 5, "Y": 4, "X": 3}
    assert tuple(pitches(found, given)[axis] for axis in "BFYX") == apart


def test_what_lies_in_place_is_not_moved() -> None:
    assert not any(moves(shape, "BFYX") for shape in ((2, 4, 3, 1), (2, 1, 1, 5), (2, 5), (7,), ()))
    assert all(moves((2, 4, 3, 5), given) == (given != "BYXF") for given in FORMATS)
    assert moves((2, 5), "YXFB")


def test_macros_are_those_that_openvino_documents(tmp_path: Path) -> None:
    write_layers(tmp_path / "given")
    (described,) = read_layers(tmp_path / "given" / "leaky.xml")
    layer = layer_of(described, (f32, f32))
    x, y = (Tensor(name, name, f32, (2, 5, 4, 3)) for name in "xy")  # in the order BFYX
    attributes = {"arranged": True, "negative_slope": -0.1}
    node = NodeView("n", "leaky_layer", {"x": x, "y": y}, attributes)
    found = macros(layer, node, (3, 4, 10), ())
    assert found["NUM_INPUTS"] == "1"
    assert found["GLOBAL_WORKSIZE"] == "(size_t []){3, 4, 10}"
    assert (found["GLOBAL_WORKSIZE_SIZE"], found["LOCAL_WORKSIZE_SIZE"]) == ("3", "0")
    assert found["slope"] == "(-0x1.99999a0000000p-4f)"
    for tensor in ("INPUT0", "OUTPUT0"):
        assert found[f"{tensor}_TYPE"] == "float"
        assert f"{tensor}_FORMAT_BFYX" in found
        assert found[f"{tensor}_DIMS"] == "(int []){2, 5, 4, 3}"
        assert found[f"{tensor}_PITCHES"] == "(int []){60, 12, 3, 1}"
        assert found[f"{tensor}_OFFSET"] == "0"
        for part in ("LOWER_PADDING", "UPPER_PADDING"):
            assert found[f"{tensor}_{part}"] == "(int []){0, 0, 0, 0}"
        for part in ("DIMS", "PITCHES", "LOWER_PADDING", "UPPER_PADDING"):
            assert found[f"{tensor}_{part}_SIZE"] == "4"


def test_kernels_are_found_in_sources() -> None:
    for name, count in (("leaky", 2), ("places", 2), ("blend", 4)):
        text = FILES[f"{name}.cl"]
        assert (kernels(text), parameters(text, name)) == ([name], count)
    assert parameters("// __kernel void a(int x) {\n", "a") is None


Capture = pytest.CaptureFixture[str]
