"""What a compiler says becomes its first error, with its place."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError, system_fix
from opsmith.steps.programs import FEW, ProgramResult, check_ending, first_error

SOURCES = {
    "no such function": (
        '#include <vector>\nint main() {\n  std::vector<int>{}.push_back("");\n}\n',
        3,
    ),
    "in a header": (
        "#include <map>\nstruct S {};\nint main() {\n  std::map<S, int>{}[S()] = 1;\n}\n",
        4,
    ),
}
UNDEFINED = (
    "/usr/bin/ld: m.o: in function `main':\n/usr/bin/ld: main.cc:3: undefined reference to `f'\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_many_lines_become_the_first_error(name: str, tmp_path: Path) -> None:
    text, line = SOURCES[name]
    (tmp_path / "main.cc").write_text(text)
    command = ["g++", "-fsyntax-only", "main.cc"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert len(done.stderr.splitlines()) > FEW
    shown, place = first_error(done.stderr)
    assert len(shown.splitlines()) <= FEW
    assert shown.count("error: ") == 1
    assert f"{place}: error: " in shown
    assert f"main.cc:{line}:" in shown
    assert "lines more: verbose=1" in shown


@pytest.mark.parametrize("said", [
    "main.cc:3:7: error: x\n",
    UNDEFINED,
    "In file included from a.h:1:\nmain.cc:3:1: fatal error: y.h: No such file or directory\n",
])  # fmt: skip
def test_few_lines_stay_as_they_are(said: str) -> None:
    shown, place = first_error(said)
    assert shown == said
    assert place.startswith("main.cc:3")


@pytest.mark.parametrize("said", ["", "region `ram' overflowed by 12 bytes\n" * 2 * FEW])
def test_lines_without_a_place_stay_as_they_are(said: str) -> None:
    assert first_error(said) == (said, "")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOMEM, errno.EROFS, errno.ENOENT])
def test_what_the_system_refuses_a_compiler_is_no_mistake_of_a_source(number: int) -> None:
    said = f"ld: final link failed: {os.strerror(number)}\ncollect2: error: ld returned 1\n"
    with pytest.raises(ToolchainError, match="BLD034") as caught:
        check_ending(["gcc", "-o", "x"], ProgramResult(1, said), False)
    system = number != errno.ENOENT  # of a header
    wanted = system_fix(OSError(number, "")) if system else "correct what it says above"
    assert caught.value.problems[0].fix == wanted


@pytest.mark.parametrize(("header", "fix"), [
    ("cstdio", "firmware has no C++ standard library: include <stdio.h> in place of <cstdio>"),
    ("complex", "link the model's package to a program that has it"),
    ("y.h", "correct what it says above"),
])  # fmt: skip
def test_who_misses_the_standard_library_is_told_what_there_is(header: str, fix: str) -> None:
    assert fix_of_missing("main.cc", header).endswith(fix)


@pytest.mark.parametrize("source", ["host-reference/gain/nodes_gain.cc", "checks/gain.check.cc"])
def test_a_kernel_without_its_file_is_the_ops_mistake(source: str) -> None:
    fix = fix_of_missing(f"build/{source}", "gain/reference.h")
    assert fix == "put gain/reference.h back, or correct the name of the op's kernel"


@pytest.mark.parametrize(("symbol", "fix"), [
    ("opsmith::board::read()", "define read() as runtimes/mcu/board.h declares it, in the"),
    ("opsmith::board::write(char const*, unsigned long)", "define write() as"),
    ("opsmith::board::led(bool)", "name the pin of the led in board.toml, where"),
    ("opsmith::board::button()", "name the pin of the button in board.toml, where"),
    ("main", "define main() in a file of the folder of app="),
    ("domain", "correct what it says above"),
])  # fmt: skip
def test_what_a_board_or_an_application_lacks_has_its_place(symbol: str, fix: str) -> None:
    said = f"./main.cc:271: undefined reference to `{symbol}'\ncollect2: error: ld returned 1\n"
    with pytest.raises(ToolchainError, match="BLD034") as caught:
        check_ending(["g++", "-o", "firmware.elf"], ProgramResult(1, said), False)
    assert caught.value.problems[0].fix.startswith(fix)


def test_all_pins_that_are_missing_are_named_at_once() -> None:
    missing = ("button()", "led(bool)", "button()")
    lines = [f"./main.cc:9: undefined reference to `opsmith::board::{each}'" for each in missing]
    with pytest.raises(ToolchainError, match="BLD034") as caught:
        check_ending(["g++", "-o", "firmware.elf"], ProgramResult(1, "\n".join(lines)), False)
    fix = caught.value.problems[0].fix
    assert "name the pins of the led and the button in board.toml" in fix
    assert "define led() and button()" in fix


@pytest.mark.parametrize(("line", "where"), [
    ("main.c:(.text.startup+0x7): undefined reference to `f'", "main.c"),
    ("/usr/bin/ld: main.c:(.text+0xc): undefined reference to `f'", "main.c"),
    ("(.text+0x17): undefined reference to `main'", "app="),
    ("./runtimes/arch/arm/startup.cc:48: undefined reference to `main'", "app="),
])  # fmt: skip
def test_what_a_linker_lacks_has_a_place_without_lines(line: str, where: str) -> None:
    said = f"ld: m.o: in function `_start':\n{line}\ncollect2: error: ld returned 1 exit status\n"
    with pytest.raises(ToolchainError, match="BLD034") as caught:
        check_ending(["gcc", "-o", "firmware.elf"], ProgramResult(1, said), False)
    assert caught.value.problems[0].where == where


def fix_of_missing(source: str, header: str) -> str:
    """Fix for a source that includes a header which does not exist."""
    said = f"{source}:1:10: fatal error: {header}: No such file or directory\n"
    with pytest.raises(ToolchainError, match="BLD034") as caught:
        check_ending(["g++", "-c", source], ProgramResult(1, said), False)
    return caught.value.problems[0].fix
