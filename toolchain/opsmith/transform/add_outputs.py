"""Turns inner tensors into outputs, so that they stay live until the end and can be read."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from opsmith.errors import Problem, did_you_mean, raise_all
from opsmith.ir import Graph


def add_outputs(graph: Graph, names: Sequence[str], where: str) -> Graph:
    """Return the graph with more outputs, given by id or source name.

    Constants that neither a node nor an output reads are dropped. Raises MDL020.
    """
    known: dict[str, list[str]] = {}
    sometimes = graph.sometimes_written()
    tensors = [tensor for tensor in graph.tensors.values() if tensor.id not in sometimes]
    for tensor in tensors:
        known.setdefault(tensor.name, []).append(tensor.id)
    known |= {tensor.id: [tensor.id] for tensor in tensors}
    hidden = {each for name in sometimes for each in (name, graph.tensors[name].name)}
    raise_all(_problems(known, hidden, names, where))
    asked = dict.fromkeys(known[name][0] for name in names)
    extra = tuple(name for name in asked if name not in graph.outputs)
    return replace(graph, outputs=graph.outputs + extra).with_nodes(graph.nodes)


def _problems(
    known: Mapping[str, list[str]], hidden: Set[str], names: Sequence[str], where: str
) -> Iterator[Problem]:
    for name in names:
        ids = known.get(name, [])
        if not ids and name in hidden:
            what = f"'{name}' is computed only where a branch or loop runs its body"
            yield Problem("MDL020", what, where, "name a tensor that every run computes")
        elif not ids:
            what = f"no tensor is called '{name}'{did_you_mean(name, known)}"
            yield Problem(
                "MDL020",
                what,
                where,
                "build without outputs= and with dump=DIR, which lists the tensors",
            )
        elif len(ids) > 1:
            what = f"{len(ids)} tensors are called '{name}'"
            yield Problem("MDL020", what, where, f"say which by its id: {', '.join(ids)}")
