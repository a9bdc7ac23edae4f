"""Models of tests in ops, and what says what they compute."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Literal

from opsmith.ir import Graph
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.pipeline import read
from opsmith.testing.evaluate import NumpyReference
from opsmith.testing.litert import Reference
from opsmith.transform.match_subgraphs import match_subgraphs

# LiteRT by its reference kernels or others; "none": an op without `evaluate` that LiteRT has not
Oracle = Literal["litert", "optimised", "numpy", "none"]


@lru_cache(maxsize=2)  # for the tests of an op after each other
def legal(content: bytes, ops: OpIndex) -> Graph:
    """The graph of this model, in ops; what ops compute as a whole is one node."""
    # not in a folder of its own: to make and remove one takes longer than to read most models
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(content)
        file.flush()
        graph = read(Path(file.name), "cases", ops)[1]
        return match_subgraphs(graph, ops, on_device=True)


def for_kernels(graph: Graph, ops: OpIndex, name: str) -> Graph:
    """The graph, in which nodes that no kernel of this op can compute are other nodes."""
    rule = ops[name].decompose
    return graph if rule is None or not rule.required else decompose(graph, ops, None)


def oracle_of(content: bytes, ops: OpIndex, oracle: Oracle) -> Reference | NumpyReference:
    """What says the right outputs of this model; without an oracle, what they are called."""
    if oracle in ("numpy", "none"):
        return NumpyReference(legal(content, ops), ops)
    return Reference(content, optimised=oracle == "optimised")
