"""Profiles say which core a package is for, and give consumers the compiler and flags for it."""

import ast
import dataclasses
import shlex
from pathlib import Path

import jinja2

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.package.profile import profile
from tests.refusals import refusal

ROOTS = [Path(__file__).parents[3] / "boards"]


def values(board: Board) -> dict[str, str]:
    """Values of the lines of a profile, by name."""
    lines = profile(board, 12).splitlines()
    return dict(line.split("=", 1) for line in lines if line[0] not in "#[")


def test_a_core_is_a_setting_and_its_flags_are_for_all_that_is_linked() -> None:
    board = load_board("mps3_an547", ROOTS)
    found = values(board)
    assert [found[name] for name in ("os", "arch", "cpu")] == ["baremetal", "armv7", "cortex-m55"]
    assert ast.literal_eval(found["tools.build:cflags"]) == list(board.core.flags)
    linked = ast.literal_eval(found["tools.build:exelinkflags"])
    assert linked[-1] == "-Wl,--start-group,-lnosys"
    assert "--specs" not in found["LINKFLAGS"] + str(linked)  # of which a program names its own
    assert "-nostartfiles" not in linked
    assert found["CXX"] == "arm-none-eabi-g++"
    assert found["compiler.version"] == "12"


def test_a_specs_file_is_named_once_where_cmake_links() -> None:
    found = values(load_board("qemu_riscv32", ROOTS))
    compiling, linking = (found[f"tools.build:{kind}flags"] for kind in ("c", "exelink"))
    assert "--specs=picolibc.specs" in compiling
    assert "--specs" not in linking
    assert "-march=rv32imac" in linking


def test_a_core_may_have_another_arch_than_its_architecture() -> None:
    assert values(load_board("microbit", ROOTS))["arch"] == "armv6"


def test_this_machine_has_no_core_and_the_arch_that_conan_detects() -> None:
    found = values(load_board("host", ROOTS))
    assert "cpu" not in found
    assert "CC" not in found
    assert found["arch"] == "{{ detect_api.detect_arch() }}"


def test_a_flag_runs_no_code_in_a_profile() -> None:
    board = load_board("stm32", ROOTS)
    flag = "-DX={{ os.system('true') }}"
    core = dataclasses.replace(board.core, flags=(flag,))
    text = profile(dataclasses.replace(board, core=core), 12)
    rendered = jinja2.Template(text).render()
    assert f'tools.build:cflags=["{flag}"]' in rendered
    assert f"CCFLAGS={shlex.quote(flag)}" in rendered


def test_an_architecture_that_conan_does_not_know_is_an_error() -> None:
    board = load_board("stm32", ROOTS)
    core = dataclasses.replace(board.core, conan="")
    said = str(refusal(profile, dataclasses.replace(board, core=core), 12))
    assert "BLD082" in said and 'conan = "armv7"' in said
