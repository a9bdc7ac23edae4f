"""Ops with changes by which tests compute what a build would not: see `op_cases.py`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial, wraps
from typing import Any

from opsmith.numerics import Numerics
from opsmith.op.channels import Range, Ranges
from opsmith.op.describe import Op
from opsmith.op.hooks import Hooks
from opsmith.op.index import Loaded, OpFolder, OpIndex
from opsmith.op.kernel import Kernel, Plan, Refused
from opsmith.op.view import NodeView


@lru_cache(maxsize=1)  # the tests of an op run in succession
def literal(ops: OpIndex) -> OpIndex:
    """Ops in which views, and unchanging shapes and channels, are computed by kernels."""
    return _changed(ops, _computed)


def _computed(op: Op) -> Op:
    traits = op.traits - {"view", "of_shapes"}
    variants = tuple(replace(each, hooks=_literal(each.hooks)) for each in op.variants)
    return replace(op, traits=traits, hooks=_literal(op.hooks), variants=variants)


def _literal(hooks: Hooks) -> Hooks:
    views = replace(hooks.views, part=None, parts=None)
    return replace(hooks, views=views, channels=replace(hooks.channels, ranges=anything))


def has_portable_kernels(ops: OpIndex, name: str) -> bool:
    """True if this machine can take another kernel of the op than the reference."""
    others = (kernel for variant in ops[name].variants for kernel in variant.kernels[:-1])
    return any(not kernel.requires for kernel in others)


def general_forms(ops: OpIndex) -> OpIndex:
    """Ops whose general forms cost no flash and instances much, so opt=size takes no instance."""
    return _changed(ops, lambda op: _with_kernels(op, lambda kernels: tuple(map(_free, kernels))))


def _free(kernel: Kernel) -> Kernel:
    @wraps(kernel.plan)  # keeps its annotation, which tells whether it takes every node
    def plan(node: NodeView) -> Plan | Refused:
        found = kernel.plan(node)
        return found if isinstance(found, Refused) else replace(found, code=None)

    code = replace(kernel.code, general=0, instance=1 << 16, shared={})
    return replace(kernel, plan=plan, code=code)


def _changed(ops: OpIndex, change: Callable[[Op], Op]) -> OpIndex:
    """Ops, each changed when it is first loaded; claims are unchanged."""

    def load(found: OpFolder) -> Loaded:
        return Loaded(change(found.op), found.title, found.module)

    folders = {name: replace(f, load=partial(load, f)) for name, f in ops.by_name.items()}
    return replace(ops, by_name=folders)


def reference_alone(ops: OpIndex, name: str) -> OpIndex:
    """Ops in which one op has only the last kernel of each rule of numerics, and all kernels
    of rules other than the reference's that need no feature, since such a last one may refuse a
    node.
    """

    def last(kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
        found: list[Kernel] = []
        for kernel in reversed(kernels):
            if rules := kernel.numerics.difference(*(each.numerics for each in found)):
                found.insert(0, replace(kernel, numerics=rules))
            elif not kernel.requires and Numerics.REFERENCE not in kernel.numerics:
                found.insert(0, kernel)
        return tuple(found)

    return with_kernels(ops, name, last)


def with_kernels(
    ops: OpIndex, name: str, change: Callable[[tuple[Kernel, ...]], tuple[Kernel, ...]]
) -> OpIndex:
    """Ops in which one op has other kernels in each of its variants."""
    return with_fields(ops, name, variants=_with_kernels(ops[name], change).variants)


def _with_kernels(op: Op, change: Callable[[tuple[Kernel, ...]], tuple[Kernel, ...]]) -> Op:
    variants = (replace(each, kernels=change(each.kernels)) for each in op.variants)
    return replace(op, variants=tuple(variants))


def with_fields(ops: OpIndex, name: str, **changes: Any) -> OpIndex:
    """Ops in which one op has other fields."""
    found = ops.by_name[name]
    changed = found.changed(replace(found.op, **changes))
    return replace(ops, by_name={**ops.by_name, name: changed})


def anything(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    return ()
