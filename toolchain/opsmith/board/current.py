"""Supply currents of MCUs, as their makers publish them: `currents.toml` of a family's folder."""

from dataclasses import dataclass

from opsmith.board.describe import Board
from opsmith.board.schema import opened

FILE = "currents.toml"
MOST = 10_000  # microamps per MHz
MOST_VOLTS = 60


@dataclass(frozen=True)
class Current:
    """Microamps that a part draws for each MHz while its core computes."""

    least: float
    most: float | None  # with a worse regulator or worse code; None if unpublished
    volts: float
    source: str


def current_of(board: Board) -> Current | None:
    """Published current of the board's MCU; None if none is known. Raises BRD001 to BRD004."""
    file = board.family.file.with_name(FILE) if board.family else None
    if file is None or board.setup is None or not file.is_file():
        return None
    table = opened(file, [])
    if not table.has(board.setup.part):
        return None
    part = table.table(board.setup.part)
    what = "microamps per MHz"
    most = part.fraction("most", MOST, what) if part.has("most") else None
    volts = part.fraction("volts", MOST_VOLTS, "volts")
    found = Current(part.fraction("least", MOST, what), most, volts, part.text("source"))
    if not found.volts or not 0 < found.least <= (found.most or MOST):
        part.wrong("'least' to 'most', or 'volts', is no range", "write what is published")
    part.finish()
    return found
