"""What an op is: all that an `op.py` imports, but for numpy and the standard library."""

from toolchain.ir import Array, Tensor, TensorType
from toolchain.ir.types import boolean, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.describe import (
    Attribute,
    Code,
    Convert,
    Decompose,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    ListOf,
    Match,
    Matched,
    Op,
    OpError,
    Output,
    Rename,
    Scratch,
    State,
)
from toolchain.op.overlap import Distance
from toolchain.op.rows import Rows
from toolchain.op.view import GraphBuilder, GraphReader, NodeView

__all__ = [
    "Array",
    "Attribute",
    "Code",
    "Convert",
    "Decompose",
    "Distance",
    "Example",
    "ExampleTensor",
    "GraphBuilder",
    "GraphReader",
    "Input",
    "Kernel",
    "ListOf",
    "Masks",
    "Match",
    "Matched",
    "NodeView",
    "Op",
    "OpError",
    "Output",
    "Range",
    "Ranges",
    "Rename",
    "Rows",
    "Scratch",
    "State",
    "Tensor",
    "TensorType",
    "boolean",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
]
