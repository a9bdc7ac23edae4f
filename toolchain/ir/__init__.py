"""The graph: frozen values, their verification and their text form."""

from toolchain.ir.graph import (
    Array,
    Candidate,
    Constant,
    Graph,
    KernelChoice,
    Node,
    Offer,
    Placement,
    Plan,
    Quantization,
    Tensor,
    TensorType,
)
from toolchain.ir.types import DType

__all__ = [
    "Array",
    "Candidate",
    "Constant",
    "DType",
    "Graph",
    "KernelChoice",
    "Node",
    "Offer",
    "Placement",
    "Plan",
    "Quantization",
    "Tensor",
    "TensorType",
]
