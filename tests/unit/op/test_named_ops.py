"""Tests that references of an op to others hold for models without these; `check` and builds
agree.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from opsmith.testing.op_cases import check_coverage, programs_on_host
from opsmith.testing.op_walks import programs_of_walks
from opsmith.tflite.cases import Case
from opsmith.tflite.writer import ModelWriter
from tests.unit.op import rogues
from tests.unit.op.folders import write
from tests.unit.op.test_check_and_build import Commands

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow]
OWN = 'legalize=(Rename("tflite.CUSTOM.Twice"),),'
# Another op's sources, taken before it and after it, and a subgraph that ends in it.
NAMING = """legalize=(
        Rename("tflite.CUSTOM.Twice"),
        Rename("tflite.CUSTOM.First", overrides="other", reason="a test"),
        Rename("tflite.CUSTOM.Last", extends="other"),
    ),
    match=Match("other", lambda node, graph: None),"""
OTHER = """legalize=(
        Rename("tflite.CUSTOM.Other"),
        Rename("tflite.CUSTOM.First"),
        Rename("tflite.CUSTOM.Last"),
    ),"""
# A composite of one node, which may be a composite, too.
PARTS = """
def into(node, builder):
    builder.node("{}", [node["x"]], [node["y"]])

OP = Op("""
KERNEL = r"REFERENCE = Kernel\(.*\n"
KERNELS = 'variants=(Variant({"T": i8}, kernels=(REFERENCE,)),),'
COMPOSITE = 'variants=(Variant({"T": i8}),),\n    decompose=Decompose(into),'


def other(name: str, text: str = rogues.TWICE) -> str:
    """Registration of the good op under a second name and source."""
    text = text.replace('name="twice"', f'name="{name}"')
    return text.replace("CUSTOM.Twice", f"CUSTOM.{name.title()}")


def without_kernel(variants: str, text: str = rogues.TWICE) -> str:
    """Registration of the good op without its kernel, with the given variants."""
    assert re.search(KERNEL, text)
    return re.sub(KERNEL, "", text).replace(KERNELS, variants)


def made_of(part: str, text: str = rogues.TWICE) -> str:
    """Registration of the good op without a kernel, made of a node of the given op."""
    return without_kernel(COMPOSITE, text.replace("OP = Op(", PARTS.format(part)[1:]))


def write_other(root: Path, name: str, text: str) -> Path:
    """Write the folder of an op of the given name."""
    folder = write(root, name, text)
    header = folder / "reference.h"
    if "decompose=" in text:
        header.unlink()
    else:
        header.write_text(header.read_text().replace("twice", name))
    return folder


def twice(m: ModelWriter) -> None:
    """Model of a Twice whose tensors have equal scales."""
    x = m.input("x", (40,), "int8", 0.5)
    m.output(m.value("CUSTOM", [x], m.tensor("y", (40,), "int8", 0.5), custom="Twice"))


def agree(commands: Commands, root: Path, codes: set[str]) -> None:
    """Require that `check` of the folders and a build of a model of one Twice give the same, given
    codes.
    """
    assert commands.codes("check", str(root)) == codes
    assert commands.built(root / "twice", root) == codes


def test_a_model_without_the_op_that_another_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert OWN in rogues.TWICE
    root, commands = tmp_path / "ops", Commands(tmp_path, capsys)
    write(root, text=rogues.TWICE.replace(OWN, NAMING))
    write_other(
        root, "other", other("other").replace('legalize=(Rename("tflite.CUSTOM.Other"),),', OTHER)
    )
    agree(commands, root, set())
    assert [*json.loads((tmp_path / "out" / "used_ops.json").read_text())] == ["twice"]
    shutil.rmtree(root / "other")
    for said in (commands.codes("check", str(root)), commands.built(root / "twice", root)):
        assert said == {"OPS006", "OPS008"}


def test_composites_need_no_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, commands = tmp_path / "ops", Commands(tmp_path, capsys)
    write_other(root, "twice", made_of("middle"))
    write_other(root, "middle", other("middle", made_of("last")))
    write_other(root, "last", other("last"))
    agree(commands, root, set())
    ops = json.loads((tmp_path / "out" / "model.json").read_text())["ops"]
    assert [*ops] == ["last"]


@pytest.mark.parametrize("part", ["lust", "add"])  # unknown, or with other operands
def test_a_composite_of_what_cannot_be(
    part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, commands = tmp_path / "ops", Commands(tmp_path, capsys)
    write_other(root, "twice", made_of(part))
    agree(commands, root, {"KRN037"})


def test_only_composites_need_no_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, commands = tmp_path / "ops", Commands(tmp_path, capsys)
    write(root, text=without_kernel('variants=(Variant({"T": i8}),),'))
    (root / "twice" / "reference.h").unlink()
    agree(commands, root, {"KRN002"})


def test_an_op_that_names_a_broken_one_is_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, commands = tmp_path / "ops", Commands(tmp_path, capsys)
    write(root, text=rogues.TWICE.replace(OWN, NAMING))
    write_other(root, "other", "import no_such_module")
    agree(commands, root, {"OPS002"})


def test_tests_of_composites_are_of_their_parts(tmp_path: Path) -> None:
    folder = write_other(tmp_path, "twice", made_of("abs"))
    cases = (Case("one", twice),)
    check_coverage(folder, cases)
    programs = programs_on_host(folder, cases)
    assert not [each for each in programs if "not decomposed" in each.way]
    graphs = [each.program.graph for each in programs]
    graphs += [program.graph for program, _ in programs_of_walks(folder, cases)]
    assert {node.op for graph in graphs for node in graph.nodes} == {"abs"}
