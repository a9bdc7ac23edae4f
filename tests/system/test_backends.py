"""Backends from outside, by backends= and from an installed package: chosen, exact, followed."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.system.backend_project import BACKENDS, edited, project_of_sums
from tests.system.project import ROOT, Project

pytestmark = [pytest.mark.system, pytest.mark.slow]

MODEL = ("board=host", "model=sums.tflite")
TURBO = (*MODEL, "runtime=turbo")


def sums() -> bytes:
    """Model of a sum of equal scales, which the backend computes, and of a second sum."""
    m = ModelWriter()
    a, b = m.input("a", (40,), "int8", 0.05, -3), m.input("b", (40,), "int8", 0.05, 7)
    for name, scale in (("equal", 0.05), ("other", 0.08)):
        m.output(m.value("ADD", [a, b], m.tensor(name, (40,), "int8", scale, 4), version=2))
    return m.bytes()


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a model of sums, beside the backends, in which all tests build."""
    return project_of_sums(projects, sums())


@pytest.fixture
def turbo(project: Project) -> Iterator[Path]:
    """Folder of backend `turbo`, for a test to edit."""
    yield from edited(project, "turbo")


def nodes(project: Project, folder: str = "sums+*") -> list[dict[str, Any]]:
    """Nodes in the report of runtime `turbo`, from the folder whose name says backends=."""
    (report,) = project.root.glob(f"build/host-turbo/{folder}/report.json")
    found: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["nodes"]
    return found


def test_it_is_taken_where_its_runtime_provides_the_feature(project: Project) -> None:
    assert "bit-exact with LiteRT: yes" in project.build(*TURBO, BACKENDS, "run").text
    equal, other = nodes(project)
    assert equal["kernel"] == "sum"
    assert other["kernel"] != "sum"
    told = {each["kernel"]: each["refused"] for each in other["candidates"]}
    assert told["sum"] == "scales 0.05, 0.05 and 0.08 differ"
    project.build("ops/add", "board=host", "runtime=turbo", BACKENDS)


def test_edits_of_what_it_brings_are_followed(project: Project, turbo: Path) -> None:
    project.build(*TURBO, BACKENDS)
    assert "is up to date" in project.build(*TURBO, BACKENDS).text
    with (turbo / "limits.h").open("a", encoding="utf-8") as shared:
        shared.write("// edited\n")
    outcome = project.build(*TURBO, BACKENDS)
    assert outcome.ran("CC")
    assert not outcome.ran("CONVERT")
    file = turbo / "add.py"
    file.write_text(file.read_text().replace("per_element(3.0)", "per_element(99.0)"))
    assert project.build(*TURBO, BACKENDS).ran("CONVERT")
    assert [node["kernel"] for node in nodes(project)] == ["affine", "affine"]


def test_an_installed_one_is_found(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    site = project.root.parent / "site"
    info = site / "turbo_sums-1.0.dist-info"
    shutil.copytree(project.root.parent / "my_backends/turbo", site / "turbo_sums/turbo")
    (site / "turbo_sums" / "__init__.py").write_text("raise SystemExit('imported')\n")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: turbo-sums\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[opsmith.backends]\nmine = turbo_sums\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    project.build(*TURBO)
    assert nodes(project, "sums")[0]["kernel"] == "sum"
    shutil.rmtree(site / "turbo_sums" / "turbo")
    outcome = project.scons(*MODEL)
    assert outcome.status == 2
    assert (
        "BLD013: the installed package 'turbo-sums' says that 'turbo_sums' holds b" in outcome.text
    )


def test_without_it_nobody_knows_the_runtime(project: Project) -> None:
    outcome = project.scons(*TURBO)
    assert outcome.status == 2
    assert "error BLD031: unknown runtime 'turbo'" in outcome.text


@pytest.mark.parametrize(
    ("place", "told"),
    [("my_backends/turbo", "holds no folder with a runtime.toml"), ("nowhere", "does not exist")],
)
def test_a_folder_without_backends_is_reported(project: Project, place: str, told: str) -> None:
    outcome = project.scons(*MODEL, f"backends={project.root.parent / place}")
    assert outcome.status == 2
    assert "error BLD003" in outcome.text
    assert told in outcome.text


def test_a_kernel_that_is_not_as_declared_leads_to_its_registration(
    project: Project, turbo: Path
) -> None:
    header = turbo / "add.h"
    header.write_text(header.read_text().replace("const In<int8_t>& in", "const In<float>& in"))
    outcome = project.scons(*TURBO, BACKENDS)
    assert outcome.status == 2
    assert re.search(r"turbo/add\.py:19:\d+: error", outcome.text), outcome.text


def npu(folder: Path, tools: str, *core: str) -> Path:
    """Prefix with the library of backend `npu`, compiled for a core."""
    shutil.copytree(ROOT / "tests/data/npu/include", folder / "include")
    (folder / "lib").mkdir()
    source, made = ROOT / "tests/data/npu/npu.c", folder / "npu.o"
    flags = [*core, "-O2", f"-I{folder / 'include'}"]
    subprocess.run([f"{tools}gcc", *flags, "-c", source, "-o", made], check=True)
    subprocess.run([f"{tools}ar", "rcs", folder / "lib" / "libnpu.a", made], check=True)
    return folder


def test_programs_of_this_machine_call_a_library_of_it(project: Project) -> None:
    manifest = project.root.parent / "my_backends" / "npu" / "runtime.toml"
    before = manifest.read_text("utf-8")
    anywhere = before.replace('["thumb2"]', "[]").replace('["Tag_CPU_arch"]', "[]")
    manifest.write_text(anywhere, encoding="utf-8")
    prefix = npu(project.root.parent / "prefix-host", "")
    model = ("board=host", "model=sums.tflite", "runtime=npu", BACKENDS)
    said = project.build(*model, f"libraries=npu={prefix}", "run").text
    manifest.write_text(before, encoding="utf-8")
    assert "bit-exact with LiteRT: yes" in said
    (report,) = project.root.glob("build/host-npu*/sums+npu+*/report.json")
    assert json.loads(report.read_text("utf-8"))["nodes"][0]["kernel"] == "npu_add"


@pytest.mark.qemu
def test_a_vendor_s_library_is_called_where_its_prefix_is_named(project: Project) -> None:
    model = ("board=mps2_an385", "model=sums.tflite", "runtime=npu", BACKENDS)
    prefix = npu(project.root.parent / "prefix", "arm-none-eabi-", "-mcpu=cortex-m3", "-mthumb")
    assert (
        "bit-exact with LiteRT: yes" in project.build(*model, f"libraries=npu={prefix}", "run").text
    )
    (report,) = project.root.glob("build/mps2_an385-npu*/sums+npu+*/report.json")
    found = json.loads(report.read_text("utf-8"))
    assert found["libraries"] == {"npu": "1.2.3"}
    assert found["nodes"][0]["kernel"] == "npu_add"
    for arguments, told in (
        ((*model, "prefer=npu"), "BLD063: nothing says where The NPU's library is"),
        (
            (*model, "libraries=npx=/x"),
            "BLD063: no runtime calls a library 'npx' (did you mean 'npu'",
        ),
        (
            (*model[:2], BACKENDS, f"libraries=npu={prefix}"),
            "leave out libraries=npu=, or say runtime=npu",
        ),
        ((*model, "libraries=npu=/nowhere"), "BLD060: there is no /nowhere/include/npu.h"),
    ):
        outcome = project.scons(*arguments)
        assert outcome.status == 2
        assert told in outcome.text
