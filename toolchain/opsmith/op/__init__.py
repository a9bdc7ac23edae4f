"""The description of ops. An `op.py` begins with `from opsmith.op import *`."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array, DType, Numerics, Tensor, TensorType
from opsmith.ir.types import boolean, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from opsmith.op.blocks import Cut
from opsmith.op.channels import Masks, Range, Ranges, all_live, channels_of, constant_of, tied
from opsmith.op.clamp import CLAMP_ATTRIBUTES, FUSED, clamp_range, real_clamp_range, real_clamped
from opsmith.op.cost import instructions, per_element
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
    States,
)
from opsmith.op.departure import Departure, no_kernel
from opsmith.op.describe import EVERY, KernelsFor, Kind, Op, Variant, of_types
from opsmith.op.emitter import BackendPart, Call, Emitted
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
from opsmith.op.kernel import (
    ANY_RULE,
    OTHER_RULES,
    Code,
    Kernel,
    Plan,
    Refused,
    Work,
    every_node,
    reference,
    refusing,
)
from opsmith.op.lines import ImageAxes, Turned
from opsmith.op.options import flexbuffer
from opsmith.op.overlap import Distance, elementwise
from opsmith.op.params import Elements, Facts, Rows, by_name, of_facts, row_count, row_problems
from opsmith.op.rank import at_least
from opsmith.op.view import GraphBuilder, GraphReader, NodeView

__all__ = [
    "ANY_RULE", "CLAMP_ATTRIBUTES", "EVERY", "FUSED", "OTHER_RULES", "Affine", "Annotated", "Any",
    "Array", "Attribute", "BackendPart", "Blocks", "Borders", "Call", "Callable", "Channels",
    "Code", "Convert", "Cut", "DType", "Decompose", "Departure", "Distance", "Elements", "Emitted",
    "Example", "ExampleTensor", "Facts", "GraphBuilder", "GraphReader", "Hooks", "ImageAxes",
    "Input", "Iterator", "Kernel", "KernelsFor", "Kind", "ListOf", "Mapping", "Masks", "Match",
    "Matched", "NDArray", "NodeView", "Numerics", "Op", "OpError", "Output", "Permutations", "Plan",
    "Range", "Ranges", "Refused", "Rename", "Rows", "Sequence", "State", "States", "Streaming",
    "Tensor", "TensorType", "Turned", "Variant", "Views", "Work", "all_live", "at_least", "boolean",
    "by_name", "channels_of", "clamp_range", "constant_of", "dataclass", "elementwise",
    "every_node", "f32", "f64", "flexbuffer", "i8", "i16", "i32", "i64", "instructions", "math",
    "no_kernel", "np", "of_facts", "of_types", "partial", "per_element", "real_clamp_range",
    "real_clamped", "reference", "refusing", "replace", "row_count", "row_problems", "tied", "u8",
    "u16", "u32", "u64",
]  # fmt: skip
