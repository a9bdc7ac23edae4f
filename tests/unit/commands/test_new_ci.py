"""`new-ci`: what CI services build by fits their schemas, and names commands that there are."""

import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import yaml

from opsmith.cli import COMMANDS
from opsmith.commands.new_ci import PLACES, main, packages
from opsmith.errors import ToolchainError
from opsmith.matrix.database import LAST
from opsmith.matrix.plan import read_plan
from opsmith.testing.checkout import ROOT
from tests.conftest import NO_PACKAGES

SCHEMAS = {"github": "github-workflows", "gitlab": "gitlab-ci"}
HADOLINT = Path(sys.executable).with_name("hadolint")
FOUND = find_spec("check_jsonschema")  # of which only the schemas are read


def written(kind: str, folder: Path) -> str:
    assert main([kind, str(folder), "--board=pico", "--model=a/kws.tflite"]) == 0
    return (folder / PLACES[kind][1]).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(FOUND is None, reason="check-jsonschema is optional")
@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_service_reads_its_file(kind: str, tmp_path: Path) -> None:
    assert FOUND
    assert FOUND.origin
    place = Path(FOUND.origin).with_name("builtin_schemas") / "vendor" / f"{SCHEMAS[kind]}.json"
    read = fastjsonschema.compile(
        json.loads(place.read_text("utf-8")), use_formats=False, use_default=False
    )
    data = loaded(written(kind, tmp_path))
    read(data)
    job = data["jobs"]["firmware"] if kind == "github" else data["firmware"]
    with pytest.raises(fastjsonschema.JsonSchemaException):
        read({**data, "jobs": {"firmware": {**job, "steps": 3}}, "firmware": {"script": 3}})


@pytest.mark.parametrize("kind", SCHEMAS)
def test_commands_exist_and_the_matrix_has_a_cell(kind: str, tmp_path: Path) -> None:
    text = written(kind, tmp_path)
    used = re.findall(r"\bopsmith ([a-z-]+)", text)
    assert {"check", "matrix", "record", "verify"} <= set(used) <= COMMANDS.keys()
    assert "@" not in re.sub(r"@v\d\b| @ file:", "", text), "every placeholder is filled"
    plan = read_plan(tmp_path / "matrix.toml")
    (cell,) = plan.cells
    assert cell.variables == {"board": "pico", "model": "a/kws.tflite", "opt": "balanced"}
    assert plan.against == LAST, "the cache keeps earlier runs"


def test_a_matrix_that_there_is_stays(tmp_path: Path) -> None:
    own = tmp_path / "matrix.toml"
    own.write_text("mine")
    with pytest.raises(ToolchainError, match=r"(?s)BLD045.*matrix\.toml"):
        main(["gitlab", str(tmp_path), "--board=pico"])
    assert [*tmp_path.iterdir()] == [own]
    assert main(["gitlab", str(tmp_path)]) == 0
    assert own.read_text() == "mine"


def test_the_image_has_the_packages_and_runs_as_nobody_special(tmp_path: Path) -> None:
    text = written("docker", tmp_path)
    lines = text.replace("\\\n", " ").splitlines()
    (install,) = [line for line in lines if "apt-get install" in line]
    assert set(packages()) < set(shlex.split(install))
    assert "snapshot.debian.org" in install
    (day,) = {line for line in lines if re.fullmatch(r"ARG DAY=20\d{6}", line)}
    assert lines.index(day) + 1 == lines.index("FROM debian:bookworm-${DAY}-slim")
    assert "^URIs: http://snapshot.debian.org/.*/${DAY}T" in install
    users = [number for number, line in enumerate(lines) if line.startswith("USER ")]
    runs = [number for number, line in enumerate(lines) if line.startswith("RUN ")]
    assert users
    assert max(runs) < users[-1] < len(lines)
    assert lines[users[-1]] not in ("USER root", "USER 0")
    with pytest.raises(ToolchainError, match="BLD045"):
        main(["docker", str(tmp_path)])
    assert (tmp_path / "Dockerfile").read_text(encoding="utf-8") == text


@pytest.mark.slow
@pytest.mark.skipif(not HADOLINT.exists(), reason=f"{NO_PACKAGES}: no hadolint")
def test_hadolint_finds_nothing_in_the_image(tmp_path: Path) -> None:
    def lint(text: str) -> str:
        command = [str(HADOLINT), "--no-color", "-"]
        return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True).stdout

    text = written("docker", tmp_path)
    assert lint(text) == ""
    assert "DL3002" in lint(text.replace("USER 1000", "USER root"))


def test_pre_commit_finds_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language"} <= hook.keys()
    program, command = hook["entry"].split()
    assert (program, hook["language"]) == ("opsmith", "python")
    assert command in COMMANDS
    assert re.search(hook["files"], "my_ops/my_op/op.py")


def loaded(text: str) -> dict[str, Any]:
    """Parsed YAML; PyYAML takes the key `on` for true, as YAML 1.1 says."""
    found = yaml.safe_load(text)
    return {"on" if key is True else key: value for key, value in found.items()}
