"""`report`: write report.html, one page about a firmware, into its folder.

It needs no network and no script, and has what `profile` and `run` found, where they ran.
"""

from __future__ import annotations

from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.report.build_info import BUILD_INFO
from opsmith.report.page import report_page
from opsmith.rig.build import beside, load_report
from opsmith.writing import replace_files

PAGE = "report.html"
BESIDE = (BUILD_INFO, "profile.json", "run.json")


def main(arguments: list[str]) -> int:
    """Write the page; 0. Raises RIG001 and BLD114."""
    parser = Parser(prog="opsmith report", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of a firmware")
    build: Path = parser.parse_args(arguments).build
    report = load_report(build)
    try:
        page = report_page(report, *(beside(build, each) for each in BESIDE))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        what = f"report.json or a file beside it lacks or garbles {error}"
        fix = "build, profile and run it again"
        raise ToolchainError.of("RIG001", what, where=str(build), fix=fix) from error
    replace_files(build, {PAGE: page})
    print(build / PAGE)
    return 0
