"""What is wrong with an op folder, found without compiling: every problem at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolchain.errors import Problem, did_you_mean
from toolchain.op.check_functions import function_problems
from toolchain.op.check_kernels import kernel_problems
from toolchain.op.check_kinds import kind_problems
from toolchain.op.check_renames import rename_problems
from toolchain.op.check_values import value_problems
from toolchain.op.describe import Op

_TRAITS = ("elementwise", "view", "clamps", "fuses_activation")

Found = Iterator[tuple[str, str, str]]  # code, what, fix


def check_op(op: Op, folder: Path) -> Iterator[Problem]:
    """The problems of one op, OPS for its registration and KRN for its kernels."""
    where = str(folder / "op.py")
    kinds = list(kind_problems(op))
    if kinds:  # the other rules would stumble over these
        yield from (Problem(code, what, where, fix) for code, what, fix in kinds)
        return
    rules = (
        _name(op, folder),
        value_problems(op),
        rename_problems(op),
        function_problems(op),
        _traits(op),
        _rewrites(op),
        kernel_problems(op, folder),
    )
    for rule in rules:
        yield from (Problem(code, what, where, fix) for code, what, fix in rule)


def _name(op: Op, folder: Path) -> Found:
    if op.name != folder.name:
        what = f"the op is named '{op.name}' but its folder '{folder.name}'"
        yield "OPS010", what, "make them equal"


def _traits(op: Op) -> Found:
    for trait in sorted(op.traits):
        if trait not in _TRAITS:
            near = did_you_mean(trait, _TRAITS)
            yield "OPS017", f"unknown trait '{trait}'{near}", f"one of {_TRAITS}"
    if ("clamps" in op.traits) != (op.clamp is not None):
        what = "trait 'clamps' and hook clamp= come together"
        yield "OPS018", what, "add the one that is missing"
    if "fuses_activation" in op.traits and "activation" not in {a.name for a in op.attributes}:
        yield "OPS019", "trait 'fuses_activation' needs an attribute 'activation'", "declare it"


def _rewrites(op: Op) -> Found:
    if op.match is not None and op.match.root == op.name:
        what = f"match= looks for '{op.name}', which is the op itself"
        yield "OPS040", what, "name the last op of the subgraph that it takes the place of"
