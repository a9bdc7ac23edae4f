"""The result of a front end."""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.ir import Graph


@dataclass(frozen=True)
class Model:
    """A model file: its main subgraph, and what identifies it."""

    graph: Graph  # nodes have the names and options of TFLite's operators: 'tflite.ADD'
    sha256: str  # of the file
    subgraphs: tuple[str, ...]  # names of all; the first is the graph
    ids: tuple[str, ...] = ()  # of all tensors of the graph, in the file's order
