"""SignalFilterBankSquareRoot: square roots of 64-bit integers, shifted right by a number of bits.

Defined by TensorFlow Lite Micro (signal/src/square_root_64.cc and _32.cc): the nearest integer,
but for 65535 where the root of a number below 2^32 is nearer to 2^16, and 2^32 - 1 where it is
nearer to 2^32. Verified against Python's exact integer root around every square of a power of two,
over all numbers below 2^12 and random ones of every size, and, bit for bit, against the source,
compiled apart, and the 183 frames that are published with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    i32,
    u32,
    u64,
)
from toolchain.op.options import flexbuffer


@dataclass(frozen=True)
class Params:
    """How many roots there are."""

    elements: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: in the shape of x."""
    return [TensorType(u32, node["x"].shape)]


def check(node: NodeView) -> Iterator[str]:
    """The ranks that the source has."""
    if len(node["x"].shape) != 1:
        yield f"x {node['x'].type} must be a vector"
    if node["bits"].shape != ():
        yield f"bits {node['bits'].type} must be a scalar"


def params(node: NodeView) -> Params:
    """How many roots there are."""
    return Params(node["x"].elements)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The roots by exact integers. A shift that 32 bits do not have, undefined there, gives 0."""
    bits = int(inputs[1])
    if not 0 <= bits < 32:
        return [np.zeros(node["y"].shape, np.uint32)]
    return [np.array([_root(int(each)) >> bits for each in inputs[0]], np.uint32)]


def _root(x: int) -> int:
    down = math.isqrt(x)
    nearest = down + (x - down * down > down)
    return min(nearest, 2**16 - 1 if x < 2**32 else 2**32 - 1)


OP = Op(
    name="signal_filter_bank_square_root",
    legalize=(Rename("tflite.CUSTOM.SignalFilterBankSquareRoot", options=flexbuffer),),
    inputs=(Input("x", u64), Input("bits", i32)),
    outputs=(Output("y", u32),),
    infer=infer,
    check=check,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(u64, (40,)),
                "bits": ExampleTensor(i32, ()),
                "y": ExampleTensor(u32, (40,)),
            }
        ),
    ),
    variants=(Variant({}, (Kernel("reference", Params, every_node(params)),)),),
)
