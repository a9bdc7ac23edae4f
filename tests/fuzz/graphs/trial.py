"""Answers to a random graph: LiteRT's, and those of the ops' numpy models."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from opsmith.ir import Array, Graph
from opsmith.numerics import Numerics
from opsmith.oracle.differences import beyond
from opsmith.oracle.litert import Detail
from opsmith.pipeline import Reading, read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from tests.fuzz.graphs.bounds import Bound, bound
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.defined import defined
from tests.fuzz.models.child import Answer
from tests.fuzz.models.oracle import Ran, Results, oracle

SETS = 4  # of random inputs, besides the extremes
FLOATS = 50.0  # the largest of an input: products of some are still finite


class Unasked(Exception):
    """Raised where LiteRT has no answer to a graph."""


@dataclass(frozen=True)
class Trial:
    """Random graph, sets of inputs for which its outputs are defined, and the wanted outputs."""

    number: int
    content: ModelSubgraph
    graph: Graph  # in ops
    apart: Mapping[int, str]  # first output of a node -> why LiteRT has no answer for it
    sets: Results
    wanted: Results
    ours: Results  # by the ops' numpy models

    @property
    def equal_in_numpy(self) -> bool:
        """Whether the ops' numpy models give what LiteRT does."""
        return self.equal(self.ours)

    def equal(self, results: Results) -> bool:
        """Whether all outputs are equal byte for byte, or within the bounds of ops."""
        bounds = list(_bounds(self.content))
        return all(
            not beyond(mine, theirs, of.ulps, of.at).any()
            for got, want in zip(results, self.wanted, strict=True)
            for mine, theirs, of in zip(got, want, bounds, strict=True)
        )


def trial(
    number: int,
    content: ModelSubgraph,
    apart: Mapping[int, str],
    rule: Numerics = Numerics.REFERENCE,
) -> Trial:
    """Asks the oracle of the rule, in a process of its own, and numpy where LiteRT has no answer.

    The trial has no sets of inputs where none has defined answers. Raises Unasked where LiteRT
    refuses the graph, and ToolchainError where Opsmith does.
    """
    details = [detail(content.tensors[i]) for i in content.inputs]
    sets = [[_small(x) for x in each] for each in seeded_inputs(details, SETS, number)]
    sets = sets if details else sets[:1]  # the tests' program for this machine then runs once
    asked = _for_litert(content, apart)
    answer = _litert()((model(asked), sets, options(rule, asked)))
    if not isinstance(answer, Ran):
        raise Unasked(f"{answer.how}: {answer.text}")
    graph = legal(model(content), f"graph_{number}", rule)
    names = {content.tensors[index].name for index in apart}
    used, ours = defined(graph, sets, names, rule)
    wanted = []
    for number_of_set, mine in zip(used, ours, strict=True):
        theirs = dict(zip(asked.outputs, answer.results[number_of_set], strict=True))
        both = zip(content.outputs, mine, strict=True)
        wanted.append([theirs.get(index, own) for index, own in both])
    return Trial(number, content, graph, apart, [sets[i] for i in used], wanted, ours)


def _for_litert(content: ModelSubgraph, apart: Mapping[int, str]) -> ModelSubgraph:
    """The graph without the nodes that LiteRT has no answer for, which are at its ends."""
    nodes = [node for node in content.nodes if not apart.keys() & {*node.outputs}]
    left_out = {index for node in content.nodes if node not in nodes for index in node.outputs}
    outputs = [index for index in content.outputs if index not in left_out]
    return replace(content, nodes=nodes, outputs=outputs)


def options(rule: Numerics, content: ModelSubgraph) -> Mapping[str, int]:
    """Options of the oracle of a rule, for this graph."""
    return (
        {"micro": len(content.outputs)}
        if rule == Numerics.TFLM
        else {"default": rule == Numerics.NOTEBOOK}
    )


@cache
def _litert() -> Answer:
    return oracle()


def legal(content: bytes, name: str, rule: Numerics = Numerics.REFERENCE) -> Graph:
    """Legal graph of a model by a rule of numerics. Raises ToolchainError where the model is
    refused.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.tflite")
        path.write_bytes(content)
        return read(path, name, shipped_ops(), Reading(numerics=rule))[1]


def detail(tensor: ModelTensor) -> Detail:
    """Detail of an input or output, as LiteRT would describe the tensor."""
    zero_point = tensor.zero_point[0] if tensor.scale else None
    scale = tensor.scale[0] if tensor.scale else None
    return Detail(tensor.name, tensor.shape, np.dtype(tensor.dtype), scale, zero_point)


def _small(x: Array) -> Array:
    return np.asarray(x.clip(-FLOATS, FLOATS) if x.dtype.kind == "f" else x)


def _bounds(content: ModelSubgraph) -> Iterator[Bound]:
    """Error bounds of all outputs of the graph, in order."""
    makers = {index: node for node in content.nodes for index in node.outputs}
    for index in content.outputs:
        maker = makers.get(index)
        yield bound(maker.op, content.tensors[index].dtype) if maker else Bound()
