"""A node as its op sees it: tensors and attributes by declared name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolchain.ir import Tensor


@dataclass(frozen=True)
class NodeView:
    """One node, handed to the functions of an `op.py`. `node["x"]` is the tensor named x."""

    name: str
    tensors: Mapping[str, Tensor | None]  # declared inputs and outputs; None: absent
    attributes: Mapping[str, Any]

    def __getitem__(self, name: str) -> Tensor:
        """The input or output of this name; it must be present."""
        tensor = self.tensors[name]
        assert tensor is not None, f"node {self.name}: {name} is absent"
        return tensor

    def get(self, name: str) -> Tensor | None:
        """The input of this name, or None when it is absent."""
        return self.tensors[name]
