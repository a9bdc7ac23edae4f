"""`opsmith verify-build`, `verify`, `record` and `where`: a firmware, its record and its place."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import cyclonedx.schema
import fastjsonschema
import pytest
from spdx_python_model import load_data

from opsmith.commands import record, verify, where
from opsmith.errors import ToolchainError
from opsmith.report.build_info import BUILD_INFO, NOTE, record_of
from opsmith.report.elf import read_sections
from opsmith.report.energy import ESTIMATE, measured
from opsmith.rig import verify_build
from tests.commands import said
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

FOLDER = "build/mps2_an386-cmsis/tiny"
SOURCE = "runtimes/core/arithmetic.h"


@pytest.fixture(scope="module")
def built(projects: Path) -> Project:
    """Project with firmware for an Arm board."""
    project = make_project(projects / "p", ops=("add", "conv_2d"), bare=True)
    project.build("board=mps2_an386", "model=tiny.tflite", "debug=1")
    return project


def test_a_build_in_another_place_is_equal(
    built: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    user = ["--user=nobody"] if may_build("nobody") else []
    assert verify_build.main([str(built.root / FOLDER), "--json", "--ninja", *user]) == 0
    products: dict[str, list[str]] = {f"firmware.{e}": [] for e in ("bin", "elf", "hex", "map")}
    assert json.loads(capfd.readouterr().out) == {
        "equal": True, "products": products, "inputs": []
    }  # fmt: skip


def may_build(name: str) -> bool:
    """Whether tests may run as this user, who may read the environment and temporary files."""
    if os.geteuid():
        return False
    code = "import os, sys, opsmith.scons.build, SCons.Script; os.listdir(sys.argv[1])"
    command = [sys.executable, "-c", code, tempfile.gettempdir()]
    try:
        done = subprocess.run(command, user=name, group=os.getegid(), extra_groups=[], check=False)
    except PermissionError:
        return False
    return done.returncode == 0


def test_a_user_who_is_not_there_is_an_error(built: Project) -> None:
    with pytest.raises(ToolchainError, match="BLD113.*no user has this name"):
        verify_build.main([str(built.root / FOLDER), "--user=no such user"])


def test_other_inputs_are_told_with_the_sections_that_differ(
    built: Project,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    diffoscope = tmp_path / "diffoscope"
    diffoscope.write_text('#!/bin/sh\necho "of $2"\n', encoding="utf-8")
    diffoscope.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    project = built.lent()
    project.append(SOURCE, "\n")
    compiler = tmp_path / "arm-none-eabi-g++"
    compiler.write_text(f'#!/bin/sh\nexec {shutil.which(compiler.name)} "$@"\n')
    compiler.chmod(0o755)
    assert verify_build.main([str(project.root / FOLDER)]) == 1
    text = capfd.readouterr().out
    told = f"  section .note.opsmith\n  of {project.root / FOLDER / 'firmware.elf'}\n"
    assert f"firmware.elf: DIFFERS\n{told}" in text, "its record names the line"
    assert text.count("DIFFERS") == 1, "an empty line changes no code"
    digests = r"[0-9a-f]{64}, now [0-9a-f]{64}"
    compilers = rf"  toolchain sha256: {digests}\n  toolchain files g\+\+: {digests}\n"
    inputs = rf"^inputs .* differ:\n  sources {SOURCE}: {digests}\n{compilers}\Z"
    assert re.search(inputs, text, re.MULTILINE), text


def test_each_section_that_differs_is_named(
    built: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # without diffoscope
    before = built.root / FOLDER
    after = Path(shutil.copytree(before, tmp_path / "after"))
    (code,) = (each for each in read_sections(after / "firmware.elf") if each.name == ".text")
    for name, at in (("firmware.elf", code.offset), ("firmware.bin", 0)):
        data = bytearray((after / name).read_bytes())
        data[at] ^= 1
        (after / name).write_bytes(data)
    (after / "firmware.hex").unlink()
    assert dict(verify_build._compared(before, after)) == {
        "firmware.bin": ["other bytes"],
        "firmware.elf": ["section .text"],
        "firmware.hex": ["the copy has none"],
        "firmware.map": [],
    }


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [(None, "does not say by which variables"), ({"--file": "x"}, "does not say by which")],
)
def test_a_report_that_says_nothing_of_use_is_an_error(
    built: Project, variables: dict[str, str] | None, sentence: str
) -> None:
    project = built.lent()
    path = project.root / FOLDER / "firmware.buildinfo.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"variables": variables}))
    with pytest.raises(ToolchainError, match=f"BLD113.*{sentence}"):
        verify_build.main([str(path.parent)])


def test_the_elf_file_names_its_record(built: Project, capfd: pytest.CaptureFixture[str]) -> None:
    project = built.lent()
    elf = project.root / FOLDER / "firmware.elf"
    place = elf.with_name(BUILD_INFO)
    info = json.loads(place.read_text())
    assert verify.main([str(elf), "--json"]) == 0
    files = dict.fromkeys(sorted(info["products"]), "equal")
    found = {"record": info["record"], "whole": True, "files": files}
    assert json.loads(capfd.readouterr().out) == found
    assert SOURCE in info["inputs"]["sources"]
    kinds = ("models", "ops", "sources", "board", "opsmith", "toolchain", "headers", "flags")
    assert all(info["inputs"][kind] for kind in kinds)
    assert str(project.root) not in json.dumps(info["inputs"])
    assert not [each for each in read_sections(elf) if each.name == NOTE], "no board stores it"
    elf.with_suffix(".bin").write_bytes(b"")
    elf.with_suffix(".hex").unlink()
    assert verify.main([str(elf)]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == f"record {info['record']}"
    assert {"firmware.bin: DIFFERS", "firmware.hex: absent", "firmware.elf: equal"} < {*lines}
    place.write_text(json.dumps(info | {"products": {"../x": "0" * 64}}))
    with pytest.raises(ToolchainError, match="BLD118.*begin with firmware"):
        verify.main([str(elf)])
    info["inputs"]["models"]["tiny.tflite"] = "0" * 64
    place.write_text(json.dumps(info))
    with pytest.raises(ToolchainError, match="BLD118.*inputs were edited"):
        verify.main([str(elf)])
    place.write_text(json.dumps(info | {"record": record_of(info["inputs"])}))
    with pytest.raises(ToolchainError, match="BLD118.*of another firmware"):
        verify.main([str(elf)])
    place.unlink()
    capfd.readouterr()
    with pytest.raises(ToolchainError, match=rf"BLD118: there is no {BUILD_INFO}") as missing:
        verify.main([str(elf)])
    assert capfd.readouterr().out == f"{lines[0]}\n"
    assert f"belongs to {lines[0]}: name that file by --record=" in missing.value.problems[0].fix
    with pytest.raises(ToolchainError, match="BLD118.*no ELF file"):
        verify.main([str(elf.with_suffix(".map"))])


def test_a_record_fits_the_schemas_and_depends_on_no_hash(
    built: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built.lent().root / FOLDER
    data = {"set": "sets/digits", "of": 9, "samples": 8, "exact": 8, "accuracy": 0.875, "auc": None}
    digest = json.loads((folder / BUILD_INFO).read_text())["firmware"]
    run = {"firmware": {"digest": digest}, "data": data}
    (folder / "run.json").write_text(json.dumps(run))
    profile = {"firmwares": [digest], "target": "a board", "energy": asdict(measured("M", [2, 4]))}
    (folder / "profile.json").write_text(json.dumps(profile))
    assert record.main([str(folder)]) == 0
    names = [Path(line).name for line in capfd.readouterr().out.splitlines()]
    first = {name: (folder / name).read_text() for name in names}
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    said([sys.executable, "-m", "opsmith", "record", str(folder)], cwd=folder)
    assert {name: (folder / name).read_text() for name in names} == first
    assert not [name for name in names if str(folder) in first[name]], "no place is named"

    statement = json.loads(first["firmware.intoto.json"])
    info = json.loads((folder / BUILD_INFO).read_text())
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    assert subjects == info["products"]
    kinds = {
        each["annotations"]["kind"]
        for each in statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    }
    assert kinds == {"models", "ops", "sources", "board", "headers", "opsmith", "toolchain"}

    bill = json.loads(first["firmware.cdx.json"])
    validate_bill(bill)
    (card,) = [each["modelCard"] for each in bill["components"] if "modelCard" in each]
    metrics = card["quantitativeAnalysis"]["performanceMetrics"]
    shown = {"type": "accuracy", "value": "0.875", "slice": "digits, 8 of 9 samples"}
    assert metrics[0] == shown
    assert (metrics[-1]["type"], metrics[-1]["value"]) == ("energy of one inference", "3.0 µJ")
    assert any(each["name"].endswith(":scale") for each in card["properties"])
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate_bill(bill | {"components": [{"type": "model"}]})

    _, objects = load_data(json.loads(first["firmware.spdx.json"]))
    assert not objects.missing_ids
    (model,) = objects.foreach_type("ai_AIPackage")
    (build,) = objects.foreach_type("build_Build")
    assert (model.name, build.build_buildId) == ("tiny.tflite", info["record"])
    assert "Apache License" in first["firmware.notices.txt"]

    run["firmware"] = {"digest": "0" * 64}  # of another firmware
    (folder / "run.json").write_text(json.dumps(run))
    profile["energy"] = asdict(measured(ESTIMATE, [3]))
    (folder / "profile.json").write_text(json.dumps(profile))
    assert record.main([str(folder), "--supplier=Ours", "--date=2027-01-31T12:00:00Z"]) == 0
    bill = json.loads((folder / "firmware.cdx.json").read_text())
    validate_bill(bill)
    assert "quantitativeAnalysis" not in json.dumps(bill)
    assert bill["metadata"]["component"]["supplier"] == {"name": "Ours"}
    report = json.loads((folder / "report.json").read_text())
    report["sha256"] = "\ud800"
    (folder / "report.json").write_text(json.dumps(report))
    with pytest.raises(ToolchainError, match=r"RIG001.*lacks or garbles"):
        record.main([str(folder)])
    for garbled in ("{}", '{"firmware": []}'):
        (folder / "report.json").write_text(garbled)
        with pytest.raises(ToolchainError, match=r"RIG001.*another firmware"):
            record.main([str(folder)])


def validate_bill(bill: Any) -> None:
    """Validate a bill of materials by CycloneDX's own schema, version 1.6, from its library."""
    _bill_schema()(bill)


@cache
def _bill_schema() -> Any:
    def read(uri: str) -> Any:
        name = uri.rpartition("/")[2].replace(".schema.json", "").replace(".SNAPSHOT", "")
        place = Path(cyclonedx.schema.__file__).with_name("_res")
        return json.loads((place / f"{name}.SNAPSHOT.schema.json").read_text())

    return fastjsonschema.compile(read("bom-1.6"), handlers={"http": read})


def test_where_is_the_folder_of_the_products(
    built: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built.root)
    assert where.main(["board=mps2_an386", "model=tiny.tflite"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}\n"
    assert where.main(["board=mps2_an386", "model=tiny.tflite", "opt=size"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}+size\n"
    assert where.main(["board=mps2_an386", "model=tiny.tflite", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["folder"], found["built"]) == (FOLDER, True)
    assert where.main(["board=nothing", "model=tiny.tflite"]) == 2
    assert not os.path.exists(f"{FOLDER}+size")
