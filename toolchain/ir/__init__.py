"""The graph: frozen values, their verification and their text form."""

from toolchain.ir.choice import Candidate, KernelChoice, Offer, Side
from toolchain.ir.graph import (
    Array,
    Constant,
    Graph,
    Held,
    Node,
    Placement,
    Plan,
    Quantization,
    Stream,
    Tensor,
    TensorType,
    Timing,
)
from toolchain.ir.types import DType

__all__ = [
    "Array",
    "Candidate",
    "Constant",
    "DType",
    "Graph",
    "Held",
    "KernelChoice",
    "Node",
    "Offer",
    "Placement",
    "Plan",
    "Quantization",
    "Side",
    "Stream",
    "Tensor",
    "TensorType",
    "Timing",
]
