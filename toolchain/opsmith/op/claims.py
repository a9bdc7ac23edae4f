"""Claims of an op: facts that the toolchain needs without loading the op."""

from dataclasses import dataclass

from opsmith.board.emitter import runtime_feature
from opsmith.board.runtime import runtime_of
from opsmith.op.describe import Op

FRONT_ENDS = ("onnx", "aten")  # name spaces whose front ends read most operators themselves


@dataclass(frozen=True)
class SourceClaim:
    """A source op that an op claims, see `Rename`."""

    source: str
    overrides: str
    has_reason: bool
    extends: str

    @property
    def overrides_front_end(self) -> bool:
        """True if the claim precedes the front end's own reading of the operator."""
        return self.overrides in FRONT_ENDS and self.source.startswith(f"{self.overrides}.")


@dataclass(frozen=True)
class Claims:
    """Relations of an op to other ops, to models and to cores."""

    name: str
    sources: tuple[SourceClaim, ...]  # as its `legalize` lists them
    root: str  # the op that its `match` looks for, or ""
    row_ops: tuple[str, ...]  # the ops that take rows of its nodes one by one
    shapes: bool  # a node of it can give any tensor another shape
    looks_up: bool  # a node of it can give any function of bytes
    features: tuple[str, ...]  # of cores, that its kernels ask for


def claims_of(op: Op) -> Claims:
    """Claims of an op, with the kernels that backends bring for it."""
    sources = (SourceClaim(r.source, r.overrides, bool(r.reason), r.extends) for r in op.legalize)
    root = "" if op.match is None else op.match.root
    hooks = (op.hooks | variant.hooks for variant in op.variants)
    named = dict.fromkeys(each.streaming.one_by_one for each in hooks)
    row_ops = tuple(name for name in named if name is not None)
    shapes, looks_up = op.hooks.views.shaped is not None, op.hooks.looks_up is not None
    features = tuple(sorted(_features(op)))
    return Claims(op.name, tuple(sources), root, row_ops, shapes, looks_up, features)


def _features(op: Op) -> set[str]:
    found: set[str] = set()
    for kernel in (kernel for variant in op.variants for kernel in variant.kernels):
        own: frozenset[str] = frozenset()
        if kernel.backend is not None:
            own = runtime_of(kernel.backend).all_features
        found |= (
            {*kernel.requires, *kernel.excludes, *kernel.paces}
            - own
            - {runtime_feature(kernel.runtime)}
        )
    return found
