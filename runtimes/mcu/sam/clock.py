"""Clock of a SAM: frequencies, and steps that set them."""

from dataclasses import dataclass

from opsmith.board.setup import Accesses


@dataclass(frozen=True)
class SamClock:
    """Frequencies of the core and of the SERCOM, and the steps that set them."""

    steps: Accesses
    undo: Accesses
    core_hz: int
    reset_hz: int  # of the core after `undo`
    uart_hz: int
    slow_uart_hz: int  # after `undo`
