"""A node and a graph as an op's functions see both: tensors and attributes by declared name."""

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
    """Node as the functions of an `op.py` receive it. `node["x"]` is the tensor named x."""

    name: str
    op: str
    tensors: Mapping[str, Present]  # declared inputs and outputs; None: absent
    attributes: Mapping[str, Any]
    reversed: bool = False  # kernels that offer it have to walk backward: see overlap.py
    numerics: Numerics = Numerics.REFERENCE  # the rule of its elements
    _found: dict[Any, Any] = field(init=False, default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> Tensor:
        """Input or output `name`, which must be present."""
        tensor = self.tensors[name]
        if not isinstance(tensor, Tensor):
            raise TypeError(f"node {self.name}: {name} is absent or variadic")
        return tensor

    def get(self, name: str) -> Tensor | None:
        """Input `name`, or None when it is absent."""
        tensor = self.tensors[name]
        if isinstance(tensor, tuple):
            raise TypeError(f"node {self.name}: {name} is variadic")
        return tensor

    def variadic(self, name: str) -> tuple[Tensor, ...]:
        """Tensors of a variadic input."""
        tensors = self.tensors[name]
        if not isinstance(tensors, tuple):
            raise TypeError(f"node {self.name}: {name} is not variadic")
        return tensors

    def once(self, fact: Callable[[NodeView], T]) -> T:
        """Value of `fact` for the node. The function is called once, since kernels have most facts
        in common, except if it returns an array, which would live as long as the node.

        Functions are compared by identity, since authors' own may be equal or lack a hash.
        """
        key: object = id(fact)
        if isinstance(fact, MethodType):  # a new object at each look-up
            key = id(fact.__self__), fact.__func__
        if key in self._found:
            known: T = self._found[key][1]
            return known
        found = fact(self)
        if not isinstance(found, np.ndarray):
            self._found[key] = fact, found  # keeping `fact` prevents reuse of its id
        return found


@dataclass(frozen=True)
class GraphReader:
    """A graph, handed to the function `find` of a match: walks from a tensor to its producer."""

    _producer: Callable[[Tensor, str], NodeView | None]
    _readers: Callable[[str], int]

    def producer(self, tensor: Tensor, op: str) -> NodeView | None:
        """Node of op `op` that writes a tensor, if the tensor has exactly one reader."""
        return self._producer(tensor, op) if self._readers(tensor.id) == 1 else None


@dataclass
class GraphBuilder:
    """Collector of the nodes and tensors that replace a node."""

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
        """Append a node: tensors in declared order, and attributes other than defaults."""
        ids = tuple(None if tensor is None else tensor.id for tensor in inputs)
        written = tuple(tensor.id for tensor in outputs)
        self.nodes.append(Node(f"{self.prefix}_{len(self.nodes)}", op, ids, written, attributes))
