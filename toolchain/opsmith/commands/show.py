"""`opsmith show MODEL`: describes a model before anything is built.

The description includes the model's needs, its unsupported parts, and the boards that it fits. It
needs no compiler. The exit status is 2 for a model that Opsmith refuses.
"""

import ast
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_platforms
from opsmith.board.manifest import readable_boards
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.collector import without_collector
from opsmith.commands.show_boards import fits
from opsmith.commands.show_estimates import MOST_NODES, Estimates, estimates
from opsmith.commands.show_facts import described, described_source
from opsmith.commands.show_text import lines
from opsmith.discover.discover import discover
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.home import shipped
from opsmith.legalize.legalize import ADD_FOLDER
from opsmith.option import add_reading_flags
from opsmith.pipeline import Reading, as_stored, legal
from opsmith.reading import UnreadableError, read_text

FORMAT = 1  # of the JSON
_MOST_BYTES = 1 << 20  # of an op.py


@without_collector()
def main(arguments: list[str]) -> int:
    """Print the description; returns 0. Raises the problems of a refused model after printing."""
    parser = Parser(prog="opsmith show", description=__doc__)
    parser.add_argument("model", type=Path, metavar="MODEL")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    slow = f"estimate models of more than {MOST_NODES} nodes, too, which takes seconds"
    parser.add_argument("--estimate", action="store_true", help=slow)
    for name, what in (("ops", "op folders"), ("backends", "backends"), ("boards", "boards")):
        more = f"more folders of {what}"
        parser.add_argument(f"--{name}", type=Path, action="append", default=[], help=more)
    add_platforms(parser)
    add_reading_flags(parser, BuildOptions)
    given = parser.parse_args(arguments)
    reading = Reading(tuple(given.platforms), given.input_shape, given.signature, given.numerics)
    folders = Folders(given.ops, given.backends, [shipped("boards"), *given.boards])
    most = sys.maxsize if given.estimate else MOST_NODES
    found, problems = facts(given.model, reading, folders, most)
    if given.json:
        print(json.dumps(found))
    else:
        print("\n".join(lines(found)))
    raise_all(_of_options(problem) for problem in problems)
    return 0


def _of_options(problem: Problem) -> Problem:
    """Problem whose fix names `--ops` in place of a build's ops=, with folders that lie here and
    have an op for the operator.
    """
    if not problem.fix.startswith(ADD_FOLDER):
        return problem
    files = [each for each in Path().glob("*/*/op.py") if each.is_file()]
    near = sorted({each.parents[1].name for each in files if _claims(each, problem.what)})
    named = " ".join(f"--ops {shlex.quote(each)}" for each in near) or "--ops DIR"
    fix = problem.fix.replace(ADD_FOLDER, f"give the folder that claims it: {named}")
    return replace(problem, fix=fix)


def _claims(file: Path, what: str) -> bool:
    """True for an `op.py`, which is not run, that names the operator that no op claims."""
    try:
        tree = ast.parse(read_text(file, _MOST_BYTES))
    except (UnreadableError, SyntaxError, ValueError, RecursionError):
        return False
    words = {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)}
    named = {str(each).removeprefix("tflite.") for each in words}
    return any(f"{what} ".startswith(f"no op claims {each} ") for each in named)


@dataclass(frozen=True)
class Folders:
    """Folders in which ops, backends and boards are looked up."""

    ops: Sequence[Path] = ()  # in addition to the shipped ones
    backends: Sequence[Path] = ()  # in addition to the shipped ones
    boards: Sequence[Path] = (shipped("boards"),)


def facts(
    path: Path, reading: Reading, folders: Folders, most: int = MOST_NODES
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Description of a model as data for JSON, and problems with it or with boards."""
    index = discover([shipped("ops"), *folders.ops], folders.backends)
    model = as_stored(path, "model", reading, index.by_source)
    head = {"format": FORMAT, "model": path.name, "bytes": path.stat().st_size}
    head |= {"sha256": model.sha256, "subgraphs": list(model.subgraphs)}
    try:
        model, graph = legal(model, path, index, reading)
    except ToolchainError as error:
        refused = [vars(problem) for problem in error.problems]
        return {**head, **described_source(model.graph), "refused": refused}, error.problems
    known, unreadable = readable_boards(folders.boards, reading.platforms)
    found = estimates(graph, index, known, folders.backends, most=most)
    more = {"refused": [], "remarks": list(model.assumed), **_estimated(found)}
    more["numerics"] = str(model.numerics)  # the rule that the model fixes, if any
    return {**head, **described(graph, index), **more, "boards": fits(found, known)}, tuple(
        unreadable
    )


def _estimated(found: Estimates) -> dict[str, Any]:
    """Estimates as data for JSON, or the reason why there are none."""
    rows = [each.row() for each in found.rows]
    return {"estimates": rows, "not_estimated": found.why_not}
