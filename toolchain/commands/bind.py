"""`bind`: write the C++ contract of one op, and a file that instantiates all its kernels."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolchain.commands.files import replace_files
from toolchain.errors import raise_all
from toolchain.op.bind import bind
from toolchain.op.discover import load_op
from toolchain.op.examples import example_problems
from toolchain.op.kernel_check import kernel_check


def main(arguments: list[str]) -> int:
    """Write what is asked for; returns 0. Raises OPS0xx and KRN0xx."""
    parser = argparse.ArgumentParser(prog="opsmith bind", description=__doc__)
    parser.add_argument("--op", type=Path, required=True, help="the op's folder")
    parser.add_argument("--out", type=Path, help="where <op>.op.h goes")
    parser.add_argument("--check", type=Path, help="where a file that compiles all kernels goes")
    parser.add_argument("--features", default="", help="of core and runtime, for --check: dsp,mve")
    options = parser.parse_args(arguments)
    found = load_op(options.op)
    if options.out is not None:
        replace_files(options.out.parent, {options.out.name: bind(found)})
    if options.check is not None:
        raise_all(example_problems(found))
        features = frozenset(options.features.split(",")) - {""}
        replace_files(options.check.parent, {options.check.name: kernel_check(found, features)})
    return 0
