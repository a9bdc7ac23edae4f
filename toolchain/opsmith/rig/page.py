"""`report`: writes report.html, one page about a firmware, into its folder.

The page needs no network and no script, and includes results of `profile` and `run` if there are
any. `--data` writes data for other programs instead: a trace of the profile for Perfetto, node data
for Model Explorer, and a table.
"""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.report.build_info import BUILD_INFO
from opsmith.report.elf import read_sized_symbols
from opsmith.report.for_others import NODE_DATA, TRACE, for_others
from opsmith.report.page import PAGE, can_be_made, report_page
from opsmith.rig.build import beside, load_report
from opsmith.text import escaped
from opsmith.writing import replace_files

ELF = "firmware.elf"
PROFILE = "profile.json"
BESIDE = (BUILD_INFO, PROFILE, "run.json")


def main(arguments: list[str]) -> int:
    """Write the page; returns 0. Raises RIG001 and BLD114."""
    parser = Parser(prog="opsmith report", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of a firmware")
    more = "write a trace, node data and a table instead of the page"
    parser.add_argument("--data", action="store_true", help=more)
    given = parser.parse_args(arguments)
    build: Path = given.build
    files = data_of(build) if given.data else {PAGE: page_of(build)}
    replace_files(build, files)
    print("\n".join(str(build / name) for name in files))
    if given.data:
        with _readable(build):
            print("\n".join(_hints(build, files)))
    return 0


def data_of(build: Path) -> dict[str, str]:
    """Contents of the files for other programs, by name. Raises RIG001."""
    with _readable(build):
        return for_others(load_report(build), beside(build, PROFILE))


def _hints(build: Path, files: Iterable[str]) -> Iterator[str]:
    """Hints about programs that open each file."""
    record = beside(build, BUILD_INFO) or {}
    models = str(record.get("variables", {}).get("model", "MODEL")).split(",")
    yield from (escaped(f"netron {each} shows the model's graph") for each in models)
    if NODE_DATA in files:
        data = build / NODE_DATA
        yield escaped(f"model-explorer {models[0]} does, too, and takes {data} as node data")
    if TRACE in files:
        yield f"{TRACE} opens at ui.perfetto.dev and chrome://tracing"


def refresh(build: Path) -> None:
    """Write an existing page again, after `run` or `profile` have new results; a failure is only
    reported, since the results are valid without the page.
    """
    if (build / PAGE).is_file() and can_be_made():
        try:
            replace_files(build, {PAGE: page_of(build)})
        except ToolchainError as error:
            print(escaped(f"{PAGE} is older than this: {error.problems[0].what}"))


def page_of(build: Path) -> str:
    """Page of a firmware, with all results since it was linked. Raises as `main`."""
    report, elf = load_report(build), build / ELF
    with _readable(build):
        symbols = read_sized_symbols(elf) if elf.is_file() else ()
        record, profile, run = (beside(build, each) for each in BESIDE)
        return report_page(report, record, profile, run, symbols)


@contextlib.contextmanager
def _readable(build: Path) -> Iterator[None]:
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        what = f"report.json or a file beside it lacks or garbles {error}"
        fix = "build, profile and run it again"
        raise ToolchainError.of("RIG001", what, where=str(build), fix=fix) from error
