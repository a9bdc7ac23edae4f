"""Ranks, numbers of dimensions, that an op's inputs may have, as `rank` of an Input says."""

from collections.abc import Callable, Sequence

from opsmith.ir import Tensor, TensorType
from opsmith.op.declare import OpError
from opsmith.op.describe import Op
from opsmith.op.view import NodeView

_MOST = 1 << 16  # dimensions, more than any tensor has


def at_least(least: int) -> range:
    """Ranks from `least` on."""
    return range(least, _MOST)


def with_ranks(op: Op) -> Callable[[NodeView], Sequence[TensorType]]:
    """Function `infer` of an op that raises OpError for an input of a rank that it may not have."""
    ranks = [(value.name, value.rank) for value in op.inputs if value.rank is not None]

    def infer(node: NodeView) -> Sequence[TensorType]:
        for name, rank in ranks:
            given = node.tensors[name]
            for tensor in given if isinstance(given, tuple) else (given,):
                if tensor is not None and not _fits(tensor, rank):
                    raise OpError(f"{name} {tensor.type} must {_wanted(rank)}")
        return op.infer(node)

    return infer if ranks else op.infer


def _fits(tensor: Tensor, rank: int | range) -> bool:
    return len(tensor.shape) in (rank if isinstance(rank, range) else (rank,))


def _wanted(rank: int | range) -> str:
    if isinstance(rank, range) and len(rank) == 1:
        rank = rank.start
    if rank in (0, 1):
        return "be a vector" if rank else "be one number"
    if isinstance(rank, int):
        return f"have {rank} dimensions"
    least, most = rank.start, rank.stop - 1
    if rank.stop == _MOST:
        return f"have {least} dimension{'s' * (least > 1)} or more"
    return f"have {least} to {most} dimensions"
