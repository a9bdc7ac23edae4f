"""`report`: write report.html, one page about a firmware, into its folder.

It needs no network and no script, and has what `profile` and `run` found, where they ran.
"""

from __future__ import annotations

from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.report.build_info import BUILD_INFO
from opsmith.report.elf import read_sized_symbols
from opsmith.report.page import PAGE, can_be_made, report_page
from opsmith.rig.build import beside, load_report
from opsmith.text import escaped
from opsmith.writing import replace_files

ELF = "firmware.elf"
BESIDE = (BUILD_INFO, "profile.json", "run.json")


def main(arguments: list[str]) -> int:
    """Write the page; 0. Raises RIG001 and BLD114."""
    parser = Parser(prog="opsmith report", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of a firmware")
    build: Path = parser.parse_args(arguments).build
    replace_files(build, {PAGE: page_of(build)})
    print(build / PAGE)
    return 0


def refresh(build: Path) -> None:
    """Write the page again, if there is one, after `run` or `profile` found more; where that fails,
    say so: what they found holds.
    """
    if (build / PAGE).is_file() and can_be_made():
        try:
            replace_files(build, {PAGE: page_of(build)})
        except ToolchainError as error:
            print(escaped(f"{PAGE} is older than this: {error.problems[0].what}"))


def page_of(build: Path) -> str:
    """The page of a firmware, with what was found of it since it was linked. Raises as `main`."""
    report, elf = load_report(build), build / ELF
    try:
        symbols = read_sized_symbols(elf) if elf.is_file() else ()
        record, profile, run = (beside(build, each) for each in BESIDE)
        return report_page(report, record, profile, run, symbols)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        what = f"report.json or a file beside it lacks or garbles {error}"
        fix = "build, profile and run it again"
        raise ToolchainError.of("RIG001", what, where=str(build), fix=fix) from error
