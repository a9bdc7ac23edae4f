"""Where LiteRT 2.3.0 departs from TensorFlow and TensorFlow Lite Micro: what it gets wrong of
subgraphs that operators run. Opsmith does not, so LiteRT is no reference for such a model.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolchain.frontend.model import Model

EARLY = ("tflite.SHAPE", "tflite.RANK")  # LiteRT computes them when it allocates memory


def of_branch(body: Model, number: int) -> Iterator[str]:
    """What LiteRT gets wrong of a subgraph that IF runs, in sentences."""
    yield from _repeated(body, number)
    lost = _early(body)
    for name in dict.fromkeys(body.graph.outputs):
        if name in lost:
            why = "LiteRT computes it too early and returns uninitialised memory"
            yield f"'{name}' of subgraph {number} follows from shapes or constants alone: {why}"


def of_loop(body: Model, number: int) -> Iterator[str]:
    """The same of the body of a WHILE."""
    yield from _repeated(body, number)
    graph = body.graph
    for place, name in enumerate(graph.outputs):
        if name in (*graph.inputs[:place], *graph.inputs[place + 1 :]):
            why = "LiteRT may overwrite it before it arrives"
            yield f"subgraph {number} returns its input '{name}' in the place of another: {why}"


def _repeated(body: Model, number: int) -> Iterator[str]:
    outputs = body.graph.outputs
    for name in dict.fromkeys(outputs):
        if outputs.count(name) > 1:
            yield f"subgraph {number} returns '{name}' twice, of which LiteRT passes on one"


def _early(body: Model) -> set[str]:
    """Tensors that LiteRT computes before the subgraph runs, or may."""
    constant = {t.id for t in body.graph.tensors.values() if t.constant is not None}
    found: set[str] = set()
    for node in body.graph.nodes:
        known = {name for name in node.inputs if name is not None} <= found | constant
        if node.op in EARLY or (node.inputs and known):
            found.update(node.outputs)
    return found
