"""Setup of an i.MX RT1060: PLL of the core, protection of absent memories, and an LPUART clocked by
the crystal.
"""

from opsmith.board.setup import Accesses, Button, Mcu, Polled, Setup, Switch, baud_fits
from runtimes.mcu import mpu
from runtimes.mcu.imxrt1060.clock import CRYSTAL_HZ, divide, start_clock, undo_clock
from runtimes.mcu.imxrt1060.pads import Pad, configure, pad_of

_GATES = {  # of clocks: register and field
    "GPIO1": ("CCGR1", "CG13"),
    "GPIO2": ("CCGR0", "CG15"),
    "GPIO3": ("CCGR2", "CG13"),
    "GPIO4": ("CCGR3", "CG6"),
    "LPUART1": ("CCGR5", "CG12"),
    "LPUART2": ("CCGR0", "CG14"),
    "LPUART3": ("CCGR0", "CG6"),
    "LPUART4": ("CCGR1", "CG12"),
    "LPUART5": ("CCGR3", "CG1"),
    "LPUART6": ("CCGR3", "CG3"),
    "LPUART7": ("CCGR5", "CG13"),
    "LPUART8": ("CCGR6", "CG7"),
}
_ALWAYS = 3
_FLASH, _MOST_FLASH = 0x6000_0000, 16 << 20
_OVERSAMPLED = range(4, 33)  # samples of a bit
_MOST = 0x1FFF  # SBR


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    core_hz = asked.clock.number("core_hz", 1, 1_000_000_000)
    divided = divide(core_hz)
    if divided is None and core_hz > 1:
        what = f"'clock.core_hz' is {core_hz}, which the PLL does not make of {CRYSTAL_HZ} Hz"
        asked.refuse("BRD022", what, "write 12000000 * n / d, of n from 54 to 108 and d to 8")
    uart = asked.console.choice("uart", tuple(asked.registers.pins))
    pins = {key: pad_of(asked.signal(uart, key)) for key in ("tx", "rx")}
    used = [(f"console.{key}", pin.name) for key, pin in pins.items() if pin]
    switches = {key: asked.switch(key, _pad) for key in ("led", "button")}
    used += [(f"{key}.pin", found[0].name) for key, found in switches.items() if found]
    asked.share_no_pin(used)
    if divided is None or uart is None or not all(pins.values()):
        return None
    clock, undo, steps = (Accesses(asked.registers) for _ in range(3))
    start_clock(clock, core_hz, divided)
    undo_clock(undo)
    chip = _chip_bytes(asked)
    _protect(steps, chip)
    baud = _start_uart(asked, steps, uart, {key: pin for key, pin in pins.items() if pin})
    if baud is None:
        return None
    led = _led(steps, *switches["led"]) if switches["led"] else None
    button = _button(steps, *switches["button"]) if switches["button"] else None
    return Setup(
        clock=tuple(clock.made),
        undo=tuple(undo.made),
        console=tuple(steps.made),
        clock_hz=core_hz,
        reset_hz=CRYSTAL_HZ,
        baud=baud,
        uart=uart,
        polled=_polled(asked, uart),
        led=led,
        button=button,
        caches=True,
        numbers=(("kFlashBytes", chip),),
    )


def _pad(asked: Mcu, key: str, name: str) -> Pad | None:
    """Pad of a name; None after noting that the part has no such pad."""
    pad = pad_of(name)
    if pad is None:
        asked.lacks(key, name, "write a pad such as GPIO_B0_03")
    return pad


def _chip_bytes(asked: Mcu) -> int:
    """Size of the flash chip: the least power of two that holds memory.flash."""
    of = asked.board.table("memory").table("flash").optional_size("size", _MOST_FLASH)
    return 1 << (of - 1).bit_length()


def _protect(steps: Accesses, chip: int) -> None:
    """Add the steps that forbid external memories except the flash that holds the firmware."""
    mpu.region(steps, 2, _FLASH, SIZE=chip.bit_length() - 2, AP=6, TEX=1, C=1, B=1)
    mpu.forbid_external(steps)


def _start_uart(asked: Mcu, steps: Accesses, uart: str, pins: dict[str, Pad]) -> float | None:
    """Add the steps of pads, clocks and the UART; returns its baud rate, or None if too far off."""
    ratio, by = min(
        (
            (each, min(max(round(CRYSTAL_HZ / asked.baud / each), 1), _MOST))
            for each in _OVERSAMPLED
        ),
        key=lambda pair: (abs(CRYSTAL_HZ / pair[0] / pair[1] - asked.baud), -pair[0]),
    )
    baud = CRYSTAL_HZ / ratio / by
    if not baud_fits(asked, baud, CRYSTAL_HZ):
        return None
    steps.change("CCM_CCGR4", CG1=_ALWAYS)  # IOMUXC
    for key, pad in pins.items():
        configure(steps, pad, asked.registers.pins[uart][key][pad.name], up=key == "rx")
    chosen = f"IOMUXC_{uart}_RX_SELECT_INPUT"
    if chosen in asked.registers:
        steps.write(chosen, DAISY=asked.registers.pads[uart][pins["rx"].name])
    steps.change("CCM_CSCDR1", UART_CLK_SEL=1, UART_CLK_PODF=0)
    _gate(steps, uart)
    steps.write(f"{uart}_CTRL", TE=0, RE=0)
    steps.write(f"{uart}_BAUD", OSR=ratio - 1, BOTHEDGE=int(ratio < 8), SBR=by)
    made = steps.made.pop()
    meaning = f"{made.meaning}: {CRYSTAL_HZ:,} Hz / {ratio} / {by} = {baud:,.0f} baud"
    meaning += f", {baud / asked.baud - 1:+.2%}"
    steps.bits("write", made.register, made.mask, made.value, meaning)
    steps.write(f"{uart}_CTRL", TE=1, RE=1, RIE=1)
    return baud


def _gate(steps: Accesses, name: str) -> None:
    register, field = _GATES[name]
    steps.change(f"CCM_{register}", **{field: _ALWAYS})


def _led(steps: Accesses, pad: Pad, low: bool) -> Switch:
    """Add the steps of an LED's output, which is off, and return the writes that switch it."""
    bit = 1 << pad.bit
    on, off = ("DR_CLEAR", "DR_SET") if low else ("DR_SET", "DR_CLEAR")
    _gate(steps, pad.port)
    registers = steps.registers
    _bit(steps, "write", f"{pad.port}_{off}", bit, f"{pad.name} off")
    _bit(steps, "change", f"{pad.port}_GDIR", bit, f"{pad.name} output")
    configure(steps, pad, Pad.AS_GPIO)
    return Switch.of(registers, f"{pad.port}_{on}", f"{pad.port}_{off}", bit)


def _button(steps: Accesses, pad: Pad, low: bool) -> Button:
    """Add the steps of a button's input, pulled to the level of a released button."""
    _gate(steps, pad.port)
    configure(steps, pad, Pad.AS_GPIO, up=low, down=not low)
    address, bit = steps.registers.register(f"{pad.port}_PSR").address, 1 << pad.bit
    return Button(address, bit, 0 if low else bit)


def _bit(steps: Accesses, action: str, name: str, bit: int, meaning: str) -> None:
    steps.bits(action, steps.registers.register(name), bit, bit, meaning)


def _polled(asked: Mcu, uart: str) -> Polled:
    """LPUART as data; writing its overrun bit clears an overrun."""
    names = {"status": "STAT", "transmit": "DATA", "receive": "DATA", "clear": "STAT"}
    fields = asked.registers.register(f"{uart}_STAT").fields
    ready, arrived, overrun = (fields[each].mask for each in ("TDRE", "RDRF", "OR"))
    return Polled.of(asked.registers, uart, names, (ready, ready), (arrived, 0), errors=overrun)
