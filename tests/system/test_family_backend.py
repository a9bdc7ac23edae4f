"""A vendor's folder from outside, runtime.toml and one lookup.{py,h}, computes every table op."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import load_op, op_folders
from opsmith.tflite.writer import ModelWriter
from tests.copies import copied
from tests.system.backend_project import BACKENDS, SHIPPED
from tests.system.project import ROOT, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]


def tables() -> bytes:
    """Two ops that are tables, one after the other."""
    m = ModelWriter()
    x = m.input("x", (40,), "int8", 0.05, -3)
    y = m.tensor("y", (40,), "int8", 1 / 128, 0)
    z = m.tensor("z", (40,), "int8", 1 / 256, -128)
    m.node("TANH", [x], [y], version=2)
    m.node("LOGISTIC", [y], [z], version=2)
    m.output(z)
    return m.bytes()


def test_its_kernel_computes_them(projects: Path) -> None:
    copied(SHIPPED / "tables", projects / "my_backends" / "tables")
    project = make_project(projects / "p", ops=("tanh", "logistic"))
    (project.root / "tables.tflite").write_bytes(tables())
    build = ("board=host", "model=tables.tflite", "runtime=tables", BACKENDS)
    assert "bit-exact with LiteRT: yes" in project.build(*build, "run").text
    (report,) = project.root.glob("build/host-tables/*/report.json")
    nodes = json.loads(report.read_text("utf-8"))["nodes"]
    assert [each["kernel"] for each in nodes] == ["lut", "lut"]
    project.build("ops/tanh", "board=host", "runtime=tables", BACKENDS)
    header = project.root.parent / "my_backends/tables/lookup.h"
    header.write_text(header.read_text("utf-8") + "// edited\n", "utf-8")
    assert project.build(*build).ran("CC")


def test_every_table_has_it() -> None:
    backends = backend_folders([SHIPPED])
    for folder in op_folders([ROOT / "ops"]):
        for variant in load_op(folder, backends).op.variants:
            table = variant.kind is not None and variant.kind.name == "bytes"
            assert ("lut" in {each.name for each in variant.kernels}) == table, folder.name
