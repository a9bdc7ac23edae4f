"""A kernel, a variant and a pass are added by what toolchain/README.md says, in a copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsmith.testing.tflite_writer import ModelWriter
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
HOST = ("board=host", "model=tiny.tflite")
KERNEL = '''"""A kernel like the reference, and cheaper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from opsmith.runtimes.core.per_channel import Tables
from opsmith.runtimes.families.convolution import CONVOLUTION, pixel_overlap

from .params import Params

REFERENCE = CONVOLUTION.reference(Params, Tables, partial(pixel_overlap, block=16))
OWN = replace(REFERENCE, name="own", cost=lambda node: 1.0)
'''
PASS = '''"""Leave every node as it is."""

from opsmith.ir import Graph


def leave_alone(graph: Graph) -> Graph:
    """The graph."""
    return graph
'''
LAST = '        graph = done("remove_dead_nodes", remove_dead_nodes(graph), "legal")\n'


@pytest.fixture
def project(projects: Path) -> Project:
    """A project for one test to change."""
    return make_project(projects / "p", ops=("conv_2d", "dequantize"))


def kernels(project: Project, folder: str) -> set[str]:
    """Those that compute the nodes of a model for the host."""
    path = project.root / "build" / "host-reference" / folder / "report.json"
    return {node["kernel"] for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]}


def test_a_kernel_is_two_files_and_a_place_in_the_list(project: Project) -> None:
    folder = project.root / "ops" / "conv_2d" / "i8"
    (folder / "own.py").write_text(KERNEL, encoding="utf-8")
    definition = (folder / "reference.h").read_text(encoding="utf-8")
    (folder / "own.h").write_text(definition.replace("void reference(", "void own("), "utf-8")
    unlisted = project.scons(*HOST)
    assert unlisted.status == 2
    assert "error KRN015: no variant lists the kernel of i8/own.h" in unlisted.text
    variant = "ops/conv_2d/i8/__init__.py"
    project.edit(variant, "from .mve import MVE\n", "from .mve import MVE\nfrom .own import OWN\n")
    project.edit(variant, "        MVE,\n", "        OWN,\n        MVE,\n")
    assert "bit-exact with LiteRT: yes" in project.build(*HOST, "run").text
    assert kernels(project, "tiny") == {"own"}


def test_a_variant_is_a_value_of_its_op_and_a_pass_a_file_and_its_line(project: Project) -> None:
    m = ModelWriter()
    x, y = m.input("x", (40,), "int16", 0.01, 0), m.tensor("y", (40,), "float32")
    m.node("DEQUANTIZE", [x], [y], version=3)
    m.output(y)
    (project.root / "halves.tflite").write_bytes(m.bytes())
    project.edit("ops/dequantize/op.py", "of_type, (i8, u8, i16))", "of_type, (i8, u8))")
    refused = project.scons("board=host", "model=halves.tflite")
    assert "not supported: 'x' is int16; dequantize takes int8, uint8" in refused.text
    project.edit("ops/dequantize/op.py", "of_type, (i8, u8))", "of_type, (i8, u8, i16))")
    line = '        graph = done("leave_alone", leave_alone(graph), "legal")\n'
    (project.root / "toolchain/opsmith/transform/leave_alone.py").write_text(PASS, "utf-8")
    pipeline = "toolchain/opsmith/pipeline.py"
    project.edit(pipeline, LAST, LAST + line)
    first = "from opsmith.transform.match_subgraphs import match_subgraphs\n"
    added = "from opsmith.transform.leave_alone import leave_alone\n"
    project.edit(pipeline, first, added + first)
    said = project.build("board=host", "model=halves.tflite", "run", "dump=dumped").text
    assert "bit-exact with LiteRT: yes" in said
    assert any("leave_alone" in path.name for path in Path(project.root, "dumped").iterdir())
