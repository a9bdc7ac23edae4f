"""Boards build, and those that can run here run; faults and hangs are reported.

The mark `boards` tries some of the boards that it names, and all with --examples=2.
"""

import re
import resource
import subprocess
import time
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import Board, load_board
from opsmith.errors import ToolchainError
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import load_build
from opsmith.rig.console import listening, shown
from opsmith.rig.rig import open_rig
from tests.commands import said
from tests.system.hand_written import BOARDS, FLAGS, PIXELS, build, camera_pixels
from tests.turns import shipped

pytestmark = [pytest.mark.system, pytest.mark.qemu]
ALL = [board.name for board in shipped()]
HOSTED = [board.name for board in shipped() if board.core.hosted]
EMULATED = [board.name for board in shipped() if board.run.qemu]

# A camera's image crosses each kind of UART, and pipes; these boards have that of mps2_an386.
SAME_UART = ("mps2_an385", "mps2_an500", "mps3_an547")
CAMERAS = [name for name in ("host", *EMULATED) if name not in SAME_UART]

# Where nothing is: reading it is a bus fault, but on machines of QEMU that let all be read. Those
# fault by an undefined instruction.
NOTHING = {"mps3_an524": "0x0F000000", "mps3_an547": "0x0F000000"}
LENIENT = ("lm3s6965evb", "lm3s811evb", "netduino2")
READ, UNDEFINED = "sink = *reinterpret_cast<volatile uint32_t*>({});", 'asm volatile("udf #0");'
# What a dump has of registers, and what says why; Armv6-M does not.
DUMPS = {
    "arm": ((" pc=", " lr=", " psr=", " r0="), ("cfsr=", "hfsr=", "bus fault on a data access")),
    "riscv": ((" pc=", " ra=", " sp=", " a0="),
        ("cause=00000005", "load from a forbidden or absent address, 0xb0000000")),
}  # fmt: skip
# What the firmware of all tests does before it computes where the flags say so: the number of one
# of these and two more bytes.
ACTS = {
    "fault": "{}",
    "overflow": "sink = dig(1000);",
    "debug": 'opsmith::board::debug_write("nobody");',
    "hang": "for (;;) sink = 1;",
    "crash": "__builtin_trap();",
    "restart": "*reinterpret_cast<volatile uint32_t*>(0xE000ED0C) = 0x05FA0004; for (;;) sink = 1;",
}
ASKED = (0x5A, 0x3C)
Firmware = Callable[[str], tuple[Path, Board]]


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    """Folder of a board's firmware that acts as its inputs ask, and the board."""

    @cache
    def built(name: str) -> tuple[Path, Board]:
        cases = (f"case {number}: {act} break;" for number, act in enumerate(ACTS.values()))
        switch = f"switch (flags[0]) {{{{ {' '.join(cases)} }}}}"
        extra = f"if (flags[1] == {ASKED[0]} && flags[2] == {ASKED[1]}) {switch}"
        folder = tmp_path_factory.mktemp(f"rig-{name}")
        read = READ.format(NOTHING.get(name, "0xB0000000"))
        fault = UNDEFINED if name in LENIENT else read
        return folder, build(folder, name, extra=extra.format(fault))

    return built


def asking(folder: Path, act: str) -> list[Array]:
    """Inputs that ask the firmware to act in a way first."""
    pixels, flags = arrays.seeded(load_build(folder).inputs)
    flags[0, :3] = ([*ACTS].index(act), *ASKED)
    return [pixels, flags]


def expected(inputs: list[Array]) -> list[Array]:
    return [(inputs[0] + np.int8(1)), (inputs[1] + np.int8(2))]


def failure(made: tuple[Path, Board], act: str = "", invoke_timeout: float = 20.0) -> str:
    """Error that running the firmware with such inputs raises."""
    folder, board = made
    inputs = asking(folder, act) if act else arrays.seeded(load_build(folder).inputs)
    with (
        pytest.raises(ToolchainError) as caught,
        open_rig(folder, board, invoke_timeout=invoke_timeout) as rig,
    ):
        rig.invoke(inputs)
    return str(caught.value)


@pytest.mark.few(9)
@pytest.mark.boards([*HOSTED, *EMULATED])
def test_runs_and_reruns(firmware: Firmware, name: str) -> None:
    folder, board = firmware(name)
    tensors = load_build(folder).inputs
    with open_rig(folder, board) as rig:
        for seed in range(2):
            inputs = arrays.seeded(tensors, seed)
            for output, right in zip(rig.invoke(inputs), expected(inputs), strict=True):
                np.testing.assert_array_equal(output, right)
        used, size = rig.stack()
    assert size == board.stack_bytes
    assert (used == 0) if board.core.hosted else (100 <= used < size)


@pytest.mark.few(2)
@pytest.mark.boards(CAMERAS)
def test_an_image_takes_little_time(tmp_path: Path, name: str) -> None:
    board = build(tmp_path, name, pixels=camera_pixels(name))
    inputs = arrays.seeded(load_build(tmp_path).inputs)
    with open_rig(tmp_path, board) as rig:
        begin = time.monotonic()
        outputs = rig.invoke(inputs)
        taken = time.monotonic() - begin
    for output, right in zip(outputs, expected(inputs), strict=True):
        np.testing.assert_array_equal(output, right)
    # About 0.3 s on an idle machine; twenty times that is another disease.
    assert taken < 6.0


@pytest.mark.few(8)
@pytest.mark.boards(ALL)
def test_links_within_the_memories_of_its_board(firmware: Firmware, name: str) -> None:
    folder, board = firmware(name)
    if board.core.hosted:
        return
    listed = said([f"{board.core.architecture.tools}objdump", "-h", "firmware.elf"], cwd=folder)
    sections = {
        row[0]: (int(row[2], 16), int(row[1], 16))
        for row in re.findall(r"^ *\d+ (\S+) +(\w+) +(\w+) ", listed, re.MULTILINE)
        for row in [(row[0], row[1], row[2])]
    }
    ram = board.memory["ram"]
    assert sections[".text"][0] == board.memory["flash"].origin
    assert sections[".stack"] == (ram.origin, board.stack_bytes)
    assert ram.origin + board.stack_bytes <= sections[".bss"][0] < ram.end


@pytest.mark.boards(EMULATED)
def test_a_fault_is_reported_with_registers_and_cause(firmware: Firmware, name: str) -> None:
    told = failure(firmware(name), "fault")
    assert "RIG007" in told
    core = load_board(name, [BOARDS]).core
    registers, why = DUMPS[core.architecture.name]
    for word in registers:
        assert word in told
    if name in LENIENT:
        why = ("cfsr=00010000", "hfsr=", "cause: undefined instruction")
    for word in why:
        assert (word in told) == ("thumb" not in core.features or "thumb2" in core.features)
    assert "pc is in plus_one::invoke() at model.cc:" in told


@pytest.mark.boards(EMULATED)
def test_a_stack_overflow_is_reported_and_not_survived(firmware: Firmware, name: str) -> None:
    told = failure(firmware(name), "overflow")
    assert "RIG007" in told
    assert "cause: the stack overflowed its limit" in told or "cause: stack overflow" in told


@pytest.mark.boards(EMULATED)
def test_debug_output_without_a_debugger_is_harmless(firmware: Firmware, name: str) -> None:
    folder, board = firmware(name)
    inputs = asking(folder, "debug")
    with open_rig(folder, board) as rig:
        np.testing.assert_array_equal(rig.invoke(inputs)[1], expected(inputs)[1])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["host", "mps2_an386", "stm32"])
def test_a_hang_is_reported(firmware: Firmware, name: str) -> None:
    told = failure(firmware(name), "hang", invoke_timeout=0.5)
    assert "RIG008" in told
    assert "no end of invoke within 0.5 s" in told


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["mps2_an386", "stm32"])
def test_a_restart_is_reported_at_once(firmware: Firmware, name: str) -> None:
    begin = time.monotonic()
    told = failure(firmware(name), "restart", invoke_timeout=600.0)
    assert "RIG040: the firmware restarted during invoke 1" in told
    assert time.monotonic() - begin < 60


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["host", "mps2_an386", "stm32"])
def test_an_application_of_ones_own_is_heard_until_it_ends(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main = tmp_path / "app" / "main.cc"
    main.parent.mkdir()
    main.write_text(
        '#include "runtimes/mcu/board.h"\n'
        'int main() { opsmith::board::init(); opsmith::board::write("Hello\\n", 6);'
        'opsmith::board::debug_write("there\\n"); return 3; }\n'
    )
    board = build(tmp_path, name, app=main)
    with listening(load_build(tmp_path), board) as (channel, log):
        assert shown(channel, 30.0, log)[0].startswith("it ended with status 3")
    assert capsys.readouterr().out == "Hello\nthere\n"


@pytest.mark.parametrize("name", ["host", "raspberry_pi_5"])
def test_a_crash_of_a_process_is_reported(
    firmware: Firmware, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
    monkeypatch.chdir(tmp_path)
    try:
        told = failure(firmware(name), "crash")
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    assert "RIG011" in told
    assert "SIGILL" in told or "SIGTRAP" in told
    assert not list(tmp_path.glob("*core*"))
    assert not list(firmware(name)[0].glob("*core*"))


@pytest.mark.few(1)
@pytest.mark.parametrize(("said", "code"), [
    ('for (int i = 0; i < 99; ++i) board::write("Hello, world!\\n", 14);', "RIG006"),
    ("", "RIG005"),
], ids=["mps2_an386-rubbish", "mps2_an386-silence"])  # fmt: skip
def test_firmware_that_does_not_speak_is_reported(
    tmp_path: Path, said: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opsmith.rig.protocol.Patience.boot", 2.0)
    monkeypatch.setattr("opsmith.rig.start.Patience", impatient)
    main = tmp_path / "app" / "main.cc"
    main.parent.mkdir()
    main.write_text(
        '#include "runtimes/mcu/board.h"\nusing namespace opsmith;\n'
        f'int main() {{ board::init(); {said} for (;;) asm volatile("wfi"); }}\n'
    )
    assert code in failure((tmp_path, build(tmp_path, "mps2_an386", app=main)))


def impatient(**_: float) -> object:
    from opsmith.rig.protocol import Patience

    return Patience(boot=2.0, line=0.5, invoke=1.0)


@pytest.mark.parametrize(("name", "section"), [("mps3_an547", ".sram.buffer")])
def test_more_memories_hold_what_names_them(tmp_path: Path, name: str, section: str) -> None:
    board = build(tmp_path, name, section=section, pixels=camera_pixels(name))
    inputs = arrays.seeded(load_build(tmp_path).inputs)
    with open_rig(tmp_path, board) as rig:
        np.testing.assert_array_equal(rig.invoke(inputs)[0], expected(inputs)[0])


@pytest.mark.few(3)
@pytest.mark.boards(["host", *EMULATED])
def test_bench_prints_outputs_and_ends(tmp_path: Path, name: str) -> None:
    board = build(tmp_path, name, app="bench")
    command: list[str] = [str(tmp_path / "firmware.elf")]
    emulator = board.core.architecture.emulator
    if board.run.qemu and emulator:
        semihosting = ["-semihosting-config", "enable=on,target=native"]
        command = [emulator.program, "-M", board.run.qemu, "-nographic", "-monitor", "none"]
        command += [*emulator.options]
        command += ["-serial", "null", *semihosting, "-kernel", str(tmp_path / "firmware.elf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    said = done.stdout + done.stderr
    for index, data in enumerate(bench_outputs()):
        line = f"output {index} bytes {len(data)} crc32 {zlib.crc32(data):08x} data {data.hex()}"
        assert line in said
    assert re.search(rf"^stack \d+ of {board.stack_bytes} bytes$", said, re.MULTILINE)


def bench_outputs() -> list[bytes]:
    """Outputs of the hand-written model for the inputs of the bench's generator."""
    x, outputs = 12345, []
    plus: Callable[[int, int], int] = lambda value, more: (value + more) & 0xFF  # noqa: E731
    for more, size in enumerate((PIXELS, FLAGS), start=1):
        data = bytearray()
        for _ in range(size):
            x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
            data.append(plus(x >> 24, more))
        outputs.append(bytes(data))
    return outputs
