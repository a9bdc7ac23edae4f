"""The graph: frozen values, their verification and their text form."""

from opsmith.ir.choice import Candidate, KernelChoice, Offer, Side
from opsmith.ir.graph import (
    Array,
    Constant,
    Graph,
    Held,
    Node,
    Quantization,
    Stream,
    Tensor,
    TensorType,
    Timing,
)
from opsmith.ir.plan import MemoryPlan, Placement, Trade
from opsmith.ir.types import DType
from opsmith.numerics import Numerics

__all__ = [
    "Array", "Candidate", "Constant", "DType", "Graph", "Held", "KernelChoice", "MemoryPlan",
    "Node", "Numerics", "Offer", "Placement", "Quantization", "Side", "Stream", "Tensor",
    "TensorType", "Timing", "Trade",
]  # fmt: skip
