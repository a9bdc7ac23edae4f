"""Setup of an ESP32-C3: a loader maps flash, watchdogs are off, the core runs from crystal or PLL,
and a UART takes its clock from the crystal and any two pins by the GPIO matrix.
"""

import re

from opsmith.board.registers import Register
from opsmith.board.setup import Accesses, Button, Mcu, Polled, Setup, Switch, baud_fits, divider
from opsmith.errors import shown
from runtimes.mcu.esp32c3 import image
from runtimes.mcu.esp32c3.pll import PLL_HZ, start_pll

UARTS, PINS, OF_FLASH = ("UART0", "UART1"), 22, range(12, 18)
_CRYSTAL_HZ = 40_000_000
CORE_HZ = (*PLL_HZ, _CRYSTAL_HZ, 20_000_000, 10_000_000)
_SIGNAL = {"UART0": 6, "UART1": 9}  # of esp-idf 45a1873f: gpio_sig_map.h
_GPIO_SIGNAL, _GPIO_FUNCTION = 128, 1  # SIG_GPIO_OUT_IDX; MCU_SEL of a pin of the matrix
_WATCHDOG_KEY, _SUPER_KEY = 0x50D8_3AA1, 0x8F1D_312A  # TIMG_WDT_WKEY_VALUE; of SWD_WPROTECT
_FROM_CRYSTAL = 3  # SCLK_SEL of a UART
_LEAST, _MOST = 16, 0xFFFF  # of the divider, in sixteenths
_FIFO = 128  # bytes


def setup(asked: Mcu) -> Setup | None:
    """Setup of the part; None after noting problems of the board."""
    core_hz = asked.clock.number("core_hz", 1, 1_000_000_000)
    if core_hz not in CORE_HZ:
        what = f"'clock.core_hz' is {core_hz}, which this family does not make"
        asked.refuse("BRD022", what, f"choose one of: {', '.join(map(str, CORE_HZ))}")
        return None
    uart = asked.console.choice("uart", UARTS)
    used = {
        f"console.{key}": _pin(asked, f"console.{key}", asked.console.text(key))
        for key in ("tx", "rx")
    }
    switches = {key: asked.switch(key, _pin) for key in ("led", "button")}
    used |= {f"{key}.pin": found[0] for key, found in switches.items() if found}
    named = [(key, f"GPIO{pin}") for key, pin in used.items() if pin is not None]
    asked.share_no_pin(named)
    by = divider(16 * _CRYSTAL_HZ, asked.baud, _LEAST, _MOST)
    baud = 16 * _CRYSTAL_HZ / by
    flash_bytes = _flash_bytes(asked)
    if not baud_fits(asked, baud, _CRYSTAL_HZ) or uart is None or len(named) < len(used):
        return None
    if flash_bytes is None:
        return None
    load, clock, console = (Accesses(asked.registers) for _ in range(3))
    image.load(load, flash_bytes)
    _stop_watchdogs(clock)
    divided = 0 if core_hz in PLL_HZ else _CRYSTAL_HZ // core_hz - 1
    clock.change("SYSTEM_SYSCLK_CONF", PRE_DIV_CNT=divided, SOC_CLK_SEL=0)
    if core_hz in PLL_HZ:
        start_pll(clock, core_hz)
    _start_uart(console, uart, by, asked.baud)
    tx, rx = used["console.tx"], used["console.rx"]
    assert tx is not None and rx is not None, "checked"
    _output(console, tx, _SIGNAL[uart])
    _input(console, rx, up=True)
    at = asked.registers.register("GPIO_FUNC0_IN_SEL_CFG").at(4 * _SIGNAL[uart])
    chosen = Register(f"GPIO_FUNC{_SIGNAL[uart]}_IN_SEL_CFG", at.address, at.fields)
    console.bits("write", chosen, 0xFFFF_FFFF, 1 << at.fields["SEL"].bit | rx, f"GPIO{rx}")
    led = _led(console, *switches["led"]) if switches["led"] else None
    button = _button(console, *switches["button"]) if switches["button"] else None
    return Setup(
        clock=tuple(clock.made),
        undo=(),
        console=tuple(console.made),
        clock_hz=core_hz,
        reset_hz=core_hz,
        baud=baud,
        uart=uart,
        polled=_polled(asked, uart),
        led=led,
        button=button,
        load=tuple(load.made),
        boot=image.boot_image(flash_bytes),
    )


def _flash_bytes(asked: Mcu) -> int | None:
    """Size of flash; None after noting that the loader does not map it where the board has it."""
    flash = asked.board.table("memory").table("flash")
    most = image.PAGES * image.PAGE
    size = flash.optional_size("size", most)
    for key, wanted in (("origin", image.FLASH), ("data", image.DATA)):
        if (found := flash.number(key, 0, 0xFFFF_FFFF) if flash.has(key) else None) != wanted:
            what = f"'memory.flash.{key}' is {'missing' if found is None else hex(found)}"
            asked.refuse("BRD006", what, f"write {wanted:#x}, where the loader maps flash")
            size = most + 1
        elif size > most:
            what = f"'memory.flash.size' is {size:#x}, and the MMU maps {most:#x} bytes"
            asked.refuse("BRD006", what, 'write at most "8M"')
    return size if size <= most else None


def _pin(asked: Mcu, key: str, name: str) -> int | None:
    """Number of a pin; None after noting that the part has no free pin of that name."""
    found = re.fullmatch(r"GPIO(\d|1\d|2[01])", name)
    if found and int(found[1]) not in OF_FLASH:
        return int(found[1])
    if name:
        why = "flash has" if found else "the ESP32-C3 does not have"
        last, first = OF_FLASH.start - 1, OF_FLASH.stop
        fix = f"write a name from GPIO0 to GPIO{last} or from GPIO{first} to GPIO{PINS - 1}"
        asked.refuse("BRD021", f"'{key}' is {shown(name)}, which {why}", fix)
    return None


def _stop_watchdogs(steps: Accesses) -> None:
    """Turn off watchdogs that the boot ROM leaves on: three, and a fourth that is fed instead."""
    for each in ("TIMG0", "TIMG1"):
        steps.whole(f"{each}_WDTWPROTECT", _WATCHDOG_KEY, "unlocked")
        steps.write(f"{each}_WDTCONFIG0", WDT_EN=0, WDT_CONF_UPDATE_EN=1)
        steps.whole(f"{each}_WDTWPROTECT", 0, "locked")
    steps.whole("RTC_CNTL_WDTWPROTECT", _WATCHDOG_KEY, "unlocked")
    steps.write("RTC_CNTL_WDTCONFIG0", WDT_EN=0)
    steps.whole("RTC_CNTL_WDTWPROTECT", 0, "locked")
    steps.whole("RTC_CNTL_SWD_WPROTECT", _SUPER_KEY, "unlocked")
    steps.change("RTC_CNTL_SWD_CONF", SWD_AUTO_FEED_EN=1)
    steps.whole("RTC_CNTL_SWD_WPROTECT", 0, "locked")


def _start_uart(steps: Accesses, uart: str, by: int, asked: int) -> None:
    """Set a UART up for 8N1 with the crystal's clock; the last write passes all settings to the
    UART's clock domain.
    """
    name = "UART" if uart == "UART0" else uart
    steps.change("SYSTEM_PERIP_CLK_EN0", **{f"{name}_CLK_EN": 1, "UART_MEM_CLK_EN": 1})
    steps.change("SYSTEM_PERIP_RST_EN0", **{f"{name}_RST": 0, "UART_MEM_RST": 0})
    off = dict.fromkeys(("RST_CORE", "TX_RST_CORE", "RX_RST_CORE"), 0)
    on = dict.fromkeys(("SCLK_EN", "TX_SCLK_EN", "RX_SCLK_EN"), 1)
    whole = dict.fromkeys(("SCLK_DIV_B", "SCLK_DIV_A", "SCLK_DIV_NUM"), 0)
    steps.change(f"{uart}_CLK_CONF", **whole, SCLK_SEL=_FROM_CRYSTAL, **on, **off)
    bits = by >> 4 | (by & 15) << 20  # CLKDIV and, in sixteenths, FRAG
    steps.divide(f"{uart}_CLKDIV", bits, bits, _CRYSTAL_HZ, asked, by / 16)
    steps.change(f"{uart}_CONF0", PARITY_EN=0, BIT_NUM=3, STOP_BIT_NUM=1)
    steps.change(f"{uart}_ID", REG_UPDATE=1)


def _pad(steps: Accesses, pin: int, *, input_: bool, up: bool = False, down: bool = False) -> None:
    """Add the write that gives a pin to the GPIO matrix, as input or not, pulled or not."""
    at = steps.registers.register("IO_MUX_GPIO0").at(4 * pin)
    values = {"MCU_SEL": _GPIO_FUNCTION, "FUN_IE": int(input_)}
    values |= {"FUN_WPU": int(up), "FUN_WPD": int(down)}
    bits = sum(value << at.fields[name].bit for name, value in values.items())
    mask = sum(at.fields[name].mask for name in values)
    meaning = ", ".join(f"{name} {value}" for name, value in values.items())
    steps.bits("change", Register(f"IO_MUX_GPIO{pin}", at.address, at.fields), mask, bits, meaning)


def _output(steps: Accesses, pin: int, signal: int) -> None:
    """Let a signal of the GPIO matrix drive a pin."""
    at = steps.registers.register("GPIO_FUNC0_OUT_SEL_CFG").at(4 * pin)
    named = Register(f"GPIO_FUNC{pin}_OUT_SEL_CFG", at.address, at.fields)
    steps.bits("write", named, 0xFFFF_FFFF, signal, f"OUT_SEL {signal}")
    steps.whole("GPIO_ENABLE_W1TS", 1 << pin, f"GPIO{pin} output")
    _pad(steps, pin, input_=False)


def _input(steps: Accesses, pin: int, *, up: bool = False, down: bool = False) -> None:
    _pad(steps, pin, input_=True, up=up, down=down)


def _led(steps: Accesses, pin: int, low: bool) -> Switch:
    """Add the steps of an LED's output, which is off, and return the writes that switch it."""
    on, off = ("OUT_W1TC", "OUT_W1TS") if low else ("OUT_W1TS", "OUT_W1TC")
    steps.whole(f"GPIO_{off}", 1 << pin, f"GPIO{pin} off")
    _output(steps, pin, _GPIO_SIGNAL)
    return Switch.of(steps.registers, f"GPIO_{on}", f"GPIO_{off}", 1 << pin)


def _button(steps: Accesses, pin: int, low: bool) -> Button:
    """Add the steps of a button's input, pulled to the level of a released button."""
    _input(steps, pin, up=low, down=not low)
    address = steps.registers.register("GPIO_IN").address
    return Button(address, 1 << pin, 0 if low else 1 << pin)


def _polled(asked: Mcu, uart: str) -> Polled:
    """UART as data, by the numbers of bytes in its FIFOs."""
    names = {"status": "STATUS", "transmit": "FIFO", "receive": "FIFO"}
    fields = asked.registers.register(f"{uart}_STATUS").fields
    full, arrived = _FIFO << fields["TXFIFO_CNT"].bit, fields["RXFIFO_CNT"].mask
    return Polled.of(asked.registers, uart, names, (full, 0), (arrived, 0))
