"""Proves that the stored shapes of tensors that nodes write do not matter.

Runtimes derive these shapes from the inputs when they allocate tensors, and overwrite stored ones.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.ir.limits import MAX_RANK
from opsmith.ir.text import graph_to_text
from opsmith.testing.known_ops import known_beside
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model, merged_writer
from opsmith.tflite.writer import ModelWriter


def check_stored_shapes(op_folder: Path, cases: Sequence[Case]) -> None:
    """Fail unless the cases give equal graphs with wrong stored shapes of nodes' outputs."""
    ops = known_beside(op_folder)
    wrong = with_wrong_shapes(merged_writer(cases))
    found, wanted = (graph_to_text(legal(each, ops)) for each in (wrong, merged_model(cases)))
    why = "where infer() needs the stored shape of an output, say as_stored=True in the Rename"
    assert found == wanted, why


def with_wrong_shapes(model: ModelWriter) -> bytes:
    """File of the model in which tensors that nodes write have a wrong rank, or wrong last size."""
    for graph in (each.content for each in model.subgraphs):
        for number in {number for node in graph.nodes for number in node.outputs}:
            tensor = graph.tensors[number]
            shape = (*tensor.shape, 2) if len(tensor.shape) < MAX_RANK else (2,)
            graph.tensors[number] = replace(tensor, shape=shape, signature=())
    return model.bytes()
