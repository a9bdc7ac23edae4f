"""board.toml: what is right is read, and every mistake is reported with its code, place and fix."""

import sys
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.board.manifest import ArenaRule, Memory, list_boards, load_board
from opsmith.errors import ToolchainError
from tests.commands import said
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]
GOOD = """\
title = "Test board"
core = "cortex-m4f"
family = "cmsdk"
runtime = "reference"
stack = "4K"
aliases = ["short"]

[memory]
flash = { origin = 0x0, size = "1M" }
ram = { origin = 0x2000_0000, size = "64K" }
ccm = { origin = 0x1000_0000, size = 4096 }

[clock]
core_hz = 25_000_000

[console]
baud = 115200
usb = "0483:374b"
address = 0x4000_4000
interrupt = 0

[run]
qemu = { machine = "mps2-an386" }

[flash]
runner = "pyocd"
target = "x"
"""

TIMES = """
[device.gpu]
launch_ns = 2500
byte_ns = 0.05
"""
ARENA = """
[[arena]]
memory = "ccm"
kinds = ["inner", "scratch"]
at_most = "2K"
limit = 4096
"""
OWN = (
    GOOD.replace('family = "cmsdk"\n', "")
    .replace("[clock]\ncore_hz = 25_000_000\n", "[defines]\nMY_UART = 0x4000_4000\n")
    .replace("address = 0x4000_4000\ninterrupt = 0\n", "")
)


def write(root: Path, text: str, name: str = "mine") -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.toml").write_text(text, encoding="utf-8")
    return root


def told(root: Path, name: str = "mine") -> ToolchainError:
    return refusal(load_board, name, [root])


def test_a_right_file_is_read(tmp_path: Path) -> None:
    board = load_board("short", [write(tmp_path, GOOD)])
    assert (board.name, board.title, board.stack_bytes) == ("mine", "Test board", 4096)
    assert board.memory["ram"] == Memory(0x2000_0000, 64 * 1024)
    assert board.memory["ccm"].size == 4096
    assert board.setup and board.setup.uart == "UART at 0x40004000"
    assert board.console and (board.console.baud, board.console.usb) == (115200, "0483:374b")
    assert board.flash and board.flash.target == "x"
    assert board.run.qemu == "mps2-an386"
    parents = {source.parent.name for source in board.sources}
    assert parents == {"arm", "bare_metal", "cmsdk"}


@pytest.mark.parametrize(("old", "new", "code", "words"), [
    ('core = "cortex-m4f"', 'cor = "cortex-m4f"', "BRD002", "'cor' (did you mean 'core'?)"),
    ('core = "cortex-m4f"', "", "BRD003", "'core' is missing"),
    ('title = "Test board"', "", "BRD003", "'title' is missing"),
    ('title = "Test board"', 'title = ""', "BRD004", "'title' is empty"),
    ('title = "Test board"', "title = 3", "BRD004", "'title' is 3, not a text"),
    ('core = "cortex-m4f"', 'core = "cortex-m4g"', "BRD005", "did you mean 'cortex-m4"),
    ('family = "cmsdk"', 'family = "cmdsk"', "BRD010", "did you mean 'cmsdk'?"),
    ('family = "cmsdk"', "", "BRD003", "the board has no code"),
    ('"4K"', '"4 kilo"', "BRD004", "'4 kilo', which is no size"),
    ('"4K"', '"64K"', "BRD006", "does not fit 'memory.ram'"),
    ('"4K"', "300", "BRD006", "'stack' is 300 bytes"),
    ('"4K"', "true", "BRD004", "no size"),
    ('stack = "4K"', "", "BRD003", "'stack' is missing"),
    ('["short"]', '["Not A Name"]', "BRD004", "'Not A Name'"),
    ("flash = { origin = 0x0,", "flash = { origin = -4,", "BRD004", "memory.flash.origin"),
    ('size = "1M" }', 'size = "0" }', "BRD004", "memory.flash.size"),
    ('size = "1M" }', 'size = "1M", speed = 3 }', "BRD002", "memory.flash.speed"),
    ("origin = 0x1000_0000", "origin = 0x2000_8000", "BRD006", "overlap from 0x20008000"),
    ("flash = { origin = 0x0,", "flash = { origin = 0x40,", "BRD006", "align its origin"),
    ("origin = 0x1000_0000", "origin = 0xFFFF_F008", "BRD006", "ends at 0x100000008"),
    ('ram = { origin = 0x2000_0000, size = "64K" }', "", "BRD003", "'memory.ram' is missing"),
    ("ccm = {", "bss = {", "BRD006", "name the linker script needs"),
    ("baud = 115200", "baud = 12", "BRD004", "console.baud"),
    ('"0483:374b"', '"ST-LINK"', "BRD004", "console.usb"),
    ("address = 0x4000_4000", 'address = "no"', "BRD004", "not an integer"),
    ("address =", "adress =", "BRD002", "'console.adress' (did you mean 'address'?)"),
    ("interrupt = 0", "", "BRD003", "'console.interrupt' is missing"),
    ("core_hz =", "core =", "BRD002", "'clock.core' (did you mean 'core_hz'?)"),
    ("baud = 115200", "baud = 1_800_000", "BRD023", "divide to 1562500: -13.2%"),
    ("{ machine =", "{ machin =", "BRD002", "did you mean 'machine'?"),
    ('runner = "pyocd"', 'runner = "pyocx"', "BRD004", "did you mean 'pyocd'?"),
    ("[console]", "[console", "BRD001", "cannot be read"),
    ('core = "cortex-m4f"', 'core = "host"', "BRD006", "'memory' contradicts core 'host'"),
    ("byte_ns", "bite_ns", "BRD002", "'device.gpu.bite_ns' (did you mean 'byte_ns'?)"),
    ("0.05", "-0.05", "BRD004", "'device.gpu.byte_ns' is -0.05"),
    ("0.05", "nan", "BRD004", "'device.gpu.byte_ns' is nan"),
    ("2500", "true", "BRD004", "'device.gpu.launch_ns' is True"),
    ("[device.gpu]", "[device]", "BRD004", "'device.launch_ns' is 2500, not a table"),
    ('"ccm"', '"cmm"', "BRD006", "'cmm', which holds no tensors"),
    ('"ccm"', '"flash"', "BRD006", "'flash', which holds no tensors"),
    ('"scratch"', '"scratsch"', "BRD004", "did you mean 'scratch'?"),
    ("limit = 4096", "limit = 4104", "BRD006", "more than 'ccm' (4096)"),
    ("limit = 4096", 'limit = "4 kilo"', "BRD004", "arena[0].limit"),
    ("at_most", "at_mots", "BRD002", "did you mean 'at_most'?"),
    ('memory = "ccm"', "", "BRD003", "'arena[0].memory' is missing"),
    ("[[arena]]", "[arena]", "BRD004", "not a list"),
])  # fmt: skip
def test_one_mistake_is_reported(tmp_path: Path, old: str, new: str, code: str, words: str) -> None:
    text = GOOD + TIMES + ARENA
    assert old in text
    error = told(write(tmp_path, text.replace(old, new, 1)))
    fitting = [p for p in error.problems if p.code == code and words in p.what + p.fix]
    assert fitting, str(error)
    assert fitting[0].where == str(tmp_path / "mine" / "board.toml")
    assert fitting[0].fix


def test_times_of_devices_are_read_as_far_as_the_board_says_them(tmp_path: Path) -> None:
    board = load_board("mine", [write(tmp_path, GOOD + TIMES)])
    assert board.device_times == {"gpu": {"launch_ns": 2500, "byte_ns": 0.05}}
    assert load_board("mine", [write(tmp_path, GOOD)]).device_times == {}


def test_arena_rules_are_read_in_order(tmp_path: Path) -> None:
    folder = write(tmp_path, f'{GOOD}{ARENA}[[arena]]\nmemory = "ram"\n')
    first, second = load_board("mine", [folder]).arena
    assert first == ArenaRule("ccm", ("inner", "scratch"), at_most=2048, limit=4096)
    assert second == ArenaRule("ram")


def test_all_mistakes_of_a_file_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("core", "cor").replace("baud = 115200", "").replace('"4K"', '"4Q"')
    codes = {problem.code for problem in told(write(tmp_path, text)).problems}
    assert {"BRD002", "BRD003", "BRD004"} <= codes


def test_an_unknown_board_gets_a_suggestion(tmp_path: Path) -> None:
    error = told(write(tmp_path, GOOD), "mime")
    assert "BRD007" in str(error)
    assert "did you mean 'mine'?" in str(error)


def test_an_alias_may_be_in_a_file_that_is_no_toml(tmp_path: Path) -> None:
    error = told(write(tmp_path, f'{GOOD}\naliases = ["short"\n'), "short")
    assert [problem.code for problem in error.problems] == ["BRD007", "BRD001"]
    assert str(tmp_path) in error.problems[1].where


@pytest.mark.parametrize("key", ["aliases", "'aliases'", '"ali\\u0061ses"'])
def test_aliases_are_found_however_toml_writes_them(tmp_path: Path, key: str) -> None:
    write(tmp_path, GOOD.replace("aliases =", f"{key} ="))
    assert load_board("short", [tmp_path]).aliases == ("short",)


def test_two_claims_of_one_alias_name_both(tmp_path: Path) -> None:
    write(tmp_path, GOOD, "one")
    error = told(write(tmp_path, GOOD, "two"), "one")
    assert error.problems[0].code == "BRD008"
    assert str(tmp_path / "one") in error.problems[0].where
    assert str(tmp_path / "two") in error.problems[0].where


def test_the_same_root_twice_is_no_conflict(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    assert load_board("mine", [tmp_path, tmp_path]).name == "mine"


def test_a_broken_neighbour_stops_nobody_but_the_list(tmp_path: Path) -> None:
    write(tmp_path, "rubbish", "broken")
    write(tmp_path, GOOD)
    assert load_board("mine", [tmp_path]).name == "mine"
    with pytest.raises(ToolchainError, match="BRD001"):
        list_boards([tmp_path])


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    assert "BRD009" in str(told(tmp_path / "nowhere"))


def test_a_board_of_a_new_family_needs_only_its_folder(tmp_path: Path) -> None:
    write(tmp_path, OWN)
    (tmp_path / "mine" / "uart.cc").write_text("MY_UART OPSMITH_CONSOLE_BAUD")
    board = load_board("mine", [tmp_path])
    assert board.defines == ("MY_UART=0x40004000u", "OPSMITH_CONSOLE_BAUD=115200u")
    assert tmp_path / "mine" / "uart.cc" in board.sources
    assert tmp_path / "mine" in board.includes


@pytest.mark.parametrize(("old", "new", "code", "words"), [
    ("MY_UART = 0x4000_4000", 'MY_UART = "no"', "BRD004", "not an integer"),
    ("MY_UART = ", "uart = ", "BRD004", "no macro name"),
    ("MY_UART = ", "MY_UARTS = ", "BRD020", "mentions MY_UARTS (did you mean 'MY_UART'?)"),
    ("MY_UART = ", "OTHERS = 1\nMY_UART = ", "BRD020", "no source mentions OTHERS; use OTHERS"),
    ("baud = 115200", 'baud = 115200\nuart = "USART1"', "BRD020", "cannot set 'console.uart'"),
    ("[defines]", "[clock]\ncore_hz = 1\n[defines]", "BRD020", "cannot set 'clock'"),
])  # fmt: skip
def test_a_key_that_changes_nothing_is_reported(
    tmp_path: Path, old: str, new: str, code: str, words: str
) -> None:
    assert old in OWN
    write(tmp_path, OWN.replace(old, new, 1))
    (tmp_path / "mine" / "uart.cc").write_text("MY_UART OPSMITH_CONSOLE_BAUD")
    error = told(tmp_path)
    assert any(p.code == code and words in f"{p.what}; {p.fix}" for p in error.problems), str(error)


def test_a_baud_rate_that_no_source_mentions_is_reported(tmp_path: Path) -> None:
    write(tmp_path, OWN)
    (tmp_path / "mine" / "uart.cc").write_text("MY_UART")
    (problem,) = told(tmp_path).problems
    assert "'console.baud' changes nothing" in problem.what
    assert problem.fix == "use OPSMITH_CONSOLE_BAUD in a source"  # without the key it is BRD003


@pytest.mark.slow
def test_the_shipped_boards_are_right() -> None:
    boards = {board.name: board for board in list_boards([ROOT / "boards"])}
    assert load_board("stm32", [ROOT / "boards"]) == boards["stm32f405"]
    assert {"host", "microbit", "mps2_an385", "mps2_an386", "mps2_an500", "mps3_an547"} <= set(
        boards
    )
    assert all((board.folder / "README.md").is_file() for board in boards.values())


@pytest.mark.slow
def test_cores_say_what_gcc_says() -> None:
    cores = [core for core in CORES.values() if core.architecture.name == "arm"]
    assert len(cores) > 10
    for core in cores:
        command = ["arm-none-eabi-gcc", *core.flags, "-dM", "-E", "-x", "c", "/dev/null"]
        told = said(command)
        shown: dict[str, bool] = {}
        for feature, macro in core.architecture.macros:
            shown[feature] = shown.get(feature, True) and f"#define {macro} " in told
        assert {"dsp", "mve", "mve_float", "fpu"} <= shown.keys()
        assert {each for each in shown if shown[each]} == core.features & shown.keys(), core


@pytest.mark.slow
def test_loading_boards_does_not_import_numpy() -> None:
    code = "import sys, opsmith.board.manifest; print('numpy' in sys.modules)"
    told = said([sys.executable, "-c", code], cwd=ROOT)
    assert told.strip() == "False"
