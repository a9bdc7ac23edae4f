"""A vendor's folder from outside, runtime.toml and one lookup.{py,h}, computes every table op."""

import json
from pathlib import Path

import pytest

from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover, load_op, op_folders
from opsmith.discover.strays import stray_problems
from opsmith.errors import ToolchainError, raise_all
from tests.copies import copied
from tests.system.backend_project import BACKENDS, SHIPPED
from tests.system.project import ROOT, make_project, tables

pytestmark = [pytest.mark.system, pytest.mark.slow]


def test_its_kernel_computes_them(projects: Path) -> None:
    copied(SHIPPED / "tables", projects / "my_backends" / "tables")
    project = make_project(projects / "p", ops=("tanh", "logistic"))
    (project.root / "tables.tflite").write_bytes(tables(40))
    build = ("board=host", "model=tables.tflite", "runtime=tables", BACKENDS)
    assert "bit-exact with LiteRT: yes" in project.build(*build, "run").text
    (report,) = project.root.glob("build/host-tables/*/report.json")
    nodes = json.loads(report.read_text("utf-8"))["nodes"]
    assert [each["kernel"] for each in nodes] == ["lut", "lut"]
    project.build("ops/tanh", "board=host", "runtime=tables", BACKENDS)
    header = project.root.parent / "my_backends/tables/lookup.h"
    header.write_text(header.read_text("utf-8") + "// edited\n", "utf-8")
    assert project.build(*build).ran("CC")


def test_every_table_has_it(pytestconfig: pytest.Config) -> None:
    """Every table has it: those of every fourth op, or of all with --examples=2."""
    each = 1 if pytestconfig.getoption("--examples") > 1 else 4
    backends, tables = backend_folders([SHIPPED]), 0
    for folder in [*op_folders([ROOT / "ops"])][::each]:
        for variant in load_op(folder, backends).op.variants:
            table = variant.kind is not None and variant.kind.name == "bytes"
            assert ("lut" in {kernel.name for kernel in variant.kernels}) == table, folder.name
            tables += table
    assert tables > 5


@pytest.mark.few(1)
@pytest.mark.parametrize(("old", "new", "code"), [
    ('KernelsFor("bytes"', 'KernelsFor("byte"', "KRN018"),
    ("function=function", 'function="", arguments=()', "KRN007"),
])  # fmt: skip
def test_its_mistakes_are_told(old: str, new: str, code: str, tmp_path: Path) -> None:
    backends = tmp_path / "backends"
    copied(SHIPPED / "tables", backends / "tables")
    copied(ROOT / "ops/tanh", tmp_path / "ops/tanh")
    file = backends / "tables" / "lookup.py"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ToolchainError, match=code):
        ops = discover([tmp_path / "ops"], [backends])
        raise_all(stray_problems([backends], ops.by_name, ops.__getitem__, families=True))
