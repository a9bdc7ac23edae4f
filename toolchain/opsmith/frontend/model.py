"""Result of a front end: a graph, and facts about the model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opsmith.errors import Problem, raise_all
from opsmith.ir import Graph


@dataclass(frozen=True)
class SubgraphCall:
    """A place in the graph at which a subgraph of the file runs."""

    subgraph: int
    tensors: tuple[
        str, ...
    ]  # ids in the graph, in the file's order; "" of those that are not there
    inputs: tuple[int, ...]  # numbers of tensors
    blocks: tuple[int, ...]  # that its operators are in, in order; each call begins with the first


@dataclass(frozen=True)
class Model:
    """A model file: the subgraph that is compiled, and facts that identify the file."""

    graph: Graph  # nodes have the names and options of TFLite's operators: 'tflite.ADD'
    sha256: str  # of the file
    subgraphs: tuple[str, ...]  # names of all
    ids: tuple[str, ...] = ()  # of all tensors of the graph, in the file's order
    subgraph: int = 0  # which one the graph is
    calls: tuple[
        SubgraphCall, ...
    ] = ()  # where subgraphs run, itself included; () where none runs another
    # Shapes of tensors that nodes write may be placeholders: what follows from the inputs holds.
    dynamic: bool = False
    open_axes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of inputs of any size
    problems: tuple[Problem, ...] = ()  # of single tensors and operators
    unknown: tuple[str, ...] = ()  # ids of the tensors that these leave without type or elements
    assumed: tuple[str, ...] = ()  # sentences about what the file leaves open
    departures: tuple[str, ...] = ()  # and about what LiteRT computes otherwise
    numerics: str = ""  # the rule of its elements, where its format or converter fixes one

    def sound(self) -> Model:
        """The model itself. Raises its problems, if there are any."""
        raise_all(self.problems)
        return self
