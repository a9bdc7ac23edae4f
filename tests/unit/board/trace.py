"""Runs the `init` of a board on the CPU emulator unicorn, with registers that remember."""

import importlib
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from opsmith.board.describe import Board
from opsmith.board.registers import Register, Registers
from opsmith.board.setup_header import NAME, write_setup
from opsmith.home import HOME
from opsmith.reading import read_text
from tests.commands import said
from tests.conftest import NO_PACKAGES

INIT = "_ZN7opsmith5board4initEv"
CODE, STACK, END = 0x1_0000, 0x2_0000, 0x3_0000  # of addresses that no MCU has registers at
_PAGE = 0x1000
CACHE_SIZE = (0xE000_ED80, 0xF00F_E019)  # CCSIDR of 16 KB in 4 ways
# By architecture: a module of unicorn, registers of stack and return, and the lowest bit of code.
_CALLS = {
    "arm": ("arm_const", "UC_ARM_REG_SP", "UC_ARM_REG_LR", 1),
    "riscv": ("riscv_const", "UC_RISCV_REG_SP", "UC_RISCV_REG_RA", 0),
}
_MOST_INSTRUCTIONS = 50_000_000
ROM = 0x4000_1000  # page with functions that the setup calls
# A field that hardware sets, and the field that it follows; None: it is always set.
FOLLOWS: Mapping[str, str | None] = {
    "SWS": "SW", "VOSF": None, "VOSRDY": None, "ACTVOSRDY": None, "ODRDY": "ODEN",
    "ODSWRDY": "ODSWEN", "BOOSTRDY": "BOOSTEN", "STABLE": None, "LOCK": None, "CLKRDY": None,
    "STS_DC_OK": None, "XOSC32KRDY": None, "DFLLRDY": None, "DFLLLCKC": None, "DFLLLCKF": None,
}  # fmt: skip


def unicorn() -> ModuleType:
    """Package unicorn; skips the test without it."""
    try:
        return importlib.import_module("unicorn")
    except ImportError:
        pytest.skip(f"{NO_PACKAGES}: no unicorn")


@dataclass
class Traced:
    """Trace of what `init` did to the registers."""

    writes: list[tuple[int, int]] = field(default_factory=list)  # address and value
    memory: dict[int, int] = field(default_factory=dict)

    def field(self, register: Register, name: str) -> int:
        """Last value written to a field."""
        at = register.fields[name]
        return (self.memory.get(register.address, 0) & at.mask) >> at.bit

    def bits(self, address: int, bit: int, bits: int) -> int:
        """Last value written to some bits of a register."""
        return self.memory.get(address, 0) >> bit & ((1 << bits) - 1)


def registers_of(board: Board) -> Registers:
    """Registers of a board's part, by name."""
    assert board.family is not None
    parts = board.family.parts
    part = manifest(board).get("part", next(iter(parts)))
    return Registers(parts[part])


def manifest(board: Board) -> dict[str, Any]:
    """Content of a board's board.toml, unchecked."""
    return tomllib.loads(read_text(board.folder / "board.toml", 1 << 16))


def trace(board: Board, folder: Path, *, ready: bool) -> Traced:
    """Trace of a board's `init`. Without `ready`, no status bit is ever set: no clock starts."""
    names = unicorn()
    if shutil.which(compiler := f"{board.core.architecture.tools}g++") is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}")
    code, start = _program(board, folder)
    kind, *modes = (getattr(names, each) for each in board.core.architecture.unicorn)
    emulator = names.Uc(kind, sum(modes))
    emulator.mem_map(CODE, 0x1_0000)
    emulator.mem_map(STACK, 0x1_0000)
    emulator.mem_write(CODE, code)
    module, stack, link, thumb = _CALLS[board.core.architecture.name]
    constants = importlib.import_module(f"unicorn.{module}")
    emulator.reg_write(getattr(constants, stack), END)
    emulator.reg_write(getattr(constants, link), CODE + 0xF000 | thumb)
    traced = Traced(memory=dict([CACHE_SIZE]))
    if "RESETS_RESET" in registers_of(board):
        traced.memory[registers_of(board).register("RESETS_RESET").address] = 0xFFFF_FFFF
    statuses = _statuses(registers_of(board)) if ready else {}
    events = _events(registers_of(board)) if ready else set()
    known = registers_of(board)
    selected = _multiplexers(known) if ready else {}
    released = _released(known)
    pages: set[int] = set()

    def at(address: int) -> None:
        if address // _PAGE not in pages:
            pages.add(address // _PAGE)
            emulator.mem_map(address // _PAGE * _PAGE, _PAGE)

    def unmapped(_: Any, kind: int, address: int, size: int, value: int, __: Any) -> bool:
        at(address)
        return True

    def reads(_: Any, kind: int, address: int, size: int, value: int, __: Any) -> None:
        if not CODE <= address < END:
            assert size == 4, f"{address:#x} is read by {size} bytes"
            at(address)
            word = traced.memory.get(address, 0) | _status(traced, statuses.get(address, ()))
            word |= int(address in events)
            word |= _selected(traced, selected.get(address))
            if address in released:  # whether or not a clock starts
                word = ~traced.memory.get(released[address], 0xFFFF_FFFF) & 0xFFFF_FFFF
            emulator.mem_write(address, word.to_bytes(4, "little"))

    def writes(_: Any, kind: int, address: int, size: int, value: int, __: Any) -> None:
        if not CODE <= address < END:
            assert size == 4, f"{address:#x} is written by {size} bytes"
            traced.memory[address] = value & 0xFFFF_FFFF
            traced.writes.append((address, value & 0xFFFF_FFFF))

    if board.core.architecture.name == "riscv":
        _map_rom(emulator, names, constants, traced)
    emulator.hook_add(names.UC_HOOK_MEM_UNMAPPED, unmapped)
    emulator.hook_add(names.UC_HOOK_MEM_READ, reads)
    emulator.hook_add(names.UC_HOOK_MEM_WRITE, writes)
    emulator.emu_start(start | thumb, CODE + 0xF000, count=_MOST_INSTRUCTIONS)
    return traced


def _map_rom(emulator: Any, names: ModuleType, constants: ModuleType, traced: Traced) -> None:
    """Map stand-ins for functions of the ESP32-C3's ROM, whose writes to an internal bus become
    writes to addresses.
    """
    emulator.mem_map(ROM, _PAGE)
    emulator.mem_write(ROM, b"\x82\x80" * (_PAGE // 2))  # ret

    def called(_: Any, address: int, __: int, ___: Any) -> None:
        read = [emulator.reg_read(getattr(constants, f"UC_RISCV_REG_A{n}")) for n in range(6)]
        where, value = read[0] << 8 | read[2], read[3]
        if address == ROM + 0x960:  # _regi2c_impl_write_mask: msb, lsb, value
            most, bit, value = read[3:]
            mask = ((1 << (most - bit + 1)) - 1) << bit
            value = traced.memory.get(where, 0) & ~mask | value << bit & mask
        else:
            assert address == ROM + 0x95C, f"{address:#x} is no function"  # _regi2c_impl_write
        assert read[1] == 0, "the bus has one host"
        traced.memory[where] = value
        traced.writes.append((where, value))

    emulator.hook_add(names.UC_HOOK_CODE, called, begin=ROM, end=ROM + _PAGE - 1)


def _events(registers: Registers) -> set[int]:
    """Addresses of registers that are 1 once something has started."""
    every = (name for each in registers.peripherals() for name in registers.names(each))
    return {registers.register(name).address for name in every if name.endswith("STARTED")}


def _multiplexers(registers: Registers) -> dict[int, Register]:
    """Selecting register of a clock, by the address of the register with a status bit for each
    source.
    """
    every = (name for each in registers.peripherals() for name in registers.names(each))
    return {
        registers.register(name).address: registers.register(name.replace("_SELECTED", "_CTRL"))
        for name in every
        if name.endswith("_SELECTED")
    }


def _selected(traced: Traced, control: Register | None) -> int:
    return 1 << traced.field(control, "SRC") if control else 0


def _released(registers: Registers) -> dict[int, int]:
    """Register that resets, by the address of the register that says what is out of reset."""
    if "RESETS_RESET_DONE" not in registers:
        return {}
    done, reset = (registers.register(f"RESETS_{each}") for each in ("RESET_DONE", "RESET"))
    return {done.address: reset.address}


Follower = tuple[Register, str, Register, str | None]


def _statuses(registers: Registers) -> dict[int, list[Follower]]:
    """Fields that hardware sets, and what each follows, by the address of their register."""
    found: dict[int, list[Follower]] = {}
    for peripheral in registers.peripherals():
        for name in registers.names(peripheral):
            register = registers.register(name)
            for each in register.fields:
                control = FOLLOWS.get(each) or re.sub("RDY$", "ON", each)
                if each not in FOLLOWS and not registers.has_field(peripheral, control):
                    continue
                if each not in FOLLOWS and control == each:
                    continue
                named = None if each in FOLLOWS and FOLLOWS[each] is None else control
                holder = registers.holder(peripheral, control) if named else name
                entry = (register, each, registers.register(holder), named)
                found.setdefault(register.address, []).append(entry)
    return found


def _status(traced: Traced, followers: Any) -> int:
    """Value of the status bits of a register."""
    value = 0
    for register, name, control, named in followers:
        number = 1 if named is None else traced.field(control, named)
        if name == "VOSF":
            number = 0
        value |= number << register.fields[name].bit
    return value


def _program(board: Board, folder: Path) -> tuple[bytes, int]:
    """Code of the board's family, linked for address CODE, and the address of its `init`."""
    assert board.family is not None
    write_setup(board, folder / NAME)
    tools, elf = board.core.architecture.tools, folder / "init.elf"
    flags = [each for each in board.core.flags if not each.startswith("--specs=")]  # no C library
    command = [f"{tools}g++", *flags, "-std=c++17", "-Os", "-fno-exceptions"]
    command += ["-fno-rtti", "-ffreestanding", f"-I{HOME}", f"-I{folder}"]
    command += [f"-D{each}" for each in board.defines]
    places = f"-Wl,-Ttext={CODE:#x},-Tdata={CODE + 0x8000:#x},-Tbss={CODE + 0xC000:#x}"
    command += ["-nostdlib", places, f"-Wl,-e,{INIT},--gc-sections", "-Wl,--no-warn-rwx-segments"]
    said([*command, *map(str, board.family.sources), "-lgcc", "-o", elf])
    image = folder / "init.bin"
    said([f"{tools}objcopy", "-O", "binary", "-R", ".ARM.*", elf, image])
    names = said([f"{tools}nm", elf])
    (start,) = re.findall(rf"^(\w+) T {INIT}$", names, re.MULTILINE)
    return image.read_bytes(), int(start, 16)
