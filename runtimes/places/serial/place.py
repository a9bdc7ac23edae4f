"""Board at a serial port: /dev/…, /dev/serial/by-id/…, a URL of pyserial; else the one attached
port with the board's USB id.
"""

from opsmith.rig.attached import Attached
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.serial import find_port


def place(asked: RunRequest) -> Place:
    """Serial port after the colon, or the attached one."""
    console = asked.board.console
    if console is None:
        raise unfit(asked, "serial", "has no console at a serial port", "leave port= out")
    return Attached(asked, console, asked.where or find_port(asked.board))
