"""`resolve`: lists the ops that a model uses, and the digest of their registrations.

The conversion depends on the list rather than on every `op.py`: the list changes when a used op
changes.
"""

from pathlib import Path

from opsmith.board.arguments import add_platforms
from opsmith.board.cores import features
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.commands.collector import without_collector
from opsmith.commands.used_ops import used_text
from opsmith.contract.check_features import feature_problems, runtime_problems
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import discover
from opsmith.discover.strays import stray_problems
from opsmith.errors import raise_all
from opsmith.op.examples import example_problems
from opsmith.option import add_reading_flags
from opsmith.pipeline import Reading, read, used_ops
from opsmith.writing import replace_files


@without_collector()
def main(arguments: list[str]) -> int:
    """Write the list; returns 0.

    Raises MDL0xx for models that cannot be compiled, and the OPS0xx and KRN0xx of `check`.
    """
    parser = Parser(prog="opsmith resolve", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--ops", type=Path, action="append", required=True)
    parser.add_argument("--backends", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    add_platforms(parser)
    add_reading_flags(parser, BuildOptions)
    options = parser.parse_args(arguments)
    reading = Reading(
        tuple(options.platforms), options.input_shape, options.signature, options.numerics
    )
    ops = discover(options.ops, options.backends)
    raise_all(stray_problems(options.backends, ops.by_name, ops.__getitem__))
    cores = features(options.platforms)
    problems = [*runtime_problems(backend_folders(options.backends), cores)]
    problems += [each for op in ops.by_name.values() for each in feature_problems(op, cores)]
    raise_all(problems)
    model, graph = read(options.model, "model", ops, reading)
    names = used_ops(model, graph, ops)
    raise_all(problem for name in names for problem in example_problems(ops.by_name[name]))
    text = used_text(ops.by_name[name] for name in names)
    replace_files(options.out.parent, {options.out.name: text})
    return 0
