"""`readme`: write ops/CATALOGUE.md and the tables of ops and boards in README.md."""

from __future__ import annotations

from pathlib import Path

from opsmith.board.manifest import list_boards
from opsmith.command_line import Parser
from opsmith.commands.files import replace_files
from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_text
from opsmith.report.catalogue import catalogue
from opsmith.report.tables import with_tables

MOST_BYTES = 1 << 20  # of README.md


def main(arguments: list[str]) -> int:
    """Write both files of the checkout; returns 0. Raises OPS0xx and KRN0xx."""
    parser = Parser(prog="opsmith readme", description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="?", default=Path(), metavar="CHECKOUT")
    checkout = parser.parse_args(arguments).checkout
    boards = list_boards([checkout / "boards"])
    ops = list(discover([checkout / "ops"]).by_name.values())
    readme = with_tables(_text(checkout / "README.md"), boards, ops)
    replace_files(checkout / "ops", {"CATALOGUE.md": catalogue(ops)})
    replace_files(checkout, {"README.md": readme})
    return 0


def _text(path: Path) -> str:
    try:
        return read_text(path, MOST_BYTES)
    except UnreadableError as error:
        fix = "run it in a checkout of Opsmith, or name one"
        what = f"cannot be read: {error}"
        raise ToolchainError.of("BLD003", what, where=str(path), fix=fix) from error
