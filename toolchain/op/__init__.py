"""What an op is: all that an `op.py` imports, but for numpy and the standard library."""

from toolchain.ir import Array, Tensor, TensorType
from toolchain.ir.types import boolean, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from toolchain.op.channels import Masks, Range, Ranges
from toolchain.op.describe import (
    Attribute,
    Input,
    Kernel,
    Op,
    OpError,
    Output,
    Rename,
    Scratch,
)
from toolchain.op.view import NodeView

__all__ = [
    "Array",
    "Attribute",
    "Input",
    "Kernel",
    "Masks",
    "NodeView",
    "Op",
    "OpError",
    "Output",
    "Range",
    "Ranges",
    "Rename",
    "Scratch",
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
