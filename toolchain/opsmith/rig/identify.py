"""`identify`: prints which firmware runs at a serial port, and which local build made it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.manifest import Console
from opsmith.command_line import Parser
from opsmith.reading import UnreadableError, read_text
from opsmith.report.identity import UNSTAMPED
from opsmith.rig.lock import held
from opsmith.rig.protocol import Patience, Session
from opsmith.rig.serial import attached
from opsmith.text import escaped

BOOT_SECONDS = 4.5
_MOST_BYTES = 64 << 20  # limit of a report
_SHORT = 16  # digits of a digest that are shown


def main(argv: Sequence[str]) -> int:
    """Print the firmware that answers; returns 0. Raises RIG014 and errors of a conversation,
    within five seconds.
    """
    parser = Parser(prog="opsmith identify", description=__doc__)
    parser.add_argument("--port", required=True, help="serial port, or a URL of pyserial")
    parser.add_argument("--baud", type=int, default=115200, help="default: 115200")
    parser.add_argument("--builds", type=Path, default=Path("build"), help="default: build")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    # accept port=… in SCons's notation, too
    arguments = parser.parse_args([f"--{a}" if a.startswith("port=") else a for a in argv])
    patience = Patience(boot=BOOT_SECONDS)
    with (
        held([f"port {arguments.port}"]),
        attached(arguments.port, Console(arguments.baud, None)) as channel,
    ):
        firmware = Session(channel, patience).firmware
    found = [*made_by(arguments.builds, firmware.digest)]
    if arguments.json:
        said: dict[str, Any] = {"firmware": firmware.digest, "model": firmware.sha256}
        said |= {"clock_hz": firmware.clock_hz, "protocol": firmware.version}
        print(json.dumps({**said, "builds": [str(folder) for folder, _ in found]}))
        return 0
    digest = firmware.digest if firmware.digest != UNSTAMPED else "without a digest"
    print(escaped(f"firmware {digest[:_SHORT]} of model {firmware.sha256[:_SHORT]}"))
    print(f"core at {firmware.clock_hz:,} Hz, protocol {firmware.version}")
    for folder, report in found:
        board, model = report.get("board"), report.get("model")
        print(escaped(f"built in {folder} for board {board}, model {model}"))
    if not found:
        print(escaped(f"no build in {arguments.builds} made it"))
    return 0


def made_by(builds: Path, digest: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Build folders whose firmware has the given digest, with their reports."""
    for file in sorted(builds.glob("*/*/report.json")):
        try:
            report = json.loads(read_text(file, _MOST_BYTES))
        except (UnreadableError, ValueError, RecursionError):
            continue  # an interrupted build
        firmware = report.get("firmware") if isinstance(report, dict) else None
        if isinstance(firmware, dict) and firmware.get("digest") == digest != UNSTAMPED:
            yield file.parent, report
