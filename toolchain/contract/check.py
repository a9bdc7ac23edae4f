"""What is wrong with an op folder, found without compiling: every problem at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolchain.contract.check_examples import example_problems
from toolchain.contract.check_functions import function_problems
from toolchain.contract.check_kernels import kernel_problems, source_text
from toolchain.contract.check_kinds import kind_problems
from toolchain.contract.check_renames import rename_problems
from toolchain.contract.check_values import value_problems
from toolchain.errors import Problem, did_you_mean, escaped
from toolchain.op.describe import Op
from toolchain.op.typed import typed

_TRAITS = ("elementwise", "view", "clamps", "fuses_activation", "placeholder")
PLACEHOLDER_MARK = "OPSMITH_PLACEHOLDER"  # in the kernel of an op with trait 'placeholder'

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
        example_problems(op),
        _placeholder(op, folder),
        kernel_problems(op, folder),
    )
    for rule in rules:
        yield from (Problem(code, what, where, fix) for code, what, fix in rule)


def _name(op: Op, folder: Path) -> Found:
    if op.name != folder.name:
        name, place = (escaped(each, "\n") for each in (op.name, folder.name))
        what = f"the op is named '{name}' but its folder '{place}'"
        yield "OPS010", what, "make them equal"


def _traits(op: Op) -> Found:
    for trait in sorted(op.traits):
        if trait not in _TRAITS:
            near = did_you_mean(trait, _TRAITS)
            yield "OPS017", f"unknown trait '{trait}'{near}", f"one of {_TRAITS}"
    if "elementwise" in op.traits and any(value.variadic for value in op.outputs):
        what = "trait 'elementwise' is for ops whose outputs are so many, and one is variadic"
        yield "OPS073", what, "remove the trait"
    if ("clamps" in op.traits) != (op.clamp is not None):
        what = "trait 'clamps' and hook clamp= come together"
        yield "OPS018", what, "add the one that is missing"
    if (op.permutation is None) != (op.permuted is None):
        what = "permutation= and permuted= come together"
        yield "OPS018", what, "add the one that is missing"
    own = [op, *(typed(op, variant) for variant in op.variants)]  # hooks that variants have, too
    if any(each.keep_channels is not None and each.live_channels is None for each in own):
        yield "OPS018", "keep_channels= needs live_channels=", "say which channels the op needs"
    takes = next((each.takes_affine for each in own if each.takes_affine is not None), None)
    activates = {"affine=": op.affine, "takes_affine=": takes}
    needs = [f"hook {name}" for name, hook in activates.items() if hook is not None]
    needs += ["trait 'fuses_activation'"] if "fuses_activation" in op.traits else []
    for what in needs if "activation" not in {a.name for a in op.attributes} else ():
        yield "OPS019", f"{what} needs an attribute 'activation'", "declare it"


def _rewrites(op: Op) -> Found:
    if op.match is not None and op.match.root == op.name:
        what = f"match= looks for '{op.name}', which is the op itself"
        yield "OPS060", what, "name the last op of the subgraph that it takes the place of"


def _placeholder(op: Op, folder: Path) -> Found:
    """Op and kernel must agree on whether the op is written: neither ships unfinished unnoticed."""
    files = [
        folder / variant.folder / f"{kernel.name}.h"
        for variant in op.variants
        for kernel in variant.kernels
    ]
    marked = any(PLACEHOLDER_MARK in (source_text(file) or "") for file in files)
    if marked and "placeholder" not in op.traits:
        what = f"a kernel is marked {PLACEHOLDER_MARK} and the op has no trait 'placeholder'"
        yield "OPS036", what, "write the kernel and remove its mark"
    if "placeholder" in op.traits and not marked:
        what = f"trait 'placeholder', but no kernel is marked {PLACEHOLDER_MARK}"
        yield "OPS036", what, "remove the trait: the kernel is written"
