"""Small graphs of toy ops, for tests of what works on any graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from opsmith.ir import Array, Constant, Graph, Node, Quantization, Tensor, TensorType
from opsmith.ir.types import DType, i8
from opsmith.op.declare import Attribute, Input, Output
from opsmith.op.describe import Op, Variant
from opsmith.op.index import OpFolder, OpIndex, index
from opsmith.op.kernel import Kernel, every_node
from opsmith.op.view import NodeView
from opsmith.select.select_kernels import select_kernels

QUANTIZATION = Quantization((0.5,), (0,))


@dataclass(frozen=True)
class Params:
    """Params of the kernels of toy ops."""

    elements: int


def params(node: NodeView) -> Params:
    """Params of a toy node: the number of y's elements."""
    return Params(node["y"].elements)


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type and shape of y: those of the first input."""
    return [node["x"].type]


def same(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Output in numpy: the first input, unchanged."""
    return [inputs[0].reshape(node["y"].shape)]


def kernel(name: str = "reference", **options: Any) -> Kernel:
    """A kernel of toy ops, which takes every node unless it has a plan of its own."""
    return Kernel(name, Params, options.pop("plan", every_node(params)), **options)


def op(name: str, inputs: Sequence[str] = ("x",), **options: Any) -> Op:
    """Toy op with the given inputs, optional where the name ends in ?, and output y."""
    kernels = options.pop("kernels", (kernel(),))
    return Op(
        name,
        inputs=tuple(Input(n.rstrip("?"), "T", optional=n.endswith("?")) for n in inputs),
        outputs=(Output("y", "T"),),
        infer=infer,
        variants=tuple(Variant({"T": each}, kernels) for each in options.pop("types", (i8,))),
        evaluate=options.pop("evaluate", same),
        **options,
    )


def ops(*described: Op) -> OpIndex:
    """Index of the given ops."""
    return index([OpFolder.of(Path(o.name), o, o.name, ModuleType(o.name)) for o in described])


COPY = op("copy")
JOIN = op("join", ("x", "b?", "c?"))
VIEW = op("view", traits={"view"})
FRONT = op("front", attributes=(Attribute("activation", str, "NONE"),), traits={"fuses_activation"})
SCRATCHES = tuple(
    op(
        f"scratch_{size}",
        kernels=(kernel(plan=every_node(params, scratch={"s": count}), scratch={"s": i8}),),
    )
    for size, count in ((1, lambda node: 1), (70, lambda node: 70))
)


def tensor(
    name: str,
    size: int = 4,
    dtype: DType = i8,
    *,
    value: int | None = None,
    quantization: Quantization | None = QUANTIZATION,
    variable: bool = False,
) -> Tensor:
    """Tensor that is a vector of N elements, constant where a value is given."""
    constant = None if value is None else Constant(np.full(size, value, dtype.numpy))
    return Tensor(name, f"the/{name}", dtype, (size,), quantization, constant, variable)


def graph(
    tensors: Sequence[Tensor], nodes: Sequence[Node], inputs: Sequence[str], outputs: Sequence[str]
) -> Graph:
    """Graph of the given tensors and nodes."""
    return Graph("g", {t.id: t for t in tensors}, tuple(nodes), tuple(inputs), tuple(outputs))


def node(op_name: str, inputs: Sequence[str | None], output: str, **attributes: Any) -> Node:
    """Node that has the name of its output."""
    return Node(output, op_name, tuple(inputs), (output,), attributes, f"operator {output}")


def chosen(made: Graph, index: OpIndex) -> Graph:
    """Graph with a kernel for every node, as chosen for a core without features."""
    return select_kernels(made, index, frozenset())
