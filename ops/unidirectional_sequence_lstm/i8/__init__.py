"""LSTM of int8: gates are Q3.12 and become Q0.15, cells are int16 whose scale is a power of two.

LiteRT quantises y as the last of five intermediate tensors, of which the op needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from runtimes.core.accumulator import overflow_problems
from runtimes.core.fixed_activation import fixed_logistic, fixed_tanh
from runtimes.core.per_tensor import per_tensor_problems, zero_problems
from runtimes.families.params import Facts, of_facts
from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Kernel,
    NodeView,
    Variant,
    every_node,
    i8,
    i16,
    i32,
)
from toolchain.op.arithmetic import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
)

from ..cell import (
    BIASES,
    GATES,
    RECURRENT,
    SIZES,
    WEIGHTS,
    Sizes,
    cell_clip,
    cell_power,
    cell_problems,
    constant_examples,
    gate_multipliers,
    over_steps,
    stacked,
)

Ints = NDArray[np.int64]
HIDDEN = 4  # the intermediate tensor that y is quantised as


@dataclass(frozen=True, kw_only=True)
class Params(Sizes):
    """The sizes, and how sums are requantised: of x and of the previous output for each gate."""

    cell_bits: int  # integer bits of the cell state
    cell_clip: int  # 0: none
    x_multiplier: Annotated[tuple[int, ...], i32, 4]  # Q31
    x_shift: Annotated[tuple[int, ...], i8, 4]
    h_multiplier: Annotated[tuple[int, ...], i32, 4]
    h_shift: Annotated[tuple[int, ...], i8, 4]
    y_multiplier: int
    y_shift: int
    y_zero_point: int


@dataclass(frozen=True)
class Tables:
    """Constants of the input, forget, cell and output gates; biases take in zero points."""

    weights: NDArray[np.int8]  # [4][cells][depth]
    recurrent: NDArray[np.int8]  # [4][cells][cells]
    bias: NDArray[np.int32]  # [4][cells]
    recurrent_bias: NDArray[np.int32]  # [4][cells]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    weights = [name for name in (*WEIGHTS, *RECURRENT) if node.get(name) is not None]
    names = ("x", *weights, "output_state", "cell_state", "y")
    scales = node.attributes["intermediate_scales"]
    yield from (problems := list(per_tensor_problems(node, *names)))
    if len(scales) != HIDDEN + 1 or not scales[HIDDEN]:
        yield "the last of its five intermediate tensors must be quantised: y is as it says"
    elif not problems:
        yield from zero_problems(node, *weights, "cell_state")
        yield from cell_problems(node)
        yield from _sum_problems(node)
        _y_multiplier(node)  # raises OpError where there is none


def _sum_problems(node: NodeView) -> Iterator[str]:
    for x, names in (("x", WEIGHTS), ("output_state", RECURRENT)):
        sums = zip(names, gate_multipliers(node, x, names), _biases(node, x, names), strict=True)
        for name, (_, shift), bias in sums:
            weights = node.get(name)
            if weights is not None:
                bounds = np.abs(weights.data.astype(np.int64)).sum(axis=1) * 128 + np.abs(bias)
                yield from (f"{name}: {each}" for each in overflow_problems(bounds, shift))


def _biases(node: NodeView, x: str, names: Sequence[str]) -> Ints:
    """What is added to the sums of each gate: [4][cells], with what the zero point of x adds."""
    sums = stacked(node, names).sum(axis=-1, dtype=np.int64)
    biases = stacked(node, BIASES) if x == "x" else np.zeros_like(sums)
    return np.asarray(biases - node[x].zero_point * sums, np.int64)


def _y_multiplier(node: NodeView) -> tuple[int, int]:
    ratio = 2.0**-15 / node.attributes["intermediate_scales"][HIDDEN] * 2.0**-15
    with np.errstate(over="ignore"):
        return quantize_multiplier(float(np.float32(ratio)))


FACTS: Facts = {
    **SIZES,
    "cell_bits": lambda node: 15 + cell_power(node)[0],
    "cell_clip": cell_clip,
    "x_multiplier": lambda node: tuple(m for m, _ in gate_multipliers(node, "x", WEIGHTS)),
    "x_shift": lambda node: tuple(s for _, s in gate_multipliers(node, "x", WEIGHTS)),
    "h_multiplier": lambda node: tuple(
        m for m, _ in gate_multipliers(node, "output_state", RECURRENT)
    ),
    "h_shift": lambda node: tuple(s for _, s in gate_multipliers(node, "output_state", RECURRENT)),
    "y_multiplier": lambda node: _y_multiplier(node)[0],
    "y_shift": lambda node: _y_multiplier(node)[1],
    "y_zero_point": lambda node: node.attributes["intermediate_zero_points"][HIDDEN],
    "weights": lambda node: stacked(node, WEIGHTS),
    "recurrent": lambda node: stacked(node, RECURRENT),
    "bias": lambda node: _biases(node, "x", WEIGHTS).astype(np.int32),
    "recurrent_bias": lambda node: _biases(node, "output_state", RECURRENT).astype(np.int32),
}
params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; both states move."""
    step = partial(_step, params(node), constants(node))
    return [over_steps(node, inputs, step)]


def _step(p: Params, tables: Tables, x: Ints, h: Ints, cells: Ints) -> tuple[Ints, Ints]:
    """The output and the cells after one step: [batches][cells] each."""

    def gate(name: str) -> Ints:
        i = GATES.index(name)
        of_x = x @ tables.weights[i].T.astype(np.int64) + tables.bias[i]
        of_h = h @ tables.recurrent[i].T.astype(np.int64) + tables.recurrent_bias[i]
        scaled = _saturated(multiply_by_quantized_multiplier(of_x, p.x_multiplier[i], p.x_shift[i]))
        more = multiply_by_quantized_multiplier(of_h, p.h_multiplier[i], p.h_shift[i])
        return _saturated(scaled + more)

    forget = fixed_logistic(gate("forget"))
    update = i16.limits[1] - forget if p.coupled else fixed_logistic(gate("input"))
    kept = rounding_divide_by_pot(forget * cells, 15)
    added = rounding_divide_by_pot(update * fixed_tanh(gate("cell"), 3), 15 + p.cell_bits)
    cells = _saturated(kept + added)
    if p.cell_clip:
        cells = np.clip(cells, -p.cell_clip, p.cell_clip)
    product = fixed_logistic(gate("output")) * fixed_tanh(cells, p.cell_bits)
    y = multiply_by_quantized_multiplier(product, p.y_multiplier, p.y_shift) + p.y_zero_point
    return np.clip(y, *i8.limits), cells


def _saturated(x: Ints) -> Ints:
    return np.clip(x, *i16.limits)


I8 = Variant(
    {"T": i8, "W": i8, "C": i16, "B": i32},
    (Kernel("reference", Params, every_node(params, constants), Tables),),
    folder="i8",
    check=check,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 3, 5), scale=0.05, zero_point=-3),
                **constant_examples(i8, i32, depth=5, cells=4, scale=0.01),
                "output_state": ExampleTensor(i8, (1, 4), scale=1 / 128),
                "cell_state": ExampleTensor(i16, (1, 4), scale=2.0**-11),
                "y": ExampleTensor(i8, (1, 3, 4), scale=1 / 128),
            },
            {
                "intermediate_scales": (0.0, 0.0, 0.0, 0.0, 1 / 128),
                "intermediate_zero_points": (0, 0, 0, 0, 0),
            },
        ),
    ),
)
