"""Bytes of constants as stored in a model's file; firmware may need more."""

from collections.abc import Sequence

from opsmith.ir import Graph, Tensor
from opsmith.select.flash_ledger import LedgerUse


def constant_bytes(graph: Graph) -> int:
    """Bytes of the constants that a legal graph reads, before kernels are chosen. A bias counts
    four times, since it brings two or three more words for each channel.
    """
    read = {name for node in graph.nodes for name in node.inputs} | {*graph.outputs}
    read |= {tensor.initial for tensor in graph.tensors.values()}
    constants = [t for t in graph.tensors.values() if t.constant is not None and t.id in read]
    return sum(t.bytes * (4 if t.dtype.name == "int32" else 1) for t in constants)


def fewer_as_stored(graph: Graph, uses: Sequence[LedgerUse]) -> int:
    """Bytes saved by kernels that read constants in the stored form."""
    found = 0
    for use in uses:
        growth = (each.growth for each in use.choice.candidates if not each.refused)
        given = (graph.tensors[name] for name in use.node.inputs if name is not None)
        found += min(max(-min(growth), 0), sum(map(_fewer, given)))
    return found


def _fewer(tensor: Tensor) -> int:
    """Bytes of a constant that the model's file does not contain."""
    constant = tensor.constant
    if constant is None:
        return 0
    return tensor.bytes if constant.computed else tensor.bytes - (constant.stored or tensor.bytes)
