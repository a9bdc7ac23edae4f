"""Random graphs of ONNX's operators, of float32 or quantised, beside onnx.reference:
`python -m tests.fuzz.onnx_graphs --count=N --seed=S`.

A quantised graph has QuantizeLinear and DequantizeLinear after each operator. Its elements differ
from the reference's by steps, which the operators after them enlarge: what is wrong in the graph's
structure differs by more.
"""

import sys
import warnings
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from tests.fuzz.onnx_nodes import answers
from tests.fuzz.trials import Limits, command
from tests.unit.frontend.onnx_models import OnnxWriter, onnx
from tests.unit.frontend.test_onnx_operators import operand, saved, wanted

LIMITS = Limits(seconds=10.0, mebibytes=200)
MOST = 3000  # elements of a tensor
NOISE = 0.2  # of a quantised output: root mean square of its error, in its standard deviation
UNARY = ("Relu", "Sigmoid", "Tanh", "HardSwish", "Abs", "Softplus", "Elu", "Neg", "LeakyRelu")
PAIRS = ("Add", "Sub", "Mul", "Max", "Min")
POOLS = ("MaxPool", "AveragePool")
PLACES = "asymmetric"
LEFT_OUT = np.array([], np.float32)  # an operand
REDUCTIONS = ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2")
# An operator, its operands besides the first, by name or constant, and its attributes.
Step = tuple[str, Sequence[Any], dict[str, Any]]


class Growing:
    """A graph that grows by random operators; what they compute tells their shapes and ranges."""

    def __init__(self, chance: Random, x: Array, *, quantised: bool) -> None:
        self.chance, self.quantised, self.m = chance, quantised, OnnxWriter()
        self.random = np.random.default_rng(chance.randrange(1 << 30))
        self.values = {self._through("x", x): x}

    def grow(self) -> None:
        """Add an operator that reads one of the tensors, where it can."""
        names = [*self.values]
        name = names[-1] if self.chance.random() < 0.7 else self.chance.choice(names)
        kind, operands, attributes = self._step(self.values[name])
        operands = [name, *operands]
        if kind in PAIRS and self.chance.random() < 0.4:
            operands.reverse()
        arrays = [self.values[e] if isinstance(e, str) else e for e in operands]
        y = _computed(kind, arrays, attributes)
        if y is not None and y.ndim and 0 < y.size <= MOST and np.isfinite(y).all():
            inputs = [e if isinstance(e, str) else self._constant(kind, e) for e in operands]
            self.values[self._through(self.m.node(kind, inputs, **attributes), y)] = y

    def _constant(self, kind: str, array: Array) -> str:
        if not array.size:
            return ""
        return operand(self.m, kind, array) if self.quantised else self.m.constant(array)

    def _through(self, name: str, y: Array) -> str:
        if not self.quantised:
            return name
        low, high = min(float(y.min()), 0.0), max(float(y.max()), 0.0)
        scale, kind = max(high - low, 1e-3) / 255, self.chance.choice(("int8", "uint8"))
        return self.m.through(name, scale, round(-low / scale) - 128 * (kind == "int8"), kind)

    def _normal(self, *shape: int) -> Array:
        return self.random.normal(0, 0.5, shape).astype(np.float32)

    def _step(self, x: Array) -> Step:
        """Random operator with operands that need not fit."""
        chance, rank, shape, normal = self.chance, x.ndim, x.shape, self._normal
        axis, other = chance.randrange(rank), chance.choice([*self.values])
        beside = [name for name, each in self.values.items() if _broadcast(each.shape, shape)]
        channels, once = shape[min(1, rank - 1)], [chance.choice((1, 2)) for _ in shape[2:]]
        ones = [1] * len(once)
        rows = chance.choice([d for d in range(1, x.size + 1) if x.size % d == 0])
        groups, filters = chance.choice((1, channels)), [chance.choice((1, 3)) for _ in once]
        scales = np.array([1, 1, *once], np.float32)
        linear = {"mode": chance.choice(("nearest", "linear")), "nearest_mode": "floor"}
        pads = np.array([chance.choice((0, 0, 1, 2)) for _ in range(2 * rank)])
        start, step = chance.choice((0, 1, -2)), chance.choice((1, 2))
        of_channels = [normal(channels) for _ in range(3)]
        steps: list[Step] = [
            (chance.choice(UNARY), [], {}),
            (chance.choice(PAIRS), [normal(*(chance.choice((1, d)) for d in shape[axis:]))], {}),
            (chance.choice(PAIRS), [chance.choice(beside)], {}),
            (chance.choice(PAIRS), [beside[0]], {}),
            (
                "Conv",
                [normal(groups * 2, channels // groups, *filters), normal(groups * 2)],
                {"group": groups, "strides": once, "pads": [chance.choice((0, 1))] * 2 * len(once)},
            ),
            ("ConvTranspose", [normal(channels, 2, *(2 for _ in once))], {"strides": once}),
            (chance.choice(POOLS), [], {"kernel_shape": [2 for _ in once], "strides": once}),
            ("GlobalAveragePool", [], {}),
            ("Resize", [LEFT_OUT, scales], linear | {"coordinate_transformation_mode": PLACES}),
            ("Reshape", [np.array([rows, -1, *ones[: chance.choice((0, 1, 2))]])], {}),
            ("Flatten", [], {"axis": axis}),
            ("Transpose", [], {"perm": chance.sample(range(rank), rank)}),
            ("Unsqueeze", [np.array([axis])], {}),
            ("Squeeze", [np.array([axis])], {}),
            ("Pad", [pads], {"mode": chance.choice(("constant", "edge"))}),
            (chance.choice(REDUCTIONS), [np.array([axis])], {"keepdims": chance.choice((0, 1))}),
            ("Concat", [other], {"axis": axis}),
            ("MatMul", [normal(shape[-1], 3)], {}),
            ("Slice", [np.array([each]) for each in (start, 99, axis, step)], {}),
            ("Gather", [np.array([-1, chance.randrange(shape[axis])])], {"axis": axis}),
            (chance.choice(("Softmax", "LogSoftmax")), [], {"axis": axis}),
            ("BatchNormalization", [*of_channels, np.abs(of_channels[0]) + np.float32(0.1)], {}),
            ("Tile", [np.array([chance.choice((1, 1, 2)) for _ in shape])], {}),
            *self._picks(x),
        ]
        return chance.choice(steps)

    def _picks(self, x: Array) -> list[Step]:
        """Operators that pick, place or sum up elements along random axes."""
        chance, rank, shape = self.chance, x.ndim, x.shape
        axis, flag = chance.randrange(rank), {"upper": chance.choice((0, 1))}
        each = self.random.integers(-shape[axis], shape[axis], shape)
        depth = chance.randint(1, rank)
        tuples = np.stack([self.random.integers(-n, n, 3) for n in shape[:depth]], -1)
        places = self.random.permutation(shape[0])[: max(shape[0] // 2, 1), None]
        letters = "abcdef"[:rank]
        turned = "".join(chance.sample(letters, rank))
        product = f"{letters},{letters[axis]}g->{turned.replace(letters[axis], 'g')}"
        return [
            ("GatherElements", [each], {"axis": axis}),
            ("GatherND", [tuples], {}),
            ("ScatterND", [places, self._normal(len(places), *shape[1:])], {}),
            ("CumSum", [np.array(axis)], {"reverse": flag["upper"]}),
            ("Trilu", [np.array(chance.randint(-2, 2))], flag),
            ("Einsum", [], {"equation": f"{letters}->{turned[: chance.randint(1, rank)]}"}),
            ("Einsum", [self._normal(shape[axis], 3)], {"equation": product}),
            ("RMSNormalization", [self._normal(shape[-1])], {}),
            ("GroupNormalization", [self._normal(shape[min(1, rank - 1)])] * 2, {"num_groups": 2}),
            ("LpNormalization", [], {"axis": axis}),
        ]


def _broadcast(*shapes: tuple[int, ...]) -> bool:
    return all(
        len({*sizes} - {1}) < 2 for sizes in zip_longest(*(s[::-1] for s in shapes), fillvalue=1)
    )


def _computed(kind: str, arrays: Sequence[Array], attributes: dict[str, Any]) -> Array | None:
    """Output of an operator by onnx.reference; None where it does not fit its operands."""
    from onnx.reference import ReferenceEvaluator

    names = [f"i{i}" if each.size else "" for i, each in enumerate(arrays)]
    feeds = {name: each for name, each in zip(names, arrays, strict=True) if name}
    try:
        node = onnx.helper.make_node(kind, names, ["y"], **attributes)
        outputs: list[Any] = [*ReferenceEvaluator(node).run(None, feeds)]
        return np.asarray(outputs[0])
    except Exception:  # of any kind
        return None


def trial(chance: Random, folder: Path) -> str:
    """Verdict of a graph: `float` or `quantised` where it is near the reference, or the codes of
    its refusal.
    """
    growing, x = grown(chance)
    output = [*growing.values][-1]
    path = saved(growing.m, output, folder, x.shape)
    if not growing.m.nodes or len(growing.values) == 1:
        return "nothing"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        right = wanted(path, x)
    try:
        (y,) = answers(path, {"x": x}, [output], [True])
    except ToolchainError as refused:
        return " ".join(sorted({each.code for each in refused.problems}))
    assert y.size == right.size, (y.shape, right.shape)
    error = np.abs(y.reshape(right.shape) - right)
    if growing.quantised:
        assert np.sqrt(np.mean(error**2)) <= NOISE * max(float(np.std(right)), 0.02)
    else:
        assert error.max() <= 2e-4 * max(1.0, float(np.abs(right).max()))
    return "quantised" if growing.quantised else "float"


def grown(chance: Random) -> tuple[Growing, Array]:
    """Random graph, and an input for it."""
    shape = [chance.choice(sizes) for sizes in ((1, 1, 2), (1, 2, 4, 6), (1, 3, 6), (1, 4, 7))]
    quantised = chance.choice((False, True))
    x = np.random.default_rng(chance.randrange(1 << 30)).normal(0, 1, shape).astype(np.float32)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        growing = Growing(chance, x, quantised=quantised)
        for _ in range(chance.randint(2, 9)):
            growing.grow()
    return growing, x


if __name__ == "__main__":
    sys.exit(command("onnx_graphs", trial, LIMITS, sys.argv[1:]))
