"""Backends from outside, by backends= and from an installed package: chosen, exact, followed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.system.project import ROOT, Project, make_project
from toolchain.testing.tflite_writer import ModelWriter

pytestmark = [pytest.mark.system, pytest.mark.slow]

MODEL = ("board=host", "model=sums.tflite")
TURBO = (*MODEL, "runtime=turbo")


def sums() -> bytes:
    """A sum of equal scales, which the backend computes, and another."""
    m = ModelWriter()
    a, b = m.input("a", (40,), "int8", 0.05, -3), m.input("b", (40,), "int8", 0.05, 7)
    for name, scale in (("equal", 0.05), ("other", 0.08)):
        y = m.tensor(name, (40,), "int8", scale, 4)
        m.node("ADD", [a, b], [y], version=2)
        m.output(y)
    return m.bytes()


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a model of sums."""
    project = make_project(tmp_path_factory.mktemp("backends") / "p")
    (project.root / "sums.tflite").write_bytes(sums())
    return project


@pytest.fixture
def project(pristine: Project, tmp_path: Path) -> Project:
    """One for a test of its own, with the backend beside it in `my_backends`."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tests/data/my_backends", tmp_path / "my_backends", ignore=ignored)
    return pristine.copy(tmp_path / "p")


def nodes(project: Project) -> list[dict[str, Any]]:
    """The nodes that the only report of runtime `turbo` tells of."""
    (report,) = (project.root / "build" / "host-turbo").glob("*/report.json")
    found: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["nodes"]
    return found


def test_it_is_taken_where_its_runtime_provides_the_feature(project: Project) -> None:
    outside = f"backends={project.root.parent / 'my_backends'}"
    assert "bit-exact with LiteRT: yes" in project.build(*TURBO, outside, "run").text
    equal, other = nodes(project)
    assert equal["kernel"] == "sum"
    assert other["kernel"] != "sum"
    told = {each["kernel"]: each["refused"] for each in other["candidates"]}
    assert told["sum"] == "scales 0.05, 0.05 and 0.08 differ"
    project.build("ops/add", "board=host", "runtime=turbo", outside)


def test_edits_of_what_it_brings_are_followed(project: Project) -> None:
    backend = project.root.parent / "my_backends" / "turbo"
    outside = f"backends={backend.parent}"
    project.build(*TURBO, outside)
    assert "is up to date" in project.build(*TURBO, outside).text
    with (backend / "limits.h").open("a", encoding="utf-8") as shared:
        shared.write("// edited\n")
    outcome = project.build(*TURBO, outside)
    assert outcome.ran("CC")
    assert not outcome.ran("CONVERT")
    file = backend / "add.py"
    file.write_text(file.read_text().replace("per_element(3.0)", "per_element(99.0)"))
    assert project.build(*TURBO, outside).ran("CONVERT")
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
    assert nodes(project)[0]["kernel"] == "sum"
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
    [
        ("my_backends/turbo", "holds no folder with a runtime.toml"),
        ("nowhere", "does not exist"),
    ],
)
def test_a_folder_without_backends_is_told(project: Project, place: str, told: str) -> None:
    outcome = project.scons(*MODEL, f"backends={project.root.parent / place}")
    assert outcome.status == 2
    assert "error BLD003" in outcome.text
    assert told in outcome.text


def test_a_kernel_that_is_not_as_declared_leads_to_its_registration(project: Project) -> None:
    backend = project.root.parent / "my_backends" / "turbo"
    header = backend / "add.h"
    header.write_text(header.read_text().replace("const In<int8_t>& in", "const In<float>& in"))
    outcome = project.scons(*TURBO, f"backends={backend.parent}")
    assert outcome.status == 2
    assert re.search(r"turbo/add\.py:23:\d+: error", outcome.text), outcome.text


def npu(folder: Path) -> Path:
    """A prefix with the library of backend `npu`, compiled for a Cortex-M3."""
    shutil.copytree(ROOT / "tests/data/npu/include", folder / "include")
    (folder / "lib").mkdir()
    source, made = ROOT / "tests/data/npu/npu.c", folder / "npu.o"
    flags = ["-mcpu=cortex-m3", "-mthumb", "-O2", f"-I{folder / 'include'}"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "-c", source, "-o", made], check=True)
    subprocess.run(["arm-none-eabi-ar", "rcs", folder / "lib" / "libnpu.a", made], check=True)
    return folder


@pytest.mark.qemu
def test_a_vendor_s_library_is_called_where_its_prefix_is_named(project: Project) -> None:
    outside = f"backends={project.root.parent / 'my_backends'}"
    model = ("board=mps2_an385", "model=sums.tflite", "runtime=npu", outside)
    prefix = npu(project.root.parent / "prefix")
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
            (*model[:2], outside, f"libraries=npu={prefix}"),
            "leave out libraries=npu=, or say runtime=npu",
        ),
        ((*model, "libraries=npu=/nowhere"), "BLD060: there is no /nowhere/include/npu.h"),
    ):
        outcome = project.scons(*arguments)
        assert outcome.status == 2
        assert told in outcome.text
