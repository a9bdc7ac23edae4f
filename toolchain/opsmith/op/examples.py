"""Graphs of one node made from an op's examples, for checks and tests to compile."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opsmith.errors import Problem, did_you_mean
from opsmith.ir import Constant, Graph, Node, Quantization, Tensor
from opsmith.op.attributes import typed
from opsmith.op.declare import Example, ExampleTensor, OpError
from opsmith.op.describe import Op
from opsmith.op.index import OpFolder
from opsmith.op.node import bind_variant, node_problems, operand_problems, view


def example_graph(op: Op, example: Example, number: int) -> Graph:
    """Graph whose only node is an example. Raises OpError where names do not fit the op."""
    known = {value.name for value in op.inputs} | {value.name for value in op.outputs}
    for name in example.tensors:
        if name not in known:
            raise OpError(f"tensor '{name}' is not declared{did_you_mean(name, known)}")
    declared = [attribute.name for attribute in op.attributes]
    for name in example.attributes:
        if name not in declared:
            raise OpError(f"attribute '{name}' is not declared{did_you_mean(name, declared)}")
    tensors: dict[str, Tensor] = {}
    inputs: list[str | None] = []
    for value in op.inputs:
        inputs += _given(example, value.name, value.optional, tensors, value.state)
    outputs: list[str | None] = []
    for output in op.outputs:
        outputs += _given(example, output.name, False, tensors)
    values = {a.name: typed(a, example.attributes.get(a.name, a.default)) for a in op.attributes}
    written = tuple(name for name in outputs if name is not None)
    node = Node(f"example_{number}", op.name, tuple(inputs), written, values, f"example {number}")
    given = tuple(
        name
        for name in inputs
        if name and tensors[name].constant is None and not tensors[name].variable
    )
    graph = Graph(f"{op.name}_example_{number}", tensors, (node,), given, written)
    return _inferred(op, example, graph)


def _inferred(op: Op, example: Example, graph: Graph) -> Graph:
    """Graph of an example in which outputs that the example leaves out have inferred shapes."""
    node, tensors = graph.nodes[0], dict(graph.tensors)
    given = example.tensors.items()
    open_ = {name for name, each in given if isinstance(each, ExampleTensor) and each.shape is None}
    if not open_ or operand_problems(graph, node, op, ""):
        return graph
    for name, inferred in zip(node.outputs, op.infer(view(graph, node, op)), strict=False):
        if name in open_:
            tensors[name] = replace(tensors[name], shape=inferred.shape)
    return replace(graph, tensors=tensors)


def example_graphs(op: Op) -> list[Graph]:
    """Graphs of all examples, and of each rule of numerics that gives an example other elements.
    Raises OpError where names do not fit the op.
    """
    graphs = [example_graph(op, each, number) for number, each in enumerate(op.all_examples)]
    return [of_rule for graph in graphs for of_rule in (graph, *_by_other_rules(op, graph))]


def _by_other_rules(op: Op, graph: Graph) -> Iterator[Graph]:
    (node,), (variant, _) = graph.nodes, bind_variant(graph, graph.nodes[0], op)
    for rule, ask in ({} if variant is None else variant.numerics).items():
        if ask(view(graph, node, op)) == "":
            made = replace(node, name=f"{node.name}_{rule}", numerics=rule)
            yield replace(graph, name=f"{graph.name}_{rule}", nodes=(made,))


def example_problems(found_op: OpFolder) -> list[Problem]:
    """Problems, code OPS020, with the op's examples, which must be valid uses of the op."""
    op, where = found_op.op, str(found_op.file)
    found = []
    for number, example in enumerate(op.all_examples):
        try:
            graph = example_graph(op, example, number)
            wrong = [problem.what for problem in node_problems(graph, graph.nodes[0], op, where)]
        except OpError as error:
            wrong = [str(error)]
        fix = "correct the example, or the function that refuses it"
        found += [Problem("OPS020", f"example {number}: {what}", where, fix) for what in wrong]
    return found


def _given(
    example: Example,
    name: str,
    optional: bool,
    tensors: dict[str, Tensor],
    variable: bool = False,
) -> list[str | None]:
    """Ids of the tensors of one input or output, which are added to `tensors`."""
    given = example.tensors.get(name)
    if given is None:
        if not optional:
            raise OpError(f"the tensor '{name}' is missing")
        return [None]
    several = [given] if isinstance(given, ExampleTensor) else list(given)
    ids = [name] if isinstance(given, ExampleTensor) else [f"{name}_{i}" for i in range(len(given))]
    for ident, tensor in zip(ids, several, strict=True):
        tensors[ident] = _tensor(ident, tensor, variable)
    return list(ids)


def _tensor(ident: str, given: ExampleTensor, variable: bool) -> Tensor:
    assert given.dtype is not None  # examples are `typed`
    quantization, shape = None, given.shape or ()
    if given.scale is not None:
        many = given.scale if isinstance(given.scale, tuple) else (given.scale,)
        scales = tuple(float(np.float32(scale)) for scale in many)  # float32, as in models
        quantization = Quantization(scales, (given.zero_point,) * len(scales), given.axis)
    constant = None
    if given.data is not None:
        constant = Constant(given.data.astype(given.dtype.numpy).reshape(shape))
    return Tensor(ident, ident, given.dtype, shape, quantization, constant, variable)
