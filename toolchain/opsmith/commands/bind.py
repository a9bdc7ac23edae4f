"""`bind`: writes the C++ contract of one op, and a file that instantiates all its kernels."""

from pathlib import Path

from opsmith.board.arguments import add_platforms
from opsmith.board.cores import features as known_features
from opsmith.command_line import Parser
from opsmith.contract.bind import bind, bind_backend
from opsmith.contract.check_features import feature_problems, runtime_problems
from opsmith.contract.kernel_check import kernel_check
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import load_known
from opsmith.errors import raise_all
from opsmith.op.examples import example_problems
from opsmith.package.requirements import unavailable, wanted
from opsmith.writing import replace_files


def main(arguments: list[str]) -> int:
    """Write the requested files; returns 0. Raises OPS0xx and KRN0xx."""
    parser = Parser(prog="opsmith bind", description=__doc__)
    parser.add_argument("--op", type=Path, required=True, help="the op's folder")
    parser.add_argument("--backends", type=Path, action="append", default=[])
    parser.add_argument("--backend", type=Path, help="one whose <backend>/<op>.op.h is to be made")
    parser.add_argument("--out", type=Path, help="where <op>.op.h goes")
    parser.add_argument("--check", type=Path, help="where a file that compiles all kernels goes")
    parser.add_argument("--features", default="", help="of core and runtime, for --check: dsp,mve")
    parser.add_argument("--packages", type=Path, help="that are there, for --check")
    add_platforms(parser)
    options = parser.parse_args(arguments)
    # The op's own header declares nothing for backends.
    alone = options.check is None and options.backend is None
    known = backend_folders(options.backends)
    backends = () if alone else known
    found = load_known(options.op, backends, known)
    if options.out is not None:
        text = bind(found) if options.backend is None else bind_backend(found, options.backend)
        replace_files(options.out.parent, {options.out.name: text})
    if options.check is not None:
        cores = known_features(options.platforms)
        if options.packages is None:
            raise_all(unavailable(wanted([found.op])))
        features_asked = [*runtime_problems(backends, cores), *feature_problems(found, cores)]
        raise_all([*example_problems(found), *features_asked])
        features = frozenset(options.features.split(",")) - {""}
        replace_files(options.check.parent, {options.check.name: kernel_check(found, features)})
    return 0
