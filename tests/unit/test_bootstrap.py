"""bootstrap installs what the lists of packages say: those of optional parts by --all."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.copies import copied

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("sh", "sed", "cat", "rm", "mktemp", "dirname", "cksum")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout on a machine that has nothing, whose apt-get writes down what it is asked for."""
    lists = [str(path.relative_to(ROOT)) for path in ROOT.glob("runtimes/*/*-packages.txt")]
    lists.append("tests/optional-packages.txt")
    for name in ("bootstrap", "toolchain/opsmith/system-packages.txt", "runtimes/arch", *lists):
        source, target = ROOT / name, tmp_path / "checkout" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        copied(source, target) if source.is_dir() else shutil.copy2(source, target)
    machine = tmp_path / "bin"
    machine.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found
        (machine / name).symlink_to(found)
    scripts = {"id": "echo 0", "apt-get": f'echo "$@" >> {tmp_path}/asked', "env": 'shift; "$@"'}
    for name, text in scripts.items():
        (machine / name).write_text(f"#!{machine}/sh\n{text}\n", encoding="utf-8")
        (machine / name).chmod(0o755)
    return tmp_path / "checkout"


def bootstrap(checkout: Path, *arguments: str, **variables: str) -> tuple[str, str]:
    """Arguments of apt-get, and output of bootstrap, which fails since nothing is installed."""
    done = subprocess.run(
        [checkout.parent / "bin" / "sh", checkout / "bootstrap", *arguments],
        env={"PATH": str(checkout.parent / "bin"), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    asked = checkout.parent / "asked"
    return asked.read_text(encoding="utf-8") if asked.exists() else "", done.stdout


@pytest.mark.slow
def test_plain_bootstrap_leaves_optional_architectures_alone(checkout: Path) -> None:
    asked, said = bootstrap(checkout)
    for package in ("python3-venv", "g++", "gcc-arm-none-eabi", "qemu-system-arm"):
        assert package in asked.split()
    assert "riscv" not in asked + said
    for package in ("qemu-system-misc", "qemu-user", "oclgrind", "clang-15"):
        assert package not in asked.split()


@pytest.mark.slow
def test_all_adds_them(checkout: Path) -> None:
    asked, _ = bootstrap(checkout, "--all")
    for package in ("gcc-arm-none-eabi", "gcc-riscv64-unknown-elf", "qemu-system-misc"):
        assert package in asked.split()
    assert "picolibc-riscv64-unknown-elf" in asked.split()
    for package in (
        "g++-aarch64-linux-gnu",
        "qemu-user",
        "oclgrind",
        "clang-15",
        "arduino-builder",
    ):
        assert package in asked.split()


@pytest.mark.slow
def test_a_new_architecture_brings_its_list(checkout: Path) -> None:
    mine = checkout / "runtimes" / "arch" / "mine"
    mine.mkdir()
    (mine / "optional-packages.txt").write_text("gcc-mine | command -v mine-gcc\n")
    assert "gcc-mine" not in bootstrap(checkout)[0]
    assert "gcc-mine" in bootstrap(checkout, "--all")[0]


@pytest.mark.slow
def test_an_unknown_argument_is_reported(checkout: Path) -> None:
    asked, said = bootstrap(checkout, "--al")
    assert not asked
    assert "usage: ./bootstrap [--all]" in said


@pytest.mark.slow
@pytest.mark.parametrize("command", ["update", "install"])
def test_a_lock_of_apt_is_waited_for(checkout: Path, command: str) -> None:
    machine, left = checkout.parent / "bin", checkout.parent / "left"
    lock = f"Could not get lock {left}. It is held by process 7 (unattended-upgr)"
    held = f'*{command}*) ! read -r n <{left} || {{ echo "E: {lock}" >&2; exit 100; }} ;;'
    scripts = {
        "apt-get": f'case "$*" in {held} esac; echo "$@" >>{checkout.parent}/asked',
        "sleep": f"read -r n <{left}; case $n in 2) echo 1 >{left} ;; *) : >{left} ;; esac",
    }
    for name, text in scripts.items():
        (machine / name).write_text(f"#!{machine}/sh\n{text}\n", encoding="utf-8")
        (machine / name).chmod(0o755)
    left.write_text("2\n", encoding="utf-8")
    asked, said = bootstrap(checkout)
    assert re.findall(" (update|install)\\b", asked) == ["update", "install"]
    assert said.count("waiting for") == 1
    assert f"bootstrap: waiting for another process: {lock}\n" in said
    assert "bootstrap: installed, but still not usable" in said


@pytest.mark.slow
def test_a_python_that_is_named_is_taken_or_refused(checkout: Path) -> None:
    for packages in checkout.rglob("*-packages.txt"):
        packages.write_text("", encoding="utf-8")
    _, said = bootstrap(checkout, PYTHON="/nowhere/python3")
    assert "failed at step: python3, 3.11 or newer" in said
    assert "PYTHON=/nowhere/python3: none found; install Python 3.11" in said
    mine = checkout.parent / "my python"
    mine.write_text(f"#!{checkout.parent}/bin/sh\n", encoding="utf-8")
    mine.chmod(0o755)
    _, said = bootstrap(checkout, PYTHON=str(mine))
    assert f"making .venv with {mine}" in said


@pytest.mark.slow
def test_the_distribution_s_python_comes_before_that_of_the_path(checkout: Path) -> None:
    for packages in checkout.rglob("*-packages.txt"):
        packages.write_text("", encoding="utf-8")
    (checkout / ".venv").write_text(
        "so that no virtual environment can be made\n", encoding="utf-8"
    )
    other = checkout.parent / "bin" / "python3"
    other.write_text(f"#!{checkout.parent}/bin/sh\n", encoding="utf-8")
    other.chmod(0o755)
    fit = "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))"
    distribution = Path("/usr/bin/python3")
    has = distribution.exists() and not subprocess.run([distribution, "-c", fit]).returncode
    _, said = bootstrap(checkout)
    assert f"making .venv with {distribution if has else other}" in said
