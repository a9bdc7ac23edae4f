"""`readme`: writes the generated pages of a checkout, of each board, and the table of boards; with
--boards the page of each board of other folders, and nothing else.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.manifest import list_boards
from opsmith.command_line import Parser
from opsmith.discover.discover import discover
from opsmith.discover.kept_claims import BROUGHT, claims_text
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.reading import UnreadableError, read_text
from opsmith.report.board_pages import GENERATED, board_page
from opsmith.report.board_pages import pages as board_pages
from opsmith.report.catalogue import catalogue
from opsmith.report.pages import (
    departures_page,
    errors_page,
    fields_page,
    options_page,
    refused_page,
    statuses_page,
)
from opsmith.report.tables import with_boards
from opsmith.text import escaped
from opsmith.writing import replace_files

MOST_BYTES = 1 << 20  # of a page
PAGE = "README.md"
BOARDS, MANUAL = Path("boards/README.md"), Path("toolchain/manual")


def main(arguments: list[str]) -> int:
    """Write the pages; returns 0. Raises OPS0xx and KRN0xx, and BLD003 for a missing page."""
    parser = Parser(prog="opsmith readme", description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="?", default=Path(), metavar="CHECKOUT")
    parser.add_argument("--boards", action="append", type=Path, help="folder of boards")
    parser.add_argument("--platforms", action="append", default=[], type=Path)
    given = parser.parse_args(arguments)
    if given.boards is not None:
        return _write_own(given.boards, given.platforms)
    for path, text in pages(given.checkout).items():
        replace_files((given.checkout / path).parent, {path.name: text})
    return 0


def _write_own(folders: Sequence[Path], platforms: Sequence[Path]) -> int:
    """Write the page of each board of these folders, which no suite has verified; returns 0. Raises
    BLD045 before it replaces a page that a user wrote.
    """
    boards = list_boards(folders, platforms)
    pages = {
        board.folder / PAGE: board_page(board, tested=False) for board in boards if board.setup
    }
    what, fix = "there is a file already, which `readme` has not written", "move it away"
    by_hand = (page for page in pages if page.exists() and GENERATED not in _text(page))
    raise_all([Problem("BLD045", what, str(page), fix) for page in by_hand])
    for page, text in pages.items():
        replace_files(page.parent, {page.name: text})
        print(escaped(str(page)))
    for board in boards:
        if not board.setup:
            print(escaped(f"{board.folder}: no page: no MCU family derives what its `init` writes"))
    return 0


def pages(checkout: Path) -> dict[Path, str]:
    """Text of each page that is generated in whole or in part, by path in a checkout."""
    ops = list(discover([checkout / "ops"]).by_name.values())
    boards = list_boards([checkout / "boards"])
    meanings = tomllib.loads(_text(checkout / MANUAL / "error_codes.toml"))
    statuses = tomllib.loads(_text(checkout / MANUAL / "exit_statuses.toml"))
    own = {Path("boards", name, "README.md"): text for name, text in board_pages(boards).items()}
    return {
        **own,
        Path("ops/CATALOGUE.md"): catalogue(ops),
        Path("ops", BROUGHT): claims_text(found.claims for found in ops),
        BOARDS: with_boards(_text(checkout / BOARDS), boards),
        MANUAL / "options.md": options_page(),
        MANUAL / "errors.md": errors_page(meanings),
        MANUAL / "commands.md": statuses_page(statuses),
        MANUAL / "departures.md": departures_page(ops),
        MANUAL / "fields.md": fields_page(),
        MANUAL / "refused.md": refused_page(),
    }


def _text(path: Path) -> str:
    try:
        return read_text(path, MOST_BYTES)
    except UnreadableError as error:
        fix = "run it in a checkout of Opsmith, or name one"
        what = f"cannot be read: {error}"
        raise ToolchainError.of("BLD003", what, where=str(path), fix=fix) from error
