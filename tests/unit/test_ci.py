""".ci/run: the suite runs in a world of its own, and leaves nothing in it."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
CLEAN = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}
LISTS = ("runtimes/here", "runtimes/arch/here", "tests")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose bootstrap and pytest do what a test writes into them."""
    root = tmp_path / "a checkout"
    for name in (".ci", ".venv/bin", *LISTS):
        (root / name).mkdir(parents=True)
    for name in LISTS:
        (root / name / "optional-packages.txt").write_text("# none\n", encoding="utf-8")
    shutil.copy2(ROOT / ".ci" / "run", root / ".ci")
    (root / ".gitignore").write_text("/.venv\n/build\n", encoding="utf-8")
    for command in ("bootstrap", ".venv/bin/pytest"):
        script(root / command, "")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], cwd=root, env=CLEAN, check=True)
    return root


@pytest.fixture
def ci(checkout: Path, tmp_path: Path) -> Run:
    """Runner of the checkout's .ci/run, with temporary files in `tmp_path` and given variables."""
    if any((above / "pytest.ini").exists() for above in tmp_path.parents):
        pytest.skip(f"there is a pytest.ini above {tmp_path}, which .ci/run refuses")

    def run(*folders: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [checkout / ".ci" / "run", *(folders or (tmp_path,))],
            env=CLEAN | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    return run


def script(path: Path, text: str) -> None:
    """Write an executable shell script."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def pytest_does(checkout: Path, text: str, optional: str = "") -> None:
    """Write the checkout's pytest, which runs `text`, after `optional` where optional packages are
    hidden.
    """
    text = f'if [ "$*" = --optional ]; then {optional or ":"}; else {text}\nfi'
    script(checkout / ".venv" / "bin" / "pytest", text)


@pytest.mark.slow
def test_the_suite_sees_nothing_of_the_environment(checkout: Path, ci: Run, tmp_path: Path) -> None:
    pytest_does(checkout, "env; find $HOME $TMPDIR")
    foreign = {"PYTEST_ADDOPTS": "--nonsense", "PIP_INDEX_URL": "x", "OPSMITH_MODELS": "m"}
    done = ci(CI="yes", **foreign)
    assert done.returncode == 0, done.stdout
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    home, temporary = (Path(seen.pop(name)) for name in ("HOME", "TMPDIR"))
    assert home.parent == temporary.parent
    assert home.parents[2] == tmp_path
    assert f"{home}\n{temporary}\n" in done.stdout  # which are empty
    shell = {"PWD", "OLDPWD", "SHLVL", "_"}
    named = {"LC_ALL": "C.UTF-8", "CI": "yes", "OPSMITH_MODELS": "m", "PATH": CLEAN["PATH"]}
    assert {name: seen[name] for name in seen.keys() - shell} == named
    assert not list(tmp_path.glob("opsmith-ci.*"))


@pytest.mark.slow
def test_bootstrap_gets_all_packages_and_may_ask_a_package_index(checkout: Path, ci: Run) -> None:
    (checkout / "notes.txt").touch()  # what was changed before is nobody's fault
    shown = "$PIP_INDEX_URL $https_proxy $SSL_CERT_FILE $OTHER"
    script(checkout / "bootstrap", f'echo "bootstrapped with: $* <{shown}>"')
    settings = {"PIP_INDEX_URL": "a b", "https_proxy": "c", "SSL_CERT_FILE": "d"}
    done = ci(**settings, OTHER="e")
    assert "bootstrapped with: --all <a b c d >\n" in done.stdout
    assert done.returncode == 0


@pytest.mark.slow
def test_the_last_line_and_the_status_are_those_of_the_suite(checkout: Path, ci: Run) -> None:
    pytest_does(checkout, "mkdir -p build $TMPDIR/pytest-of-me/x; echo 3 failed; exit 3")
    done = ci()
    assert done.returncode == 3
    assert done.stdout.endswith("3 failed\n")


@pytest.mark.few(2)
@pytest.mark.slow
@pytest.mark.parametrize("file", ["$HOME/.cache", "$TMPDIR/left", "tests.log", ".gitignore"])
def test_what_a_test_leaves_behind_fails_the_suite(checkout: Path, ci: Run, file: str) -> None:
    pytest_does(checkout, f"echo x >>{file}; echo 3 passed")
    done = ci()
    assert done.returncode == 1
    assert "3 passed\n.ci/run: tests left files behind or changed them:\n" in done.stdout
    assert Path(file).name in done.stdout


@pytest.mark.few(1)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["pytest.ini", ".pytest.toml", "conftest.py", "pyproject.toml"])
def test_temporary_files_lie_where_no_settings_are_above(
    checkout: Path, ci: Run, tmp_path: Path, name: str
) -> None:
    pytest_does(checkout, "echo at $TMPDIR")
    bad, good = tmp_path / "bad" / "folder", tmp_path / "good"
    for folder in (bad, good):
        folder.mkdir(parents=True)
    (bad.parent / name).touch()
    assert f"at {good}/opsmith-ci." in ci(tmp_path / "absent", bad, good).stdout
    done = ci(bad)
    assert done.returncode == 1
    assert f"name another folder: .ci/run FOLDER\n    {bad.parent / name}\n" in done.stdout


@pytest.mark.slow
def test_optional_packages_are_hidden_first(checkout: Path, ci: Run, tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("mine-gcc", "mine-ld", "yours"):
        script(folder / name, "")
    probes = ("mine-gcc && test -e /", "absent")
    for where, probe in zip(LISTS, probes, strict=False):
        line = f"package-{probe[:4]}  | command -v {probe}\n"
        (checkout / where / "optional-packages.txt").write_text(line, encoding="utf-8")
    say = "for each in mine-gcc mine-ld yours; do command -v $each; done; echo $LD_LIBRARY_PATH."
    pytest_does(checkout, f"echo then; {say}", f"{say}; exit 3")
    done = ci(PATH=f"{folder}:{CLEAN['PATH']}")
    hidden, _, shown = done.stdout.partition("then\n")
    assert done.returncode == 3
    assert re.fullmatch(r"\S+/hidden/bin/yours\n\S+/hidden/lib\.\n", hidden)
    assert (
        shown == "".join(f"{folder / name}\n" for name in ("mine-gcc", "mine-ld", "yours")) + ".\n"
    )


@pytest.mark.slow
def test_what_cannot_be_hidden_is_reported(checkout: Path, ci: Run) -> None:
    (checkout / LISTS[2] / "optional-packages.txt").write_text("here | test -e /\n")
    done = ci()
    assert done.returncode == 1
    assert "cannot be hidden:\n    here: 'test -e /' succeeds without it\n" in done.stdout
