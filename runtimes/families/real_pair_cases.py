"""Test cases of int8 arithmetic that is rounded once."""

from collections.abc import Mapping, Sequence

import numpy as np

from opsmith.tflite.cases import Case
from opsmith.tflite.one_node import Build, custom_node

SHAPES: Mapping[str, tuple[Sequence[int], Sequence[int]]] = {
    "same": ((3, 70), (3, 70)),
    "row": ((4, 5, 6), (6,)),
    "column": ((4, 5), (4, 1)),
    "one": ((1,), (1,)),
    "scalar": ((), (17,)),
}
# of a, b and y; no integers serve the second, of which every other sum is a half
SCALES = {
    "plain": (0.03641735, 0.02931172, 0.04022341),
    "halves": (0.05, 0.05, 0.1),
    "far": (1e-4, 3.0, 1e-3),
}


def summed(
    op: str,
    scales: Sequence[float],
    shapes: tuple[Sequence[int], Sequence[int]] = SHAPES["same"],
    activation: str = "",
    zeros: tuple[int, int, int] = (-3, 7, 4),
) -> Build:
    """Node of int8 to build, with these scales and zero points of a, b and y."""
    a, b = (
        (tuple(shape), "int8", scale, zero)
        for shape, scale, zero in zip(shapes, scales[:2], zeros[:2], strict=True)
    )
    y = (np.broadcast_shapes(*map(tuple, shapes)), "int8", scales[2], zeros[2])
    return custom_node(op, {"a": a, "b": b}, {"y": y}, activation.encode())


def real_pair_cases(op: str) -> tuple[Case, ...]:
    """Cases of shapes, scales, zero points and activations."""
    plain = SCALES["plain"]
    return (
        *(Case(name, summed(op, plain, shapes)) for name, shapes in SHAPES.items()),
        Case("far", summed(op, SCALES["far"])),
        *(Case(f"halves_{name}", summed(op, SCALES["halves"], SHAPES[name])) for name in SHAPES),
        *(Case(name.lower(), summed(op, plain, activation=name)) for name in ("RELU", "RELU6")),
        Case("least", summed(op, plain, zeros=(-128, 127, -128))),
    )
