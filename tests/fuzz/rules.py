"""One-op models of int8 with random scales and zero points: each rule of numerics in numpy against
its oracle, over every op that has one. `python -m tests.fuzz.rules [--count N] [--seed N] [OP…]`
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from opsmith.ir import Array, Numerics
from opsmith.legalize.numerics import not_reproduced
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.oracle.rules import by_tflm, cannot_answer
from opsmith.pipeline import Reading, read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter

Random = np.random.Generator


class Build(Protocol):
    """A function that adds a node with its tensors to a model."""

    def __call__(self, m: ModelWriter, random: Random) -> None:
        """Add a node and its tensors to the model."""


NOT_COMPARED = {
    ("SUM", Numerics.REFERENCE),  # where LiteRT's reference is wrong, which `run` says
    ("ELU", Numerics.REFERENCE),  # of which LiteRT has no reference kernel
    *((operator, Numerics.TFLM) for operator in ("ELU", "BATCH_MATMUL")),  # not reproduced
}
SETS = 4  # of inputs for each model, the extremes among them


@dataclass(frozen=True)
class Difference:
    """Element that differs: by a rule, and by the rule's oracle."""

    op: str
    rule: Numerics
    ours: int
    oracle: int
    differ: int
    elements: int

    def __str__(self) -> str:
        return (
            f"{self.op} by numerics={self.rule}: {self.differ} of {self.elements} elements differ;"
            f" the rule says {self.ours}, its oracle {self.oracle}"
        )


def scale(random: Random, low: float = 0.004, high: float = 0.3) -> float:
    """Random scale, uniform in its logarithm."""
    return float(np.float32(np.exp(random.uniform(np.log(low), np.log(high)))))


def zero(random: Random) -> int:
    """Random zero point of int8, at an end of the type now and then."""
    return int(random.choice([-128, 127, 0, *random.integers(-128, 128, 5)]))


def layer(kind: str, biased: bool = True) -> Build:
    """Add a CONV_2D, DEPTHWISE_CONV_2D or FULLY_CONNECTED whose outputs mostly fill int8."""

    def build(m: ModelWriter, random: Random) -> None:
        channels, inputs = (int(n) for n in random.integers(1, 24, 2))
        window = int(random.integers(1, 4))
        per_channel = bool(random.integers(2))
        x_scale, scales = scale(random), random.uniform(0.001, 0.02, channels if per_channel else 1)
        shapes = {
            "CONV_2D": ((1, 5, 6, inputs), (channels, window, window, inputs), 0),
            "DEPTHWISE_CONV_2D": ((1, 5, 6, channels), (1, window, window, channels), 3),
            "FULLY_CONNECTED": ((3, inputs), (channels, inputs), 0),
        }
        x_shape, w_shape, axis = shapes[kind]
        taps = int(np.prod(w_shape)) // channels
        y_scale = float(np.float32(x_scale * scales.mean() * 3000 * np.sqrt(taps) / 60))
        x = m.input("x", x_shape, "int8", x_scale, zero(random))
        quantised = [float(np.float32(s)) for s in scales]
        zeros = [0] * len(quantised)
        w = random.integers(-127, 128, w_shape).astype(np.int8)
        weights = m.constant("w", w, quantised, zeros, axis=axis)
        y_shape = (3, channels) if kind == "FULLY_CONNECTED" else (1, 5, 6, channels)
        y = m.tensor("y", y_shape, "int8", y_scale, zero(random))
        bias = random.integers(-4000, 4000, channels).astype(np.int32)
        of_bias = [float(np.float32(x_scale) * np.float32(s)) for s in quantised]
        operands = [x, weights, m.constant("b", bias, of_bias, zeros, axis=0)]
        options: dict[str, Any] = {}
        if kind != "FULLY_CONNECTED":
            options = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
        if kind == "DEPTHWISE_CONV_2D":
            options["depth_multiplier"] = 1
        options["fused_activation_function"] = str(random.choice(["NONE", "RELU", "RELU6"]))
        m.node(kind, operands, [y], options, version=4 if kind == "FULLY_CONNECTED" else 3)
        m.output(y)

    return build


def transposed(m: ModelWriter, random: Random) -> None:
    """Add a TRANSPOSE_CONV whose outputs mostly fill int8."""
    height, width, down, right = (int(n) for n in random.integers(1, 5, 4))
    inputs, channels = (int(n) for n in random.integers(1, 9, 2))
    x_scale, scales = scale(random), random.uniform(0.001, 0.02, channels)
    quantised = [float(np.float32(each)) for each in scales]
    taps = -(-height // down) * -(-width // right) * inputs
    y_shape = (1, 3 * down, 4 * right, channels)
    y_scale = float(np.float32(x_scale * scales.mean() * 3000 * np.sqrt(taps) / 60))
    w = random.integers(-127, 128, (channels, height, width, inputs)).astype(np.int8)
    shape = m.constant("shape", np.array(y_shape, np.int32))
    weights = m.constant("w", w, quantised, [0] * channels, axis=0)
    x = m.input("x", (1, 3, 4, inputs), "int8", x_scale, zero(random))
    y = m.tensor("y", y_shape, "int8", y_scale, zero(random))
    strides = {"stride_h": down, "stride_w": right}
    m.node("TRANSPOSE_CONV", [shape, weights, x], [y], {"padding": "SAME", **strides}, version=2)
    m.output(y)


def matrices(m: ModelWriter, random: Random) -> None:
    """Add a BATCH_MATMUL, mostly with a zero point of 0 for b."""
    rows, depth, columns = (int(n) for n in random.integers(1, 12, 3))
    scales = scale(random), scale(random)
    y_scale = float(np.float32(scales[0] * scales[1] * 60 * np.sqrt(depth)))
    a = m.input("a", (2, rows, depth), "int8", scales[0], zero(random))
    b = m.input("b", (2, depth, columns), "int8", scales[1], int(random.choice([0, 0, 0, 5])))
    y = m.tensor("y", (2, rows, columns), "int8", y_scale, zero(random))
    m.node("BATCH_MATMUL", [a, b], [y], {"adj_x": False, "adj_y": False}, version=2)
    m.output(y)


def pair(kind: str) -> Build:
    """Add an ADD, SUB or MUL, which now and then multiplies a tensor by itself."""

    def build(m: ModelWriter, random: Random) -> None:
        same = kind == "MUL" and not random.integers(4)
        scales = (scale(random),) * 2 if same else (scale(random), scale(random))
        widest = scales[0] * scales[1] * 60 if kind == "MUL" else max(scales)
        y_scale = float(np.float32(widest * np.exp(random.uniform(-1, 1.5))))
        shape = (1, 4, 5, int(random.integers(1, 20)))
        names = zip("a" if same else "ab", scales, strict=False)
        operands = [m.input(name, shape, "int8", each, zero(random)) for name, each in names]
        operands *= 2 if same else 1
        y = m.tensor("y", shape, "int8", y_scale, zero(random))
        activation = str(random.choice(["NONE", "RELU"]))
        m.node(kind, operands, [y], {"fused_activation_function": activation}, version=2)
        m.output(y)

    return build


def reduced(kind: str) -> Build:
    """Add a MEAN or SUM over an image."""

    def build(m: ModelWriter, random: Random) -> None:
        height, width, channels = (int(n) for n in random.integers(2, 12, 3))
        x_scale = scale(random)
        widest = x_scale * (1 if kind == "MEAN" else np.sqrt(height * width) / 2)
        y_scale = float(np.float32(widest * np.exp(random.uniform(-1.5, 0.5))))
        x = m.input("x", (1, height, width, channels), "int8", x_scale, zero(random))
        axes = m.constant("axes", np.array([1, 2], np.int32))
        y = m.tensor("y", (1, channels), "int8", y_scale, zero(random))
        m.node(kind, [x, axes], [y], {"keep_dims": False}, version=2)
        m.output(y)

    return build


def unary(
    kind: str,
    options: Callable[[Random], dict[str, Any]],
    version: int = 2,
    quantised: tuple[float, int] | None = None,
) -> Build:
    """Add a function of one tensor, with a random output scale, or a given scale and zero point."""

    def build(m: ModelWriter, random: Random) -> None:
        x_scale = scale(random)
        y_scale = float(np.float32(x_scale * np.exp(random.uniform(-1.5, 1.5))))
        x = m.input("x", (1, 4, 5, 16), "int8", x_scale, zero(random))
        y = m.tensor("y", (1, 4, 5, 16), "int8", *(quantised or (y_scale, zero(random))))
        m.node(kind, [x], [y], options(random), version=version)
        m.output(y)

    return build


def resized(m: ModelWriter, random: Random) -> None:
    """Add a RESIZE_BILINEAR."""
    before, after = random.integers(2, 9, 2), random.integers(1, 17, 2)
    way = int(random.integers(3))
    x = m.input("x", (1, *map(int, before), 3), "int8", 0.1, 3)
    size = m.constant("size", after.astype(np.int32))
    y = m.tensor("y", (1, *map(int, after), 3), "int8", 0.1, 3)
    options = {"align_corners": way == 1, "half_pixel_centers": way == 2}
    m.node("RESIZE_BILINEAR", [x, size], [y], options, version=3)
    m.output(y)


def slope(random: Random) -> dict[str, Any]:
    """Options of a LEAKY_RELU: a random slope."""
    return {"alpha": float(np.float32(random.choice([0.1, -0.5, random.uniform(0.01, 1)])))}


def no_options(random: Random) -> dict[str, Any]:
    """Options of operators that have none."""
    return {}


def beta(random: Random) -> dict[str, Any]:
    """Options of a SOFTMAX: a random beta."""
    return {"beta": float(random.choice([1.0, 0.5, 3.0]))}


OPS: dict[str, tuple[str, Build]] = {  # by operator: the op's folder, and how a model is built
    "CONV_2D": ("conv_2d", layer("CONV_2D")),
    "DEPTHWISE_CONV_2D": ("depthwise_conv_2d", layer("DEPTHWISE_CONV_2D")),
    "FULLY_CONNECTED": ("fully_connected", layer("FULLY_CONNECTED")),
    "TRANSPOSE_CONV": ("transpose_conv", transposed),
    "BATCH_MATMUL": ("batch_matmul", matrices),
    "ADD": ("add", pair("ADD")),
    "SUB": ("sub", pair("SUB")),
    "MUL": ("mul", pair("MUL")),
    "MEAN": ("mean", reduced("MEAN")),
    "SUM": ("sum", reduced("SUM")),
    "LEAKY_RELU": ("leaky_relu", unary("LEAKY_RELU", slope)),
    "QUANTIZE": ("quantize", unary("QUANTIZE", no_options)),
    "SOFTMAX": ("softmax", unary("SOFTMAX", beta, quantised=(1 / 256, -128))),
    "LOGISTIC": ("logistic", unary("LOGISTIC", no_options, quantised=(1 / 256, -128))),
    "TANH": ("tanh", unary("TANH", no_options)),
    "ELU": ("elu", unary("ELU", no_options, version=1)),
    "RESIZE_BILINEAR": ("resize_bilinear", resized),
}


def model(build: Build, random: Random) -> bytes:
    """Random model of one op."""
    writer = ModelWriter()
    build(writer, random)
    return writer.bytes()


def reproduced(
    operator: str, rule: Numerics, seeds: Sequence[int], ops: OpIndex
) -> list[tuple[bytes, NumpyReference]]:
    """Models of one op, each with its evaluator, that the rule reproduces."""
    models = [model(OPS[operator][1], np.random.default_rng(seed)) for seed in seeds]
    pairs = [(content, by_rule(content, rule, ops)) for content in models]
    return [(content, ours) for content, ours in pairs if ours is not None]


def differences(
    operator: str, rule: Numerics, models: Sequence[tuple[bytes, NumpyReference]]
) -> Iterator[Difference]:
    """Differences between numpy's rule and its oracle, model by model."""
    for content, ours in models:
        oracle = _oracle(content, rule)
        for inputs in seeded_inputs(ours.inputs, SETS):
            (got,), (wanted,) = ours.run(inputs), oracle(inputs)
            off = np.flatnonzero(got != wanted)
            if off.size:
                at = np.unravel_index(off[0], got.shape)
                both = int(got[at]), int(wanted[at])
                yield Difference(operator, rule, *both, int(off.size), got.size)


def _oracle(content: bytes, rule: Numerics) -> Callable[[Sequence[Array]], list[Array]]:
    if rule == Numerics.TFLM:
        return partial(by_tflm, content, outputs=1)
    return Reference(content, default=rule == Numerics.NOTEBOOK).run


def by_rule(content: bytes, rule: Numerics, ops: OpIndex) -> NumpyReference | None:
    """Evaluator of the model by a rule in numpy; None where an op does not reproduce the rule."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.tflite")
        path.write_bytes(content)
        graph = read(path, "model", ops, Reading(numerics=rule))[1]
    left_out = any(not_reproduced(graph, rule, ops))
    return None if left_out else NumpyReference(graph, ops)


def main() -> int:
    """Print every difference; returns 1 where an element differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operators", nargs="*", default=[*OPS])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given, ops, failed = parser.parse_args(), shipped_ops(), False
    for operator in given.operators:
        seeds = range(given.seed, given.seed + given.count)
        for rule in Numerics:
            if cannot_answer(rule) or (operator, rule) in NOT_COMPARED:
                continue
            models = reproduced(operator, rule, seeds, ops)
            found = [*differences(operator, rule, models)]
            count = f"{len(models)} of {given.count} models"
            print(f"{operator} by numerics={rule}: {len(found)} differences in {count}")
            print("".join(f"  {each}\n" for each in found[:3]), end="")
            failed |= bool(found)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
