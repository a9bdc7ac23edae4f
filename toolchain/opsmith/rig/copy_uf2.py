"""`copy-uf2`: copies a UF2 file to the volume that a bootloader shows."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_bytes, read_text
from opsmith.text import escaped

INFO = "INFO_UF2.TXT"  # file of every such volume
_MOST_BYTES, _MOST_IMAGE = 1 << 16, 64 << 20
_MAGIC = b"UF2\n"


def main(argv: Sequence[str]) -> int:
    """Copy the file; returns 0. Raises RIG068."""
    parser = Parser(prog="opsmith copy-uf2", description=__doc__)
    parser.add_argument("image", type=Path)
    parser.add_argument("--label", required=True, help="the volume's name, such as RPI-RP2")
    parser.add_argument("--mounts", type=Path, default=Path("/proc/mounts"), help="what is mounted")
    arguments = parser.parse_args(argv)
    volumes = [each for each in mounted(arguments.mounts) if is_bootloader(each, arguments.label)]
    if len(volumes) != 1:
        what = f"{len(volumes) or 'no'} volumes '{arguments.label}' of a bootloader are mounted"
        fix = "hold BOOTSEL (or press reset twice) while you attach one board, and mount its volume"
        raise ToolchainError.of("RIG068", what, where=str(arguments.mounts), fix=fix)
    try:
        data = read_bytes(arguments.image, _MOST_IMAGE)
    except UnreadableError as error:
        what, fix = f"cannot be read: {error}", "build the firmware again"
        raise ToolchainError.of("RIG068", what, where=str(arguments.image), fix=fix) from error
    if not data.startswith(_MAGIC):
        what, fix = "is no UF2 file", "build the firmware again"
        raise ToolchainError.of("RIG068", what, where=str(arguments.image), fix=fix)
    target = volumes[0] / "firmware.uf2"
    try:
        with target.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:  # the volume is full, or went away
        what, fix = f"cannot be written: {error.strerror}", "attach the board again as a bootloader"
        raise ToolchainError.of("RIG068", what, where=escaped(str(target)), fix=fix) from error
    print(escaped(f"copied {len(data):,} bytes to {target}"))
    return 0


def mounted(mounts: Path) -> Iterator[Path]:
    """Folders of all mounted volumes."""
    for line in read_text(mounts, _MOST_BYTES).splitlines():
        words = line.split()
        if len(words) > 1:
            yield Path(re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), words[1]))


def is_bootloader(folder: Path, label: str) -> bool:
    """True for the volume of a bootloader with this label."""
    try:
        return folder.name == label and (folder / INFO).is_file()
    except OSError:  # the volume went away
        return False
