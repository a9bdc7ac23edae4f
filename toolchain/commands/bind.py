"""`bind`: write the C++ contract of one op, and a file that compiles its kernels for their examples."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolchain.commands.files import replace_files
from toolchain.op.bind import bind
from toolchain.op.discover import load_op


def main(arguments: list[str]) -> int:
    """Write <op>.op.h; returns 0. Raises OPS0xx and KRN0xx."""
    parser = argparse.ArgumentParser(prog="opsmith bind", description=__doc__)
    parser.add_argument("--op", type=Path, required=True, help="the op's folder")
    parser.add_argument("--out", type=Path, required=True, help="where <op>.op.h goes")
    options = parser.parse_args(arguments)
    text = bind(load_op(options.op))
    replace_files(options.out.parent, {options.out.name: text})
    return 0
