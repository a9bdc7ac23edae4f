"""`new-board` writes a board that loads, from the number of its MCU."""

import errno
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from opsmith.board.manifest import list_boards, load_board, readable_boards
from opsmith.board.nearest import nearest
from opsmith.board.platforms import platforms
from opsmith.commands.new_board import SHIPPED, main
from opsmith.commands.readme import main as readme
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.testing.checkout import ROOT

NUMBERS = {  # number -> part, flash, where it is played
    "STM32F405RGT6": ("stm32f405", 1 << 20, "netduinoplus2"),
    "stm32f446re": ("stm32f446", 512 << 10, "netduinoplus2"),
    "STM32F100RBT6B": ("stm32f100", 128 << 10, "stm32vldiscovery"),
    "STM32U575ZIT6Q": ("stm32u575", 2 << 20, None),
    "STM32L476RGT6": ("stm32l475", 1 << 20, None),
    "STM32L485JET6": ("stm32l475", 512 << 10, None),
    "stm32l412kb": ("stm32l475", 128 << 10, None),
    "STM32F401": ("stm32f405", 128 << 10, "netduinoplus2"),
    "STM32F429ZIT6": ("stm32f405", 2 << 20, "netduinoplus2"),
    "nRF52810_QFAA": ("nrf52810", 192 << 10, None),
    "RP2354B": ("rp2350", 2 << 20, None),
    "nRF51822_QFAA": ("nrf51", 256 << 10, "microbit"),
    "nRF52840": ("nrf52840", 1 << 20, None),
    "nRF5340": ("nrf5340", 1 << 20, None),
    "RP2040": ("rp2040", 2 << 20, "rp2040js"),
    "RP2350A": ("rp2350", 2 << 20, None),
}

PYOCD = """nrf51822 nrf52 nrf52833 nrf52840 rp2040 rp2350 stm32f103rc stm32f412xe stm32f429xi
stm32f439xg stm32f767zi stm32l475xg stm32h743xx"""


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_the_board_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str) -> None:
    part, flash, played = NUMBERS[number]
    assert main(["mine", f"--mcu={number}", f"--into={tmp_path}"]) == 0
    board = load_board("mine", [tmp_path])
    assert board.setup and board.setup.part == part
    assert board.memory["flash"].size == flash
    assert (board.run.qemu or board.run.place) == played
    text = (tmp_path / "mine" / "board.toml").read_text()
    said = capsys.readouterr().out
    (checks,) = (line for line in said.splitlines() if line.startswith("check in it: "))
    assert text.count("# check") == len(checks.partition(": ")[2].split(", "))
    assert f"scons board=mine boards={tmp_path}" in said


@pytest.mark.parametrize(("number", "asked"), [("stm32l476r8", True), ("stm32l476rc", False)])
def test_flash_of_a_size_that_no_such_mcu_has_is_to_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str, asked: bool
) -> None:
    assert main(["mine", f"--mcu={number}", f"--into={tmp_path}"]) == 0
    assert ("memory.flash" in capsys.readouterr().out) is asked


@pytest.mark.slow
def test_every_stm32f4_nrf52_and_rp2_is_known_and_runs_somewhere(tmp_path: Path) -> None:
    """Every STM32F4, nRF52 and RP2 is known and runs on an emulator: its own, or that of a board
    whose core has no further features.
    """
    known = tomllib.loads((RUNTIMES / "mcu/stm32/numbers.toml").read_text())
    numbers = [f"{part}v{max(of)}t6" for part, of in known.items()]
    assert len(numbers) > 15
    numbers += [f"nrf528{each}" for each in ("05", "10", "11", "20", "32", "33", "40")]
    numbers += ["rp2040", "rp2350a", "rp2350b", "rp2354a", "rp2354b"]
    shipped = readable_boards([SHIPPED])[0]
    for number in numbers:
        assert main([f"b_{number}", f"--mcu={number}", f"--into={tmp_path}"]) == 0
    for board in list_boards([tmp_path]):
        other = nearest(board, shipped)
        assert other
        assert board.run.qemu or board.run.place or other.core.features <= board.core.features
        number = board.name.removeprefix("b_")
        if number.startswith("stm32"):
            assert board.memory["ram"].size == known[number[:9]][number[10]] << 10


@pytest.mark.slow
def test_names_of_targets_of_pyocd_are_numbers(tmp_path: Path) -> None:
    for target in PYOCD.split():
        assert main([f"b_{target}", f"--mcu={target}", f"--into={tmp_path}"]) == 0
        text = (tmp_path / f"b_{target}" / "board.toml").read_text()
        assert f'target = "{target}"\n' in text or target.startswith("rp2")
    assert main(["mine", "--mcu=STM32F412ZGT6", f"--into={tmp_path}"]) == 0
    assert 'target = "stm32f412xg"\n' in (tmp_path / "mine" / "board.toml").read_text()


@pytest.mark.slow
def test_every_stm32_has_a_core_and_ram(tmp_path: Path) -> None:
    limits = tomllib.loads((RUNTIMES / "mcu/stm32/limits.toml").read_text())
    for number, part in enumerate(limits):
        assert main([f"b{number}", f"--mcu={part}rb", f"--into={tmp_path}"]) == 0
    assert limits.keys() == platforms().family("stm32").parts.keys()


@pytest.mark.parametrize("number", ["STM32F999RG", "ATmega328", "", "../x", "stm32f40", "x" * 500])
def test_an_unknown_number_is_one_error(tmp_path: Path, number: str) -> None:
    with pytest.raises(ToolchainError, match="BRD025: no MCU family knows") as caught:
        main(["mine", f"--mcu={number}", f"--into={tmp_path}"])
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(("name", "says"), [
    ("A B", "'A B' is no name of a board"),
    ("../x", "'../x' is no name of a board"),
    ("taken", "there is something of this name already"),
    ("mine", "this board exists\n.*\n.*build for it, with board=mine 'boards={into}';"),
    ("pico", "'pico' is a name of .*boards/pico"),
    ("stm32", "'stm32' is a name of .*boards/stm32f405"),
])  # fmt: skip
def test_a_name_that_cannot_be_is_one_error(tmp_path: Path, name: str, says: str) -> None:
    into = tmp_path / "my boards"
    (into / "taken").mkdir(parents=True)
    (into / "mine").mkdir()
    (into / "mine/board.toml").touch()
    with pytest.raises(ToolchainError, match=f"BRD025: {says.format(into=into)}"):
        main([name, "--mcu=RP2040", f"--into={into}"])


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolchainError, match="BLD002: cannot write"):
        main(["mine", "--mcu=RP2040", f"--into={tmp_path / 'file'}"])


def test_a_board_that_is_not_written_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str, encoding: str) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ToolchainError, match="BLD002: cannot write"):
        main(["mine", "--mcu=RP2040", f"--into={tmp_path}"])
    assert not (tmp_path / "mine").exists()


def test_a_board_that_cannot_be_run_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["mine", "--mcu=RP2040", "--run=m.tflite"]
    with pytest.raises(ToolchainError, match="BLD120: there is no SConstruct here"):
        main(words)
    (tmp_path / "SConstruct").touch()
    with pytest.raises(ToolchainError, match="BLD003: --run=m.tflite does not exist"):
        main(words)
    assert [each.name for each in tmp_path.iterdir()] == ["SConstruct"]


def test_a_page_is_written_where_the_board_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A board of a user's own folder gets its page, and keeps one that a user wrote."""
    assert main(["mine", "--mcu=STM32F405RGT6", f"--into={tmp_path}"]) == 0
    page = tmp_path / "mine" / "README.md"
    capsys.readouterr()
    assert readme([f"--boards={tmp_path}"]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text()
    assert "## Registers that `init` writes" in text
    assert "verified" not in text, "no suite has this board"
    assert readme([f"--boards={tmp_path}"]) == 0
    page.write_text("by hand")
    with pytest.raises(ToolchainError, match="BLD045: there is a file already"):
        readme([f"--boards={tmp_path}"])
    assert page.read_text() == "by hand"


PACK = """<?xml version="1.0" encoding="UTF-8"?>
<package><devices><family Dfamily="STM32F4 Series">
  <processor Dcore="Cortex-M4"/>
  <memory id="IRAM1" start="0x20000000" size="0x18000" default="1"/>
  <subFamily DsubFamily="STM32F401">
    <device Dname="STM32F401CC">
      <memory name="Flash" access="rx" start="0x08000000" size="0x40000" startup="1"/>
    </device>
    <device Dname="STM32F401CE">
      <memory id="IROM1" start="0x08000000" size="0x80000" default="1"/>
      <variant Dvariant="STM32F401CEUx"/>
    </device>
  </subFamily>
</family></devices></package>
"""
SVD = "<device><name>{}</name><peripherals/></device>"


def test_a_pack_says_what_memories_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f4.pdsc"
    file.write_text(PACK)
    words = [f"--mcu={file}", f"--into={tmp_path}"]
    assert main(["mine", *words, "--device=STM32F401CEUx"]) == 0
    memory = load_board("mine", [tmp_path]).memory
    assert (memory["flash"].size, memory["ram"].size) == (512 << 10, 96 << 10)
    assert "memory" not in capsys.readouterr().out
    with pytest.raises(ToolchainError, match="it has 2 MCUs: STM32F401CC, STM32F401CEUx"):
        main(["other", *words])
    with pytest.raises(ToolchainError, match="did you mean 'STM32F401CEUx'"):
        main(["other", *words, "--device=STM32F401CEU"])


OTHERS = """<package><devices><family Dfamily="Other">
  <processor Dcore="Cortex-M33" Dfpu="SP_FPU" Ddsp="DSP" Dclock="160000000"/>
  <memory name="ROM_NS" access="rx" start="0x10000" size="0x40000" default="1" startup="1"/>
  <memory name="ROM_S" access="rx" start="0x8010000" size="0x40000" alias="ROM_NS"/>
  <memory name="A" access="rwx" start="0x20000000" size="0x8000" default="1"/>
  <memory name="B" access="rwx" start="0x20008000" size="0x8000" default="1"/>
  <memory name="Retained 2" access="rwx" start="0x28000000" size="0x1000" default="1"/>
  <device Dname="OTHER33"/>
  <device Dname="OTHER33S"><processor Dfpu="NO_FPU" Ddsp="NO_DSP"/></device>
  <device Dname="OTHER01"><processor Dcore="Cortex-M1"/></device>
  <device Dname="TWICE7">
    <processor Pname="HP" Dcore="Cortex-M7" Dfpu="DP_FPU" Dclock="480000000"/>
    <processor Pname="LP" Dcore="Cortex-M0+" Dfpu="NO_FPU"/>
    <memory Pname="LP" name="C" access="rw" start="0x20100000" size="0x20000" default="1"/>
  </device>
</family></devices></package>
"""


@pytest.mark.parametrize(("device", "core", "ram"), [
    ("OTHER33", "cortex-m33f", 0x2000_0000),
    ("OTHER33S", "cortex-m33", 0x2000_0000),
    ("TWICE7:HP", "cortex-m7d", 0x2000_0000),
    ("TWICE7:LP", "cortex-m0plus", 0x2010_0000),
])  # fmt: skip
def test_a_pack_describes_an_mcu_of_no_family(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str, core: str, ram: int
) -> None:
    file = tmp_path / "other.pdsc"
    file.write_text(OTHERS)
    assert main(["mine", f"--mcu={file}", f"--into={tmp_path}", f"--device={device}"]) == 0
    board = load_board("mine", [tmp_path])
    flash, memory = board.memory["flash"], board.memory["ram"]
    assert (board.core.name, memory.origin) == (core, ram)
    assert (flash.origin, flash.size, "retained_2" in board.memory) == (0x10000, 256 << 10, True)
    assert memory.size == (64 << 10 if ram == 0x2000_0000 else 128 << 10)
    assert "memory.retained_2, defines.CORE_HZ" in capsys.readouterr().out
    assert "#error" in (tmp_path / "mine/board.cc").read_text()


def test_a_pack_is_an_archive_of_its_description(tmp_path: Path) -> None:
    file = tmp_path / "Other.DFP.1.0.0.pack"
    words = [f"--mcu={file}", f"--into={tmp_path}", "--device=OTHER33"]
    for content, name in ((OTHERS, "Other.DFP.pdsc"), (None, "README.md")):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, content or "")
        if content:
            assert main(["mine", *words]) == 0
    assert load_board("mine", [tmp_path]).core.name == "cortex-m33f"
    with pytest.raises(ToolchainError, match=r"BRD026: it cannot be read: it has 0 \.pdsc files"):
        main(["other", *words])
    file.write_bytes(b"PK")
    with pytest.raises(ToolchainError, match="BRD026: it cannot be read: it is no archive"):
        main(["other", *words])


def test_a_core_that_opsmith_lacks_is_named(tmp_path: Path) -> None:
    file = tmp_path / "other.pdsc"
    file.write_text(OTHERS)
    with pytest.raises(ToolchainError, match="its pack states 'Cortex-M1' and flash, ram"):
        main(["mine", f"--mcu={file}", f"--into={tmp_path}", "--device=OTHER01"])


@pytest.mark.slow
def test_peripherals_of_a_file_name_an_mcu(tmp_path: Path) -> None:
    file = tmp_path / "some.svd"
    file.write_text(SVD.format("nrf52840"))
    assert main(["mine", f"--mcu={file}", f"--into={tmp_path}"]) == 0
    assert load_board("mine", [tmp_path]).core.name == "cortex-m4f"
    file.write_text(SVD.format("LPC1768"))
    with pytest.raises(ToolchainError, match="BRD025: no MCU family knows the number 'LPC1768'"):
        main(["other", f"--mcu={file}", f"--into={tmp_path}"])


def test_a_project_has_a_folder_for_its_boards(here: Path) -> None:
    assert main(["first", "--mcu=STM32F405RGT6"]) == 0
    (here / "my_boards").mkdir()
    assert main(["second", "--mcu=STM32F405RGT6"]) == 0
    written = sorted(str(each.parent) for each in Path().rglob("board.toml"))
    assert written == ["boards/first", "my_boards/second"]


@pytest.mark.parametrize(
    ("number", "board"),
    [("ESP32-C3", "esp32c3_devkitm"), ("STM32U585AI", "nucleo_u575zi_q"), ("STM32L072KZ", "")],
)
def test_a_board_of_a_similar_number_is_named(number: str, board: str) -> None:
    with pytest.raises(ToolchainError, match="BRD025: no MCU family knows") as caught:
        main(["mine", f"--mcu={number}", "--into=/nowhere"])
    (named,) = re.findall(r"similar MCU(?:, such as (\S+))? ", str(caught.value))
    assert named == (board and str(ROOT / "boards" / board))


ENTITY = "<!DOCTYPE d [<!ENTITY a 'aaaa'>]><device><name>&a;</name></device>"


@pytest.mark.parametrize(("content", "says"), [
    (ENTITY.encode(), "it has a document type"),
    (ENTITY.encode("utf-16"), "it cannot be read"),
    (b"<device><name>nrf52840</name>", "it is no XML"),
    (b"<device><name>&a;</name></device>", "it is no XML"),
    (b"<device><name>\x1b[31m52</name></device>", "it is no XML"),
    (b"<family>" * 100_000, "it is no XML"),
    (b"<device/>", "'' is no MCU's name"),
    (b"<device><name>../nrf52840</name></device>", "is no MCU's name"),
    (b"<html/>", "it names no MCU"),
    (b"<package/>", "it names no MCU"),
    (b" " * (40 << 20), "it has more than 33,554,432 bytes"),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_a_hostile_file_is_one_error(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "hostile.svd"
    file.write_bytes(content)
    with pytest.raises(ToolchainError, match=rf"BRD026: .*{re.escape(says)}") as caught:
        main(["mine", f"--mcu={file}", f"--into={tmp_path}"])
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "mine").exists()


def test_a_pack_with_memories_that_none_can_have_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f4.pdsc"
    file.write_text(PACK.replace('size="0x18000"', 'size="0x10"'))
    with pytest.raises(ToolchainError, match="BRD00"):
        main(["mine", f"--mcu={file}", f"--into={tmp_path}", "--device=STM32F401CC"])
    assert not (tmp_path / "mine").exists()


def test_a_file_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BRD026: it cannot be read: No such file"):
        main(["mine", f"--mcu={tmp_path}/none.pdsc", f"--into={tmp_path}"])


def test_a_terminal_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f4.pdsc"
    file.write_text(PACK)
    answers = iter(["mine", str(file), "STM32F401CC"])
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main([f"--into={tmp_path}"]) == 0
    assert load_board("mine", [tmp_path]).memory["flash"].size == 256 << 10


def test_what_is_missing_without_a_terminal_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: False))
    with pytest.raises(ToolchainError, match="BLD001: --mcu= is missing"):
        main(["mine", f"--into={tmp_path}"])


def pyocd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-in for pyOCD 0.46 with one board."""
    boards = {"0770": SimpleNamespace(name="NUCLEO-L432KC", target="stm32l432kcux")}
    monkeypatch.setitem(sys.modules, "pyocd", SimpleNamespace(__spec__=object()))
    ids = SimpleNamespace(BOARD_ID_TO_INFO=boards)
    monkeypatch.setitem(sys.modules, "pyocd.board.board_ids", ids)


@pytest.mark.slow
def test_pyocd_knows_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyocd(monkeypatch)
    assert main(["mine", "--mcu=nucleo_l432kc", f"--into={tmp_path}"]) == 0
    memory = load_board("mine", [tmp_path]).memory
    assert (memory["flash"].size, memory["ram"].size) == (256 << 10, 48 << 10)
    assert 'target = "stm32l432kc"\n' in (tmp_path / "mine" / "board.toml").read_text()


def test_what_pyocd_could_tell_is_one_error_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyocd", None)  # as if it were not installed
    with pytest.raises(ToolchainError, match="BRD025") as caught:
        main(["mine", "--mcu=nucleo_l432kc", f"--into={tmp_path}"])
    (problem,) = caught.value.problems
    assert "pyOCD" in problem.fix
    assert not (tmp_path / "mine").exists()


def test_a_shipped_board_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="build for it, with board=nucleo_f446re") as caught:
        main(["mine", "--mcu=nucleo_f446re", f"--into={tmp_path}"])
    assert len(caught.value.problems) == 1
