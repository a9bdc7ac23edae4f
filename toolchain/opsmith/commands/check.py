"""`check`: find what is wrong with op folders without compiling, every problem at once."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from opsmith.board.arguments import add_platforms
from opsmith.board.cores import features, known_cores
from opsmith.command_line import Parser
from opsmith.commands.check_examples import compiled_problems
from opsmith.contract.check_features import (
    feature_problems,
    impossible_kernels,
    runtime_problems,
    unknown_runtimes,
)
from opsmith.discover.backends import backend_folders, may_bring, named_backends
from opsmith.discover.discover import known_folders, load_op, namesakes, op_folders
from opsmith.discover.strays import stray_problems
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.home import HOME
from opsmith.op.examples import example_problems
from opsmith.op.index import index

SHIPPED = HOME / "ops"


def main(arguments: list[str]) -> int:
    """Check the folders, or those below them; returns 0. Raises OPS0xx and KRN0xx."""
    parser = Parser(prog="opsmith check", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--backends", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_platforms(parser)
    options = parser.parse_args(arguments)
    cores = features(options.platforms)
    each_core = [core.features for core in known_cores(options.platforms).values()]
    problems: list[Problem] = []
    found = []
    roots: list[Path] = options.folders
    backends = backend_folders(options.backends)
    if not roots and not options.backends:
        parser.error("name folders of ops, or --backends")
    named = list(op_folders(roots)) or _served(named_backends(options.backends))
    problems += [_none(root) for root in roots if not [*op_folders([root])]]
    good = []
    for folder in named:
        problems += namesakes(folder, backends)
        try:
            loaded = load_op(folder, backends)
            found.append(loaded)
            wrong = [*feature_problems(loaded, cores), *unknown_runtimes(loaded, backends)]
            wrong += [] if wrong else impossible_kernels(loaded, each_core, backends)
            wrong += example_problems(loaded)
            problems += wrong
            good += [] if wrong else [loaded]
        except ToolchainError as error:
            problems += error.problems
    folders = {loaded.folder.resolve() for loaded in found}
    shipped = [each for each in op_folders([SHIPPED]) if each.resolve() not in folders]
    if not found and not options.backends:  # nothing is there to go together with others
        shipped = []
    try:
        problems += runtime_problems(backends, cores)
        others = known_folders(shipped, backends)
        broken = len(found) < len(named)
        ops = index([*found, *others], part=broken)  # which ops may name
        problems += stray_problems(options.backends, ops.by_name, ops.__getitem__, families=True)
        problems += [problem for each in good for problem in compiled_problems(each, ops)]
    except ToolchainError as error:
        problems += error.problems
    problems = list(dict.fromkeys(problems))  # a backend's are found with each of its ops
    if options.json:
        print(json.dumps({"folders": len(found), "problems": list(map(asdict, problems))}))
    raise_all(problems)
    if not options.json:
        print(f"{len(found)} op folder{'' if len(found) == 1 else 's'}, no problems")
    return 0


def _served(backends: Sequence[Path]) -> list[Path]:
    """The shipped ops that these backends bring kernels for."""
    shipped = op_folders([SHIPPED])
    return [op for op in shipped if any(may_bring(each, op.name) for each in backends)]


def _none(root: Path) -> Problem:
    what = f"'{root}' holds no op folder"
    return Problem("OPS001", what, str(root), "name a folder with an op.py, or the one above it")
