"""Estimated flash of a firmware: constants, kernels, calls, and passes over rows."""

from opsmith.ir import Graph
from opsmith.op.constants import packed_bytes
from opsmith.op.index import OpIndex
from opsmith.select.flash_ledger import Ledger, uses_that_run

FIRMWARE = 4608  # bytes: startup, console, application and what they link
CALL = 40  # bytes of invoke() for each node, and of the structs of pointers that it passes
PASSES = 300  # bytes of invoke() and of functions that copy rows, where nodes run row by row
PASS = 65  # bytes by which a node that runs row by row lengthens them


def flash_bytes(graph: Graph, ops: OpIndex, swelling: float = 1.0) -> int:
    """Estimated flash in bytes that firmware takes, including purchases."""
    return packed_bytes(graph, ops) + code_bytes(graph, ops, swelling)


def code_bytes(graph: Graph, ops: OpIndex, swelling: float = 1.0) -> int:
    """Estimated flash in bytes that firmware takes beside its constants, including purchases."""
    ledger = Ledger(uses := uses_that_run(graph, ops), specialised=True, swelling=swelling)
    rows = 0 if graph.stream is None else PASSES + PASS * graph.stream.nodes
    return FIRMWARE + CALL * len(uses) + rows + ledger.bytes
