"""A kernel, a variant and a pass are added by what toolchain/README.md says, in a copy."""

import json
from pathlib import Path

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
HOST = ("board=host", "model=tiny.tflite")
HALVES = ("board=host", "model=halves.tflite")
KERNEL = '''"""A kernel like the reference, and cheaper."""

from dataclasses import replace
from functools import partial

from runtimes.core.per_channel import Tables
from runtimes.families.convolution import CONVOLUTION, pixel_overlap

from .params import Params

REFERENCE = CONVOLUTION.reference(Params, Tables, partial(pixel_overlap, block=16))
OWN = replace(REFERENCE, name="own", cost=lambda node: 1.0)
'''
VARIANT = '''"""Dequantize of int16, with a kernel of its own."""

from __future__ import annotations

from dataclasses import dataclass

from opsmith.op import Example, Variant, i16, reference


@dataclass(frozen=True)
class Params:
    """How many elements, and the scale of x."""

    elements: int
    x_scale: float


KERNEL = reference(Params)
I16 = Variant({"T": i16}, (KERNEL,), folder="i16", examples=(Example.of(x=(200,)),))
'''
KERNEL_OF_VARIANT = """// Dequantize of int16, the definition.
#pragma once

#include "dequantize.op.h"

namespace opsmith::dequantize::i16 {

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  const float scale = static_cast<float>(p.x_scale);
  for (int32_t i = 0; i < p.elements; ++i) out.y[i] = scale * static_cast<float>(in.x[i]);
}

}  // namespace opsmith::dequantize::i16
"""
PASS = '''"""Leave every node as it is."""

from opsmith.ir import Graph


def leave_alone(graph: Graph) -> Graph:
    """The graph."""
    return graph
'''
LAST = '        graph = done("remove_dead_nodes", remove_dead_nodes(graph), "legal")\n'


@pytest.fixture
def project(projects: Path) -> Project:
    """Project for one test to change."""
    return make_project(projects / "p", ops=("conv_2d", "dequantize"))


def kernels(project: Project, folder: str) -> set[str]:
    """Names of the kernels that compute the nodes of a model for the host."""
    path = project.root / "build" / "host-reference" / folder / "report.json"
    return {node["kernel"] for node in json.loads(path.read_text(encoding="utf-8"))["nodes"]}


def test_a_kernel_is_two_files(project: Project) -> None:
    folder = project.root / "ops" / "conv_2d" / "i8"
    (folder / "own.py").write_text(KERNEL, encoding="utf-8")
    definition = (folder / "reference.h").read_text(encoding="utf-8")
    (folder / "own.h").write_text(definition.replace("void reference(", "void own("), "utf-8")
    unlisted = project.scons(*HOST)
    assert unlisted.status == 2
    assert "error KRN015: no variant lists the kernel of i8/own.h" in unlisted.text
    project.append("ops/conv_2d/i8/own.py", "KERNELS = (OWN,)\n")
    assert "bit-exact with LiteRT: yes" in project.build(*HOST, "run").text
    assert kernels(project, "tiny") == {"own"}


def test_a_variant_is_a_value_of_its_op_and_a_pass_a_file_and_its_line(project: Project) -> None:
    without_variant(project)
    project.edit("ops/dequantize/op.py", "(u8,)}, KERNEL", "(u8, i16)}, KERNEL")
    line = '        graph = done("leave_alone", leave_alone(graph), "legal")\n'
    (project.root / "toolchain/opsmith/transform/leave_alone.py").write_text(PASS, "utf-8")
    pipeline = "toolchain/opsmith/pipeline.py"
    project.edit(pipeline, LAST, LAST + line)
    first = "from opsmith.transform.match_subgraphs import match_subgraphs\n"
    added = "from opsmith.transform.leave_alone import leave_alone\n"
    project.edit(pipeline, first, added + first)
    said = project.build(*HALVES, "run", "dump=dumped").text
    assert "bit-exact with LiteRT: yes" in said
    assert any("leave_alone" in path.name for path in Path(project.root, "dumped").iterdir())


def test_a_variant_with_kernels_of_its_own_is_a_folder_of_its_op(project: Project) -> None:
    without_variant(project)
    folder = project.root / "ops" / "dequantize" / "i16"
    folder.mkdir()
    (folder / "__init__.py").write_text(VARIANT, encoding="utf-8")
    (folder / "reference.h").write_text(KERNEL_OF_VARIANT, encoding="utf-8")
    unlisted = project.scons(*HALVES)
    assert unlisted.status == 2
    assert "error KRN015: no variant lists the kernel of i16/reference.h" in unlisted.text
    op = "ops/dequantize/op.py"
    last = "families.unary import unary\n"
    project.edit(op, last, f"{last}\nfrom .i16 import I16\n")
    project.edit(op, '*of_types({"T": (u8,)}', 'I16, *of_types({"T": (u8,)}')
    assert "bit-exact with LiteRT: yes" in project.build(*HALVES, "run").text
    (source,) = project.root.glob("build/host-reference/halves/nodes_dequantize.cc")
    assert "dequantize::i16::reference" in source.read_text(encoding="utf-8")


def without_variant(project: Project) -> None:
    """Take DEQUANTIZE of int16 away, which a model needs."""
    m = ModelWriter()
    x = m.input("x", (40,), "int16", 0.01, 0)
    m.output(m.value("DEQUANTIZE", [x], m.tensor("y", (40,), "float32"), version=3))
    (project.root / "halves.tflite").write_bytes(m.bytes())
    project.edit("ops/dequantize/op.py", "(u8, i16)}, KERNEL", "(u8,)}, KERNEL")
    refused = project.scons(*HALVES)
    assert "not supported: 'x' is int16; dequantize takes int8, uint8" in refused.text
