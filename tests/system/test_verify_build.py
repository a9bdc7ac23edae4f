"""`opsmith verify-build` and `where`: a firmware again in another place, and where it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from opsmith.commands import verify, where
from opsmith.errors import ToolchainError
from opsmith.report.build_info import BUILD_INFO, NOTE, record_of
from opsmith.report.elf import read_sections
from opsmith.rig import verify_build
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

FOLDER = "build/mps2_an386-cmsis/tiny"
SOURCE = "runtimes/core/arithmetic.h"


@pytest.fixture(scope="module")
def built(projects: Path) -> Project:
    """A project with firmware for an Arm board."""
    project = make_project(projects / "verified", ops=("add", "conv_2d"), bare=True)
    project.build("board=mps2_an386", "model=tiny.tflite", "debug=1")
    return project


def test_a_build_in_another_place_is_equal(
    built: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    assert verify_build.main([str(built.root / FOLDER)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines == [f"firmware.{each}: equal" for each in ("bin", "elf", "hex", "map")]


def test_other_sources_are_told_with_their_section(
    built: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    project = built.lent()
    project.append(SOURCE, "\n")
    assert verify_build.main([str(project.root / FOLDER)]) == 1
    text = capfd.readouterr().out
    assert "firmware.elf: DIFFERS\n  section .note.opsmith\n" in text, "its record names the line"
    assert text.count("DIFFERS") == 1, "an empty line changes no code"
    project.edit("runtimes/apps/runner/main.cc", "invoke();", "invoke(); OPSMITH_MODEL::invoke();")
    capfd.readouterr()
    assert verify_build.main([str(project.root / FOLDER)]) == 1
    text = capfd.readouterr().out
    assert "firmware.elf: DIFFERS\n  section .text\n" in text
    assert "firmware.bin: DIFFERS" in text


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
    info["inputs"]["models"]["tiny.tflite"] = "0" * 64
    place.write_text(json.dumps(info))
    with pytest.raises(ToolchainError, match="BLD118.*inputs were edited"):
        verify.main([str(elf)])
    place.write_text(json.dumps(info | {"record": record_of(info["inputs"])}))
    with pytest.raises(ToolchainError, match="BLD118.*of another firmware"):
        verify.main([str(elf)])
    place.unlink()
    with pytest.raises(ToolchainError, match=r"BLD118.*cannot be read"):
        verify.main([str(elf)])
    with pytest.raises(ToolchainError, match="BLD118.*no ELF file"):
        verify.main([str(elf.with_suffix(".map"))])


def test_where_is_the_folder_of_the_products(
    built: Project, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built.root)
    assert where.main(["board=mps2_an386", "model=tiny.tflite"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}\n"
    assert where.main(["board=mps2_an386", "model=tiny.tflite", "opt=size"]) == 0
    assert capfd.readouterr().out == f"{FOLDER}+size\n"
    assert where.main(["board=nothing", "model=tiny.tflite"]) == 2
    assert not os.path.exists(f"{FOLDER}+size")
