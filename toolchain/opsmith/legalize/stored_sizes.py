"""Operands that give the shape of an output and are known only by running the model: the shape that
the model stores for the output replaces such an operand, as in TensorFlow Lite Micro.

Some exports compute a shape in another model and pass it to a TRANSPOSE_CONV or a RESHAPE. LiteRT
resizes the output to the numbers that arrive. Here a model must not be `dynamic`, no stored shape
may have turned out to be wrong, and the op must accept the shape. Other numbers are not noticed at
run time, hence the build and the report state the assumption, and `run` without `input=` passes the
assumed numbers.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.ir.types import i32, i64
from opsmith.op.declare import OpError
from opsmith.op.describe import Op
from opsmith.op.node import named_inputs, named_outputs, operand_problems, view

_ASSUMED = "the shape that the model stores: it is known only at run time"


def with_stored_sizes(graph: Graph, node: Node, op: Op) -> tuple[Node, Graph]:
    """Node and graph with an operand of sizes replaced by a constant, and a remark on the node.

    Both are unchanged where the op cannot have the stored shape, or the node lacks other operands.
    """
    written = {output.name: name for output, name in named_outputs(op, node)}
    for i, (value, name) in enumerate(named_inputs(op, node)):
        if name is None or value.shape_of not in written:
            continue
        sizes, y = graph.tensors[name], graph.tensors[written[value.shape_of]]
        if sizes.constant is None and sizes.dtype in (i32, i64) and sizes.shape == (len(y.shape),):
            stored = _stored(graph, sizes, y)
            what = f"'{sizes.name}' is taken to be {list(y.shape)}, {_ASSUMED}"
            inputs = (*node.inputs[:i], stored.id, *node.inputs[i + 1 :])
            supplied = replace(node, inputs=inputs, remarks=(*node.remarks, what))
            given = {name: replace(sizes, expected=y.shape)} if name in graph.inputs else {}
            with_it = replace(graph, tensors={**graph.tensors, **given, stored.id: stored})
            if _is_possible(with_it, supplied, op):
                return supplied, with_it
    return node, graph


def assumed_sizes(graph: Graph) -> Iterator[str]:
    """Remarks on nodes of the graph about operands replaced by stored sizes."""
    for node in graph.nodes:
        yield from (remark for remark in node.remarks if remark.endswith(_ASSUMED))


def other_outputs(stored: Graph, legal: Graph) -> Iterator[str]:
    """Sentences about outputs of the model that have other shapes than the model stores."""
    for name in legal.outputs:
        before, after = stored.tensors[name], legal.tensors[name]
        if before.shape and after.shape != before.shape:
            sizes = ["x".join(map(str, each.shape)) or "scalar" for each in (after, before)]
            what = f"output '{after.name}' is {sizes[0]}, as follows from the inputs"
            yield f"{what}; the model stores {sizes[1]}"


def _stored(graph: Graph, sizes: Tensor, y: Tensor) -> Tensor:
    ident = f"{sizes.id}_of_{y.id}"
    while ident in graph.tensors:
        ident += "_"
    return replace(sizes, id=ident, dtype=i32, constant=Constant(np.array(y.shape, i32.numpy)))


def _is_possible(graph: Graph, node: Node, op: Op) -> bool:
    """True if the op infers the output shapes that the model stores."""
    if operand_problems(graph, node, op, ""):
        return False
    try:
        inferred = op.infer(view(graph, node, op))
    except OpError:
        return False
    stored = (graph.tensors[name].shape for name in node.outputs)
    return [*stored] == [tuple(each.shape) for each in inferred]
