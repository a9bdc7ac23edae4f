"""ops/README.md: its op is written as it says, and every command that it shows is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.project import IN_ONE_PROCESS, ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.qemu]

TEXT = (ROOT / "ops" / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """The files that the text gives: each block but commands follows the name of its file."""
    found = {}
    for block in BLOCK.finditer(TEXT):
        if block[1] != "sh":
            before = TEXT[: block.start()].rstrip().rpartition("\n\n")[2]
            names = re.findall(r"`(my_ops/[\w/.]+)`", before)
            assert len(names) == 1, f"which file is this?\n{block[0][:200]}"
            found[names[0]] = block[2]
    return found


def commands() -> list[str]:
    """The commands that the text gives, in order."""
    return [
        line
        for block in BLOCK.finditer(TEXT)
        if block[1] == "sh"
        for line in block[2].split("\n")
        if line
    ]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the op of the text."""
    made = make_project(tmp_path_factory.mktemp("readme") / "p", ops=("conv_2d",))
    for name, text in files().items():
        path = made.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return made


def run(project: Project, command: str) -> str:
    """What a command says, with the programs of this environment first; it must succeed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONPATH": str(project.root)}
    done = subprocess.run(
        command, shell=True, cwd=project.root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_op_is_complete() -> None:
    assert set(files()) == {
        f"my_ops/gain/{name}" for name in ("op.py", "reference.h", "test_gain.py")
    }
    assert len(commands()) == 3


def test_every_command_does_what_is_said_of_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*IN_ONE_PROCESS)
    check, compile_kernels, test = commands()
    assert "1 op folders, no problems" in run(project, check)
    assert "CC gain.check.cc" in run(project, compile_kernels)
    said = run(project, test)
    assert re.search(r"\b6 passed in ", said), said


def test_its_files_are_in_the_style_of_the_others(project: Project) -> None:
    config = f"--config={ROOT / 'pyproject.toml'}"
    run(project, f"ruff check {config} my_ops && ruff format {config} --check my_ops")
    run(project, f"clang-format --style=file:{ROOT}/.clang-format -n -Werror my_ops/gain/*.h")
    gain = project.root / "my_ops" / "gain"
    mypy = [Path(sys.executable).with_name("mypy"), gain / "op.py", gain / "test_gain.py"]
    # In the checkout, what it finds out of `toolchain` and numpy is found again.
    done = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
