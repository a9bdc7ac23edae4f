"""`opsmith import-layer`: what it reads, and what it refuses, by name and with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtimes.gpu.openvino import xml
from runtimes.gpu.openvino.formats import FORMATS, moves, order, pitches, sizes
from runtimes.gpu.openvino.formulas import FormulaError, check, value
from runtimes.gpu.openvino.macros import macros
from runtimes.gpu.openvino.read import read_layers
from runtimes.gpu.openvino.source import kernels, parameters
from runtimes.gpu.openvino.translate import layer_of
from tests.gpu.custom_layers import BY_PITCHES, FILES, LEAKY, write_layers
from toolchain.cli import main
from toolchain.errors import ToolchainError
from toolchain.op import NodeView, Tensor, f32

# text of the layer, what replaces it, code, line, what is said
MISTAKES: list[tuple[str, str, str, int, str]] = [
    ("</CustomLayer>", "", "OPS080", 15, "it is no XML: mismatched tag"),
    ('version="1.0"?>', 'version="1.0"?><!DOCTYPE a>', "OPS080", 1, "it has a DOCTYPE"),
    (
        'version="1.0"?>',
        'version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "/etc/passwd">]>',
        "OPS080",
        1,
        "it has a DOCTYPE, which could define entities",
    ),
    ('name="slope"', 'name="&slope;"', "OPS080", 6, "it is no XML: undefined entity"),
    ('version="1.0"?>', 'version="1.0" encoding="utf-16"?>', "OPS080", 1, "'utf-16', not UTF-8"),
    ("<Buffers>", "<?php?><Buffers>", "OPS080", 8, "it has an instruction <?php"),
    ("<Buffers>", "text<Buffers>", "OPS080", 8, "there is text between elements: 'text'"),
    ("CustomLayer", "CustomLayers", "OPS081", 3, "'CustomLayers' is no CustomLayer"),
    ("<WorkSizes", "<WorkSize", "OPS081", 13, "'WorkSize', which is not known (did you mean"),
    ("<CompilerOptions", "<WorkSizes/><CompilerOptions", "OPS081", 3, "2 of WorkSizes"),
    ("<Source filename", "<Define name", "OPS081", 4, "Kernel has no Source"),
    ("<Source", "<Source/><Source", "OPS082", 5, "Source has no filename="),
    (
        'entry="leaky"',
        'entry="leaky" inlined="1"',
        "OPS082",
        4,
        "attribute 'inlined', which is not",
    ),
    ('type="SimpleGPU"', 'type="MVCL"', "OPS082", 3, "type= of CustomLayer is 'MVCL'"),
    ('version="1">', 'version="2">', "OPS082", 3, "version= of CustomLayer is '2'"),
    ('"LeakyLayer"', '"Leaky Layer"', "OPS082", 3, "name= of CustomLayer is 'Leaky Layer'"),
    ('name="slope"', 'name="2slope"', "OPS082", 6, "name= of Define is '2slope'"),
    ('name="slope"', 'name="S(x)"', "OPS082", 6, "name= of Define is 'S(x)'"),
    ('name="slope"', 'name="In"', "OPS082", 6, "name= of Define is 'In', which means something"),
    ('name="slope"', 'name="x"', "OPS082", 6, "name= of Define is 'x', which means something"),
    ('name="slope"', 'name="slope 5 \\"', "OPS082", 6, "name= of Define is 'slope 5"),
    ('name="slope"', 'name="INPUT0_DIMS"', "OPS082", 6, "which means something else"),
    ('default="0.0"', 'default="0.0&#10;#include"', "OPS082", 6, "name= of Define is 'slope'"),
    ('type="float"', 'type="half"', "OPS082", 6, "type= of Define is 'half'"),
    ('type="float"', 'type="int"', "OPS082", 6, "default= of Define is '0.0'"),
    ('type="float" ', "", "", 0, ""),  # the default tells
    ('type="float" param', "param", "", 0, ""),
    ('type="float"', 'type=""', "", 0, ""),
    (
        'type="float" param="negative_slope" default="0.0"',
        'param="negative_slope"',
        "OPS082",
        6,
        "nothing says of which type param='negative_slope' is",
    ),
    ('param="negative_slope"', 'param="arranged"', "OPS082", 6, "param= of Define is 'arranged'"),
    ('arg-index="1"', 'arg-index="0"', "OPS082", 8, "arg-index= has 0, 0"),
    ('arg-index="1"', 'arg-index="-1"', "OPS082", 10, "arg-index= of Tensor is '-1'"),
    ('port-index="0" format', 'port-index="x" format', "OPS082", 9, "port-index= of Tensor is 'x'"),
    (
        'type="output" port-index="0"',
        'type="output" port-index="1"',
        "OPS082",
        10,
        "the output has",
    ),
    ('type="output"', 'type="input"', "OPS082", 8, "no Tensor is the output"),
    ('type="input"', 'type="both"', "OPS082", 9, "type= of Tensor is 'both'"),
    ('format="BFYX"', 'format="FS_BFYX"', "OPS082", 9, "format= is 'FS_BFYX'"),
    ('"X,Y,B*F"', '"X,Y,B,F"', "OPS082", 13, "global= has 4 sizes"),
    ('"X,Y,B*F"', '"X,Y,B^F"', "OPS082", 13, "'B^F' is no formula"),
    ('"X,Y,B*F"', '"X,Y,B*F" local="4"', "OPS082", 13, "local= has 1 sizes, and global= has 3"),
    ('"X,Y,B*F"', '"X,Y,B*F" local="7,1,1"', "OPS082", 0, "WorkSizes fit no example"),
    ('"X,Y,B*F"', '"X,Y,B*F-1000000"', "OPS082", 0, "not a positive size"),
    ('"X,Y,B*F"', '"X,Y,B*F/(X-X)"', "OPS082", 0, "divides by zero"),
    ('"X,Y,B*F"', '"X,Y,B*F" dim="input,3"', "OPS082", 13, "dim= is 'input,3'"),
    ('"X,Y,B*F"', '"X,Y,B*F" dim="in"', "OPS082", 13, "dim= is 'in'"),
    ("-cl-mad-enable", "-cl-fast-relaxed-math", "", 0, ""),
    ("-cl-mad-enable", "-cl-single-precision-constant", "OPS084", 12, "precision-constant' is not"),
    ("-cl-mad-enable", "-I /usr/include", "OPS084", 12, "'-I' is not honoured"),
    ("-cl-mad-enable", "-cl-std=CL2.0", "OPS084", 12, "'-cl-std=CL2.0' is not honoured"),
    ("-cl-mad-enable", "-Dslope=1", "OPS084", 12, "'-Dslope=1' defines no macro of its own"),
    ("-cl-mad-enable", "-DOut=1", "OPS084", 12, "'-DOut=1' defines no macro of its own"),
    ('"leaky.cl"', '"nowhere.cl"', "OPS083", 5, "cannot be read: No such file"),
    ('"leaky.cl"', '"../secret.cl"', "OPS083", 5, "'../secret.cl' is no name of a file beside"),
    ('"leaky.cl"', '"/etc/passwd"', "OPS083", 5, "'/etc/passwd' is no name of a file beside"),
    ('"leaky.cl"', '"link.cl"', "OPS083", 5, "'link.cl' lies in another folder"),
    ('"leaky.cl"', '"gpu.cl"', "OPS083", 5, "has the name of a file that is written"),
    ("<Source", '<Source filename="leaky.cl"/><Source', "OPS083", 5, "is named twice"),
    ('entry="leaky"', 'entry="leeky"', "OPS083", 4, "no source has a kernel 'leeky' (did you mean"),
]
# likewise of the kernel
IN_SOURCE = [
    ("int unused = 0;", "__local float shared[64];", "it declares memory of a group in the kernel"),
    ("int unused = 0;", "local int count;", "it declares memory of a group in the kernel"),
    ("// A work-item", '#include "other.cl"\n// A', 'it includes "other.cl"'),
    ("__kernel", "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel", "reqd_work_group_size"),
    ("const __global INPUT0_TYPE* given", "read_only image2d_t given", "it says image2d_t"),
    (
        "OUTPUT0_TYPE* made)",
        "OUTPUT0_TYPE* made, int more)",
        "takes 3 arguments, and Buffers gives",
    ),
]


def imported(folder: Path, layer: str, kernel: str = BY_PITCHES) -> Path:
    """Where the op is, of these texts in the folder. Raises as the command does."""
    (folder / "secret.cl").write_text("secret", encoding="utf-8")
    given = folder / "given"
    given.mkdir()
    (given / "layer.xml").write_text(layer, encoding="utf-8")
    (given / "leaky.cl").write_text(kernel, encoding="utf-8")
    (given / "gpu.cl").write_text(kernel, encoding="utf-8")
    (given / "link.cl").symlink_to(folder / "secret.cl")
    into = folder / "ops"
    status = main(["import-layer", str(given / "layer.xml"), "--into", str(into)])
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


def test_a_flood_is_refused() -> None:
    many = "<a/>" * (xml.MOST_ELEMENTS + 1)
    deep = "<a>" * (xml.MOST_DEPTH + 2)
    for text in (many, deep):
        with pytest.raises(xml.XmlError, match="more than"):
            xml.elements(text)
    with pytest.raises(xml.XmlError, match="no XML"):
        xml.elements("</file><file>")


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    path.write_bytes(b" " * (xml.MOST_BYTES + 1))
    with pytest.raises(ToolchainError, match="it has more than"):
        read_layers(path)


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("B*F*Y*X", 2 * 3 * 5 * 7),
        ("x + y*2 - (f+1)", 7 + 10 - 4),
        ("(X+3)/4%2", 10 // 4 % 2 or 2),
        ("(3-X)/2+10", -4 // 2 + 10),  # truncates: -4 / 2
        ("(2-X)/2+10", -2 + 10),  # -5 / 2 is -2 in C
        ("(2-X)%2+10", -1 + 10),
        ("65535", 65535),
    ],
)
def test_formulas_are_computed_as_in_c(formula: str, result: int) -> None:
    found = {"B": 2, "F": 3, "Y": 5, "X": 7}
    if formula == "(X+3)/4%2":  # 2 % 2
        with pytest.raises(FormulaError, match="is 0 here"):
            value(formula, found)
        return
    assert value(formula, found) == result


@pytest.mark.parametrize("formula", ["", "B+", "(B", "B)", "B F", "W", "2**3", "+B", "(" * 30, "é"])
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(FormulaError, match="no formula"):
        check(formula)


@pytest.mark.parametrize(
    ("given", "memory", "apart"),
    [
        ("BFYX", (0, 3, 1, 2), (60, 12, 3, 1)),
        ("BYXF", (0, 1, 2, 3), (60, 1, 15, 5)),
        ("YXFB", (1, 2, 3, 0), (1, 2, 30, 10)),
        ("FYXB", (3, 1, 2, 0), (1, 24, 6, 2)),
    ],
)
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
