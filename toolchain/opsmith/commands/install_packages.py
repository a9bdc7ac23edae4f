"""`install-packages`: installs the packages that ops of a model, or one op, require."""

import argparse
import hashlib
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.command_line import Parser
from opsmith.commands.used_ops import load_used, read_used
from opsmith.discover.discover import load_op
from opsmith.errors import cannot_write
from opsmith.op.describe import Op
from opsmith.package.install import Installation, install
from opsmith.package.requirements import wanted
from opsmith.package.sources import LISTING
from opsmith.writing import replace_files


def main(arguments: list[str]) -> int:
    """Write the folder; returns 0. Raises BLD002, BLD080 to BLD082 and BLD087."""
    given = _parser().parse_args(arguments)
    required = wanted(_ops(given))
    board, out = chosen_board(given), given.out
    installation = Installation(
        required, tuple(given.conan), board, given.compiler_major, given.lock
    )
    try:
        files = install(installation, given.home, out)
        replace_files(out, files)
        replace_files(out, {LISTING: _listing(out)})
    except OSError as error:
        raise cannot_write(out, error) from error
    return 0


def _ops(given: argparse.Namespace) -> list[Op]:
    """Used ops, with the kernels that backends bring for them."""
    if given.op is not None:
        return [load_op(given.op).op]
    used = {name: entry for path in given.used for name, entry in read_used(path).items()}
    return [found.op for found in load_used(used, given.backends).by_name.values()]


def _listing(out: Path) -> str:
    """Files of the packages with their digests, in the format of sha256sum."""
    files = sorted(file for file in out.glob("*/**/*") if file.is_file())
    sums = ((hashlib.sha256(file.read_bytes()).hexdigest(), file) for file in files)
    return "".join(f"{digest}  {file.relative_to(out).as_posix()}\n" for digest, file in sums)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith install-packages", description=__doc__)
    used = "what `resolve` wrote, of each model"
    parser.add_argument("--used", type=Path, action="append", default=[], help=used)
    parser.add_argument("--op", type=Path, help="the folder of an op, instead")
    parser.add_argument("--backends", type=Path, action="append", default=[])
    add_board(parser)
    parser.add_argument("--conan", action="append", default=[], help="where packages come from")
    parser.add_argument("--compiler-major", type=int, required=True, help="of GCC's version")
    parser.add_argument("--lock", type=Path, help="a lock file of Conan, which pins revisions")
    parser.add_argument("--home", type=Path, required=True, help="of Conan")
    parser.add_argument("--out", type=Path, required=True)
    return parser
