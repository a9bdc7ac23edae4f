"""Setup of FPGA images by Arm: divider of the APB UART."""

from opsmith.board.setup import Accesses, Mcu, Polled, Setup, baud_fits, divider

_LEAST, _MOST = 16, 0xF_FFFF  # of BAUDDIV


def setup(asked: Mcu) -> Setup | None:
    """Setup of the UART at `console.address`; None after noting problems."""
    console = asked.console
    base = console.number("address", 0, 0xFFFF_FFFF)
    interrupt = console.number("interrupt", 0, 239)
    hz = asked.clock.number("core_hz", 1_000_000, 1_000_000_000)
    steps = Accesses(asked.registers.based(base))
    fast = divider(hz, asked.baud, _LEAST, _MOST)
    baud = hz / fast
    if not baud_fits(asked, baud, hz):
        return None
    steps.divide("UART_BAUDDIV", fast, fast, hz, asked.baud, fast)
    steps.write("UART_CTRL", TXEN=1, RXEN=1, RXIRQEN=1)
    names = {"status": "STATE", "transmit": "DATA", "receive": "DATA", "clear": "STATE"}
    names["acknowledge"] = "INTCLEAR"
    more = {"interrupt": interrupt, "errors": 0xC, "acknowledged": 2}  # overruns are errors
    uart = Polled.of(steps.registers, "UART", names, (1, 0), (2, 0), **more)
    return Setup((), (), tuple(steps.made), hz, hz, baud, f"UART at {base:#x}", uart)
