"""The ops with changes, so that tests compute what a build would not: see `op_cases.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from toolchain.op.channels import Range, Ranges
from toolchain.op.hooks import Hooks
from toolchain.op.index import OpIndex
from toolchain.op.kernel import Kernel
from toolchain.op.view import NodeView


@lru_cache(maxsize=1)  # for the tests of an op after each other
def literal(ops: OpIndex) -> OpIndex:
    """The ops, whose views, shapes and channels that cannot change are computed by kernels."""
    for name, found in ops.by_name.items():
        traits = found.op.traits - {"view", "of_shapes"}
        variants = (replace(each, hooks=_literal(each.hooks)) for each in found.op.variants)
        hooks = _literal(found.op.hooks)
        ops = with_fields(ops, name, traits=traits, hooks=hooks, variants=tuple(variants))
    return ops


def _literal(hooks: Hooks) -> Hooks:
    views = replace(hooks.views, part=None, parts=None)
    return replace(hooks, views=views, channels=replace(hooks.channels, ranges=anything))


def has_portable_kernels(ops: OpIndex, name: str) -> bool:
    """Whether this machine takes other kernels of the op than the reference."""
    others = (kernel for variant in ops[name].variants for kernel in variant.kernels[:-1])
    return any(not kernel.requires for kernel in others)


def general_forms(ops: OpIndex) -> OpIndex:
    """The ops, whose kernels for any Params take nothing, so that they serve even a single one."""

    def free(kernel: Kernel) -> Kernel:
        return replace(kernel, code=replace(kernel.code, general=0))

    for name in ops.by_name:
        ops = with_kernels(ops, name, lambda kernels: tuple(map(free, kernels)))
    return ops


def reference_alone(ops: OpIndex, name: str) -> OpIndex:
    """The ops, this one without other kernels, which would leave the reference little to do."""
    return with_kernels(ops, name, lambda kernels: kernels[-1:])


def with_kernels(
    ops: OpIndex, name: str, change: Callable[[tuple[Kernel, ...]], tuple[Kernel, ...]]
) -> OpIndex:
    """The ops, this one with other kernels in each of its variants."""
    variants = [replace(each, kernels=change(each.kernels)) for each in ops[name].variants]
    return with_fields(ops, name, variants=tuple(variants))


def with_fields(ops: OpIndex, name: str, **changes: Any) -> OpIndex:
    """The ops, this one with other fields."""
    found = ops.by_name[name]
    changed = found.changed(replace(found.op, **changes))
    return replace(ops, by_name={**ops.by_name, name: changed})


def anything(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    return ()
