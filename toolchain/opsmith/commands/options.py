"""`options`: print the table of build options, or write it into a page that has a place for it."""

from __future__ import annotations

from pathlib import Path

from opsmith.command_line import Parser
from opsmith.commands.files import replace_files
from opsmith.errors import ToolchainError
from opsmith.reading import UnreadableError, read_text
from opsmith.report.options_table import options_table, with_table

MOST_BYTES = 4 << 20  # of a page


def main(arguments: list[str]) -> int:
    """Returns 0. Raises BLD037 for a page without the marks of the table."""
    parser = Parser(prog="opsmith options", description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", help="README.md, in Markdown")
    page: Path | None = parser.parse_args(arguments).page
    if page is None:
        print(options_table(), end="")
    else:
        text = with_table(_text(page), str(page))
        replace_files(page.parent, {page.name: text})
    return 0


def _text(page: Path) -> str:
    try:
        return read_text(page, MOST_BYTES)
    except UnreadableError as error:
        fix = "name a page in Markdown"
        raise ToolchainError.of("BLD037", f"{error}", where=str(page), fix=fix) from error
