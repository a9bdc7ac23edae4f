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

    def at(name: str) -> int:
        return steps.registers.register(f"UART_{name}").address

    uart = Polled(
        status=at("STATE"),
        transmit=at("DATA"),
        receive=at("DATA"),
        transmit_mask=1,
        transmit_value=0,
        receive_mask=2,
        receive_value=0,
        interrupt=interrupt,
        errors=0xC,  # overruns
        clear=at("STATE"),
        acknowledge=at("INTCLEAR"),
        acknowledged=2,
    )
    return Setup((), (), tuple(steps.made), hz, hz, baud, f"UART at {base:#x}", uart)
