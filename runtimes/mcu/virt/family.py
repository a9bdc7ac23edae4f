"""Setup of QEMU's machine `virt`: divider of its UART, whose registers take writes of bytes."""

from opsmith.board.setup import Mcu, Setup, baud_fits, divider

_UART_HZ, _CLOCK_HZ = 3_686_400, 1_000_000_000  # QEMU's counter is its host's


def setup(asked: Mcu) -> Setup | None:
    """Setup of the UART; None after noting that its clock does not divide to the baud rate."""
    by = divider(_UART_HZ // 16, asked.baud, 1, 0xFFFF)
    baud = _UART_HZ / 16 / by
    if not baud_fits(asked, baud, _UART_HZ):
        return None
    registers = asked.registers
    uart, interrupt = registers.address("UART"), registers.interrupt("UART")
    numbers = (("kUart", uart), ("kUartInterrupt", interrupt), ("kDivider", by))
    return Setup((), (), (), _CLOCK_HZ, _CLOCK_HZ, baud, "NS16550A", numbers=numbers)
