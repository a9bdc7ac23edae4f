"""Make inner tensors outputs of the model, so that they stay live until the end and can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolchain.errors import Problem, did_you_mean, raise_all
from toolchain.ir import Graph


def add_outputs(graph: Graph, names: Sequence[str], where: str) -> Graph:
    """The graph with these tensors, by source name or id, as further outputs. Raises MDL020."""
    found = {tensor.name: tensor.id for tensor in graph.tensors.values()}
    found |= {tensor.id: tensor.id for tensor in graph.tensors.values()}
    raise_all(
        Problem(
            "MDL020",
            f"no tensor is called '{name}'{did_you_mean(name, found)}",
            where,
            "list the tensors with dump=DIR",
        )
        for name in names
        if name not in found
    )
    extra = [found[name] for name in names]
    return replace(graph, outputs=tuple(dict.fromkeys((*graph.outputs, *extra))))
