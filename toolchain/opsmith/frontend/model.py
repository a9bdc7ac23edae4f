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
    tensors: tuple[str, ...]  # ids in the graph, in the file's order; "" for tensors without one
    inputs: tuple[int, ...]  # numbers of its input tensors
    blocks: tuple[int, ...]  # blocks of its operators in order; each call begins with the first


@dataclass(frozen=True)
class Model:
    """A model file: the subgraph that is compiled, and facts that identify the file."""

    graph: Graph  # nodes have the names and options of TFLite's operators: 'tflite.ADD'
    sha256: str  # of the model file
    subgraphs: tuple[str, ...]  # names of all subgraphs of the file
    ids: tuple[str, ...] = ()  # of all tensors of the graph, in the file's order
    subgraph: int = 0  # number of the subgraph that the graph is
    calls: tuple[SubgraphCall, ...] = ()  # places at which subgraphs run; () if none calls another
    # Shapes of tensors that nodes write may be placeholders: what follows from the inputs holds.
    dynamic: bool = False
    open_axes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of inputs of any size
    problems: tuple[Problem, ...] = ()  # problems of single tensors and operators
    unknown: tuple[str, ...] = ()  # ids of tensors that these problems leave incomplete
    assumed: tuple[str, ...] = ()  # sentences about what the file leaves open
    departures: tuple[str, ...] = ()  # sentences about what LiteRT computes differently
    shaped: tuple[str, ...] = ()  # texts of `input_shape=` that the front end has taken
    numerics: str = ""  # rule for its elements, if the format or converter determines one

    def sound(self) -> Model:
        """The model itself. Raises its problems, if there are any."""
        raise_all(self.problems)
        return self
