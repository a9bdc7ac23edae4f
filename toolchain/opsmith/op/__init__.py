"""What an op is: all that an `op.py` imports, but for numpy and the standard library."""

from opsmith.ir import Array, Tensor, TensorType
from opsmith.ir.types import boolean, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from opsmith.op.blocks import Cut
from opsmith.op.channels import Masks, Range, Ranges
from opsmith.op.declare import (
    Attribute,
    Convert,
    Decompose,
    Example,
    ExampleTensor,
    Input,
    ListOf,
    Match,
    Matched,
    OpError,
    Output,
    Rename,
    State,
)
from opsmith.op.departure import Departure, no_kernel
from opsmith.op.describe import EVERY, KernelsFor, Kind, Op, Variant
from opsmith.op.emitter import Call, Emitted, Part
from opsmith.op.hooks import (
    Affine,
    Blocks,
    Borders,
    Channels,
    Hooks,
    Permutations,
    Streaming,
    Views,
)
from opsmith.op.kernel import Code, Kernel, Plan, Refused, Work, every_node, refusing
from opsmith.op.lines import Axes, Turned
from opsmith.op.overlap import Distance
from opsmith.op.rows import Rows
from opsmith.op.view import GraphBuilder, GraphReader, NodeView

__all__ = [
    "EVERY",
    "Affine",
    "Array",
    "Attribute",
    "Axes",
    "Blocks",
    "Borders",
    "Call",
    "Channels",
    "Code",
    "Convert",
    "Cut",
    "Decompose",
    "Departure",
    "Distance",
    "Emitted",
    "Example",
    "ExampleTensor",
    "GraphBuilder",
    "GraphReader",
    "Hooks",
    "Input",
    "Kernel",
    "KernelsFor",
    "Kind",
    "ListOf",
    "Masks",
    "Match",
    "Matched",
    "NodeView",
    "Op",
    "OpError",
    "Output",
    "Part",
    "Permutations",
    "Plan",
    "Range",
    "Ranges",
    "Refused",
    "Rename",
    "Rows",
    "State",
    "Streaming",
    "Tensor",
    "TensorType",
    "Turned",
    "Variant",
    "Views",
    "Work",
    "boolean",
    "every_node",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "no_kernel",
    "refusing",
    "u8",
    "u16",
    "u32",
    "u64",
]
