"""Setup of a SmartFusion2: an MMUART, which is a 16550."""

from opsmith.board.setup import Accesses, Mcu, Polled, Setup, baud_fits, divider

UARTS = ("MMUART0", "MMUART1")


def setup(asked: Mcu) -> Setup | None:
    """Setup of the UART; None after noting problems."""
    hz = asked.clock.number("core_hz", 1_000_000, 166_000_000)
    uart = asked.console.choice("uart", UARTS)
    if uart is None:
        return None
    steps = Accesses(asked.registers)
    fast = divider(hz // 16, asked.baud, 1, 0xFFFF)
    baud = hz / 16 / fast
    if not baud_fits(asked, baud, hz):
        return None
    steps.change("SYSREG_SOFT_RST_CR", **{f"{uart}_SOFTRESET": 0})
    steps.write(f"{uart}_LCR", DLAB=1, WLS=3)
    steps.divide(f"{uart}_DLR", fast & 255, fast & 255, hz, asked.baud, 16 * fast)
    steps.divide(f"{uart}_DMR", fast >> 8, fast >> 8, hz, asked.baud, 16 * fast)
    steps.write(f"{uart}_LCR", WLS=3)
    steps.write(f"{uart}_FCR", FIFO_EN=1)
    steps.write(f"{uart}_IER", ERBFI=1)
    names = {"status": "LSR", "transmit": "RBR", "receive": "RBR"}
    polled = Polled.of(asked.registers, uart, names, (1 << 5, 1 << 5), (1, 0))
    return Setup((), (), tuple(steps.made), hz, hz, baud, uart, polled)
