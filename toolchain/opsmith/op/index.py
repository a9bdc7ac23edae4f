"""Index of op folders, by name and by the source ops that they claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from opsmith.errors import Problem, did_you_mean, raise_all
from opsmith.ir import DType, Graph, Node
from opsmith.op.claims import Claims, SourceClaim, claims_of
from opsmith.op.declare import Rename
from opsmith.op.describe import Op
from opsmith.op.kernel import Kernel
from opsmith.op.node import bind_variant
from opsmith.op.typed import TypedOp, typed

Types = tuple[tuple[str, DType], ...]  # type variable -> element type, as variants have them


class Loaded(NamedTuple):
    """Contents of a folder's `op.py`: the op, its title and its module."""

    op: Op
    title: str  # the first line of its docstring
    module: ModuleType


@dataclass(frozen=True)
class OpFolder:
    """Op folder. Its claims are known; its op is loaded on demand."""

    folder: Path
    claims: Claims
    load: Callable[[], Loaded]

    @staticmethod
    def of(folder: Path, op: Op, title: str, module: ModuleType) -> OpFolder:
        """OpFolder of an op that is already loaded."""
        return OpFolder(folder, claims_of(op), lambda: Loaded(op, title, module))

    def changed(self, op: Op) -> OpFolder:
        """OpFolder with another op in place of the loaded one."""
        return OpFolder.of(self.folder, op, self.title, self.module)

    @property
    def name(self) -> str:
        """Name of the op."""
        return self.claims.name

    @property
    def op(self) -> Op:
        """The op, with the kernels that backends bring for it."""
        return self._loaded.op

    @property
    def title(self) -> str:
        """First line of the docstring of `op.py`."""
        return self._loaded.title

    @property
    def module(self) -> ModuleType:
        """Module of the folder's `op.py`."""
        return self._loaded.module

    @property
    def file(self) -> Path:
        """Path of the folder's `op.py`, which registers the op."""
        return self.folder / "op.py"

    @property
    def backends(self) -> tuple[Path, ...]:
        """Folders of the backends that bring kernels for the op."""
        kernels = (kernel for variant in self.op.variants for kernel in variant.kernels)
        return tuple(dict.fromkeys(k.backend for k in kernels if k.backend is not None))

    @cached_property
    def typed(self) -> Mapping[Types, TypedOp]:
        """The op at each of its variants, by element types."""
        return {tuple(v.types.items()): typed(self.op, v) for v in self.op.variants}

    @cached_property
    def _loaded(self) -> Loaded:
        return self.load()


@dataclass(frozen=True)
class Claim:
    """Claim of an op folder on a source op."""

    found: OpFolder
    number: int  # of the Rename

    @property
    def op(self) -> Op:
        """Op that the source op becomes."""
        return self.found.op

    @property
    def rename(self) -> Rename:
        """Rule by which the source op becomes the claiming op."""
        return self.op.legalize[self.number]

    @property
    def source(self) -> SourceClaim:
        """Source op, and the op that this claim precedes (`overrides`) or follows (`extends`)."""
        return self.found.claims.sources[self.number]


Claimed = Mapping[str, Sequence[Claim]]  # claims by source op, in order


@dataclass(frozen=True, eq=False)  # compared by identity
class OpIndex:
    """Known ops, by name and by the source ops that they claim, in the order of claims."""

    by_name: Mapping[str, OpFolder]
    by_source: Mapping[str, tuple[Claim, ...]]
    _known: dict[tuple[object, ...], TypedOp] = field(init=False, default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Op:
        return self.by_name[name].op

    @property
    def shaping(self) -> str | None:
        """Name of the op whose nodes the compiler adds to reshape a tensor: the first with a hook
        for that; None if no op has one.
        """
        return next((name for name, found in self.by_name.items() if found.claims.shapes), None)

    @property
    def looking_up(self) -> str | None:
        """Name of the op whose nodes the compiler puts in place of functions of bytes: the first
        with a hook for that; None if no op has one.
        """
        return next((name for name, found in self.by_name.items() if found.claims.looks_up), None)

    def of(self, graph: Graph, node: Node) -> TypedOp:
        """Op of a node, at the variant for the node's element types."""
        tensors, operands = graph.tensors, (*node.inputs, *node.outputs)
        types = [name and tensors[name].dtype.name for name in operands]
        alike = (node.op, len(node.inputs), *types)
        if alike not in self._known:
            found = self.by_name[node.op]
            variant, complaints = bind_variant(graph, node, found.op)
            assert variant is not None, complaints  # legalize has reported this
            self._known[alike] = found.typed[tuple(variant.types.items())]
        return self._known[alike]

    def kernel(self, op: str, types: Types, index: int) -> tuple[TypedOp, Kernel]:
        """An op at a variant, and its kernel at a position among the variant's kernels."""
        found = self.by_name[op].typed[types]
        return found, found.kernels[index]


def index(folders: Sequence[OpFolder], *, part: bool = False) -> OpIndex:
    """Index of op folders. Raises OPS004 to OPS008 and OPS065 for contradictions, except where the
    folders are `part` of an index, in which case an op that another names may be missing.
    """
    by_name: dict[str, OpFolder] = {}
    claims: dict[str, list[Claim]] = {}
    problems: list[Problem] = []
    for found in folders:
        other = by_name.setdefault(found.name, found)
        if other is not found:
            problems.append(_claimed("OPS004", f"op '{found.name}'", other, found))
        for number, claim in enumerate(found.claims.sources):
            claims.setdefault(claim.source, []).append(Claim(found, number))
    for source, rivals in claims.items():
        problems += list(_contradictions(source, rivals)) or _circle(source, rivals)
    for found in folders:
        problems += _unknown_ops(found, by_name)
    raise_all(() if part else problems)
    ordered = {source: tuple(_in_order(rivals)) for source, rivals in claims.items()}
    return OpIndex(by_name, ordered)


def _contradictions(source: str, rivals: list[Claim]) -> Iterator[Problem]:
    """Problems among the claims on one source op."""
    base = [c for c in rivals if c.source.overrides_front_end]
    base += [c for c in rivals if not (c.source.overrides or c.source.extends)]
    for claim in base[1:]:
        if claim.found is not base[0].found:
            yield _claimed("OPS005", f"source op '{source}'", base[0].found, claim.found)
    for claim in rivals:
        where, said = str(claim.found.file), claim.source
        others = [other.found.name for other in rivals if other.found is not claim.found]
        for keyword, target in (("overrides", said.overrides), ("extends", said.extends)):
            if target and target not in others and not said.overrides_front_end:
                what = f"{keyword} '{target}', which does not claim {source}"
                near = did_you_mean(target, others)
                yield Problem(
                    "OPS006", what + near, where, f"correct {keyword}=, or add that op's folder"
                )
        if said.overrides and not said.has_reason:
            what = f"overrides '{said.overrides}' without a reason"
            yield Problem("OPS007", what, where, "say why in reason=, for the report")


def _circle(source: str, rivals: list[Claim]) -> Iterator[Problem]:
    """Problem that claims on one source op form a circle without an order; none if all have one."""
    ordered = list(_in_order(rivals))
    found = {c.found.name: str(c.found.file) for c in rivals if c not in ordered}
    if found:
        what = f"each of {', '.join(found)} is to be asked for {source} before another of them"
        fix = "remove overrides= or extends= from one"
        yield Problem("OPS065", what, " and ".join(found.values()), fix)


def _unknown_ops(found: OpFolder, by_name: Mapping[str, OpFolder]) -> Iterator[Problem]:
    """Problems with names of unknown ops to which an op refers."""
    roots = {found.claims.root} - {""}
    named = {"OPS008": ("match= looks for", "root=", roots)}
    named["OPS076"] = ("rows go one by one to", "streaming.one_by_one", {*found.claims.row_ops})
    for code, (what, where, names) in named.items():
        for name in sorted(names - by_name.keys()):
            what = f"{what} '{name}', which is no known op{did_you_mean(name, by_name)}"
            yield Problem(code, what, str(found.file), f"correct {where}, or add that op's folder")


def _in_order(rivals: list[Claim]) -> Iterator[Claim]:
    """Claims on one source op in order: before the claim that is overridden, after the one that is
    extended, and else as declared. Claims in a circle, or that wait for a circle, are left out.
    """
    left = list(rivals)
    while left:
        names = {claim.found.name for claim in left}
        overridden = {claim.source.overrides for claim in left}
        free = [
            claim
            for claim in left
            if claim.found.name not in overridden and claim.source.extends not in names
        ]
        if not free:
            return
        yield from free
        left = [claim for claim in left if claim not in free]


def _claimed(code: str, what: str, first: OpFolder, second: OpFolder) -> Problem:
    return Problem(
        code,
        f"{what} is claimed by two folders",
        f"{first.file} and {second.file}",
        "rename one of them, say overrides= or extends= in one, or remove its folder from ops=",
    )
