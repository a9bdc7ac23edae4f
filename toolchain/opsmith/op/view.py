"""A node and a graph as an op's functions see them: tensors and attributes by declared name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MethodType
from typing import Any, TypeVar

import numpy as np

from opsmith.ir import Array, Constant, DType, Node, Numerics, Quantization, Tensor

T = TypeVar("T")
Present = Tensor | tuple[Tensor, ...] | None


@dataclass(frozen=True)
class NodeView:
    """Node as the functions of an `op.py` get it. `node["x"]` is the tensor named x."""

    name: str
    op: str
    tensors: Mapping[str, Present]  # declared inputs and outputs; None: absent
    attributes: Mapping[str, Any]
    reversed: bool = False  # kernels that offer it have to walk backward: see overlap.py
    numerics: Numerics = Numerics.REFERENCE  # the rule of its elements
    _found: dict[Any, Any] = field(init=False, default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> Tensor:
        """The input or output of this name; it must be present."""
        tensor = self.tensors[name]
        if not isinstance(tensor, Tensor):
            raise TypeError(f"node {self.name}: {name} is absent or variadic")
        return tensor

    def get(self, name: str) -> Tensor | None:
        """The input of this name, or None when it is absent."""
        tensor = self.tensors[name]
        if isinstance(tensor, tuple):
            raise TypeError(f"node {self.name}: {name} is variadic")
        return tensor

    def variadic(self, name: str) -> tuple[Tensor, ...]:
        """The tensors of a variadic input."""
        tensors = self.tensors[name]
        if not isinstance(tensors, tuple):
            raise TypeError(f"node {self.name}: {name} is not variadic")
        return tensors

    def once(self, fact: Callable[[NodeView], T]) -> T:
        """Value of `fact` for the node. The function is called once, as kernels have most facts in
        common, unless it gives an array, which would be kept as long as the node.

        Two functions are the same by identity alone: authors' own may be equal, or have no hash.
        """
        key: object = id(fact)
        if isinstance(fact, MethodType):  # which is made anew each time that it is looked up
            key = id(fact.__self__), fact.__func__
        if key in self._found:
            known: T = self._found[key][1]
            return known
        found = fact(self)
        if not isinstance(found, np.ndarray):
            self._found[key] = fact, found  # while it is kept, nothing else has its id
        return found


@dataclass(frozen=True)
class GraphReader:
    """A graph, handed to the function `find` of a match: walks from a tensor to its producer."""

    _producer: Callable[[str], NodeView | None]
    _readers: Callable[[str], int]

    def producer(self, tensor: Tensor, op: str) -> NodeView | None:
        """The node that writes this tensor, if it is of this op and there is just one reader."""
        found = self._producer(tensor.id)
        alone = self._readers(tensor.id) == 1
        return found if found is not None and found.op == op and alone else None


@dataclass
class GraphBuilder:
    """Collects the nodes that take another's place."""

    prefix: str
    nodes: list[Node] = field(default_factory=list)
    tensors: dict[str, Tensor] = field(default_factory=dict)

    def tensor(
        self,
        name: str,
        dtype: DType,
        shape: tuple[int, ...],
        quantization: Quantization | None = None,
        data: Array | None = None,
    ) -> Tensor:
        """A new tensor, constant when it has data."""
        made = f"{self.prefix}_{name}"
        constant = None if data is None else Constant(data.astype(dtype.numpy))
        self.tensors[made] = Tensor(made, made, dtype, shape, quantization, constant)
        return self.tensors[made]

    def node(
        self, op: str, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor], **attributes: Any
    ) -> None:
        """Append a node: tensors in declared order, attributes that are not at default."""
        ids = tuple(None if tensor is None else tensor.id for tensor in inputs)
        written = tuple(tensor.id for tensor in outputs)
        self.nodes.append(Node(f"{self.prefix}_{len(self.nodes)}", op, ids, written, attributes))
