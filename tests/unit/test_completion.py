"""Shells complete commands, targets, variables, boards, models and ops."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.completion import SHELLS, TARGETS, candidates, main
from opsmith.scons.build import FIRMWARE_ALIASES, OTHERS
from opsmith.testing.checkout import ROOT
from tests.conftest import NO_PACKAGES

BASH = """\
source /dev/stdin <<<"$SCRIPT"
compopt() { :; }
COMP_LINE="scons board=stm32f405 mo[*" COMP_WORDS=(scons board = stm32f405 "mo[*") COMP_CWORD=4
COMP_POINT=${#COMP_LINE}; _opsmith; echo "${COMPREPLY[*]}"
COMP_LINE="scons board=stm32f405" COMP_WORDS=(scons board = stm32f405) COMP_CWORD=3
COMP_POINT=${#COMP_LINE}; _opsmith; echo "${COMPREPLY[*]}"
COMP_LINE="opsmith comple" COMP_WORDS=(opsmith comple) COMP_CWORD=1
COMP_POINT=${#COMP_LINE}; _opsmith; echo "${COMPREPLY[*]}"
"""
ZSH = """\
compdef() { }; _files() { echo files }; compadd() { echo ${@[4,-1]} }
eval "$SCRIPT"
words=(scons board=stm32f405); CURRENT=2; _opsmith
words=(opsmith comple); CURRENT=2; _opsmith
"""
FISH = """\
echo $SCRIPT | source
complete -C "scons board=stm32f405"
complete -C "opsmith comple"
"""
SAID = {
    "bash": (BASH, ["", "stm32f405", "completion"]),
    "zsh": (ZSH, ["board=stm32f405", "completion"]),
    "fish": (FISH, ["board=stm32f405", "completion"]),
}


def test_targets_are_those_of_an_sconstruct() -> None:
    assert sorted({*FIRMWARE_ALIASES, *OTHERS}) == list(TARGETS)


def test_what_is_typed_decides_what_may_follow(here: Path) -> None:
    for name in ("m.tflite", "m.txt", ".hidden.tflite", "more/n.tflite"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).touch()
    assert candidates(["opsmith"], "sh") == ["show"]
    assert candidates(["opsmith", "show"], "m") == ["m.tflite", "more/"]
    assert candidates(["scons"], "model=m.tflite,more/") == ["model=m.tflite,more/n.tflite"]
    assert "reference" in [each.partition("=")[2] for each in candidates(["scons"], "numerics=")]
    assert candidates(["scons", "guards=1"], "gua") == []
    assert candidates(["scons"], "guards=") == ["guards=0", "guards=1"]
    assert candidates(["scons"], "ops/depthwise") == ["ops/depthwise_conv_2d"]
    assert "ops/add/test" in candidates(["scons"], "ops/add")
    assert candidates(["scons"], "model=absent/") == []


def test_no_name_is_offered_that_a_shell_would_interpret(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a;reboot.tflite", "a$(id).tflite", "a b.tflite", "a\nb.tflite", "añ.tflite"):
        (here / name).touch()
    assert main(["bash", "--words", "scons", "--last", "model=a"]) == 0
    assert capsys.readouterr().out == "model=añ.tflite\n"


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{NO_PACKAGES}: no {shell}")
    assert main([shell]) == 0
    script, expected = SAID[shell]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    result = subprocess.run(
        [shell, "-c", script],
        env={**os.environ, **home, "PATH": path, "SCRIPT": capsys.readouterr().out},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (result.stdout.splitlines(), result.stderr) == (expected, "")
