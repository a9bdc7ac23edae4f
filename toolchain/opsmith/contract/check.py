"""Checks of an op folder without compilation, which report all problems at once."""

from collections.abc import Iterator
from pathlib import Path

from opsmith.contract.check_examples import example_problems
from opsmith.contract.check_functions import function_problems
from opsmith.contract.check_kernels import kernel_problems
from opsmith.contract.check_kinds import kind_problems
from opsmith.contract.check_renames import rename_problems
from opsmith.contract.check_requires import requires_problems
from opsmith.contract.check_values import value_problems
from opsmith.contract.source_files import source_text
from opsmith.errors import Problem, did_you_mean, escaped
from opsmith.op.describe import Op

API = range(1, 2)  # the versions of the op API that op folders may be written for
_TRAITS = ("elementwise", "view", "fuses_activation", "of_shapes", "from_nothing", "placeholder")
_TOGETHER = (  # a hook, and another hook that it requires
    ("channels.keep", "channels.live"),
    ("permutations.order", "permutations.reorder"),
    ("permutations.reorder", "permutations.order"),
    ("streaming.one_by_one", "streaming.rows"),
)
# Code of a problem -> codes of its possible causes; beside one of them it is not reported.
_FOLLOWS = {
    "OPS013": {"OPS012"},
    "OPS014": {"OPS013"},
    "KRN001": {"OPS012", "OPS074"},
    "KRN002": {"OPS057"},
    "KRN004": {"OPS074"},
    "KRN011": {"KRN002"},
    "KRN015": {"KRN001", "KRN002", "KRN007", "OPS012", "OPS015", "OPS074"},
    "KRN019": {"KRN006", "KRN011"},
}
PLACEHOLDER_MARK = "OPSMITH_PLACEHOLDER"  # in the kernel of an op with trait 'placeholder'

Found = Iterator[tuple[str, str, str]]  # code, problem, fix


def check_op(op: Op, folder: Path) -> Iterator[Problem]:
    """Problems of one op, OPS for its registration and KRN for its kernels."""
    where = str(folder / "op.py")
    kinds = list(kind_problems(op))
    if kinds:  # other rules cannot handle these
        yield from (Problem(code, what, where, fix) for code, what, fix in kinds)
        return
    rules = (
        _name(op, folder),
        _api(op),
        value_problems(op),
        rename_problems(op),
        function_problems(op),
        _traits(op),
        _hooks(op),
        requires_problems(op),
        _rewrites(op),
        example_problems(op),
        _placeholder(op, folder),
        kernel_problems(op, folder),
    )
    found = [each for rule in rules for each in rule]
    codes = {code for code, _, _ in found}
    for code, what, fix in found:
        if not codes & _FOLLOWS.get(code, set()):
            yield Problem(code, what, where, fix)


def _name(op: Op, folder: Path) -> Found:
    if op.name != folder.name:
        name, place = (escaped(each, "\n") for each in (op.name, folder.name))
        what = f"the op is named '{name}' but its folder '{place}'"
        yield "OPS010", what, "make them equal"


def _api(op: Op) -> Found:
    if op.api > API[-1]:
        what = (
            f"the op is written for version {op.api} of the op API, and this is version {API[-1]}"
        )
        yield "OPS085", what, "install an Opsmith that has it"
    elif op.api < API[0]:
        what = f"version {op.api} of the op API is no longer supported; the oldest is {API[0]}"
        yield (
            "OPS085",
            what,
            "make the changes that CHANGELOG.md lists for each version since, and raise api=",
        )


def _traits(op: Op) -> Found:
    for trait in sorted(op.traits):
        if trait not in _TRAITS:
            near = did_you_mean(trait, _TRAITS)
            yield "OPS017", f"unknown trait '{trait}'{near}", f"one of {_TRAITS}"
    if "elementwise" in op.traits and any(value.variadic for value in op.outputs):
        what = "trait 'elementwise' does not go with a variadic output"
        yield "OPS073", what, "remove the trait"
    if "fuses_activation" in op.traits:
        yield from _activated(op, "trait 'fuses_activation'")


def _hooks(op: Op) -> Found:
    """Problems of hooks that lack another required hook or trait, in the op and in each variant."""
    given = [set(op.hooks.given), *(set((op.hooks | each.hooks).given) for each in op.variants)]
    for name, other in _TOGETHER:
        if any(name in each and other not in each for each in given):
            yield "OPS018", f"hook {name} needs {other}", f"add {other}, or remove {name}"
    for name in sorted(set().union(*given)):
        if name.startswith("affine."):
            yield from _activated(op, f"hook {name}")


def _activated(op: Op, what: str) -> Found:
    if "activation" not in {attribute.name for attribute in op.attributes}:
        yield "OPS019", f"{what} needs an attribute 'activation'", "declare it"


def _rewrites(op: Op) -> Found:
    if op.match is not None and not op.match.root:
        what = "match= looks for '', which is no known op"
        yield "OPS008", what, "write the name of the last op of the subgraph in root="
    if op.match is not None and op.match.root == op.name:
        what = f"match= looks for '{op.name}', which is the op itself"
        yield "OPS060", what, "name the last op of the subgraph that it takes the place of"


def _placeholder(op: Op, folder: Path) -> Found:
    """Problems where op and kernel disagree on whether the op is a placeholder, so that no
    unfinished part ships unnoticed.
    """
    files = [
        folder / variant.folder / f"{kernel.name}.h"
        for variant in op.variants
        for kernel in variant.kernels
    ]
    written = [text for file in files if (text := source_text(file)) is not None]
    marked = any(PLACEHOLDER_MARK in text for text in written)
    if marked and "placeholder" not in op.traits:
        what = f"a kernel is marked {PLACEHOLDER_MARK} and the op has no trait 'placeholder'"
        yield "OPS036", what, "write the kernel and remove its mark"
    if "placeholder" in op.traits and written and not marked:  # families may have all kernels
        what = f"trait 'placeholder', but no kernel is marked {PLACEHOLDER_MARK}"
        yield "OPS036", what, "remove the trait: the kernel is written"
