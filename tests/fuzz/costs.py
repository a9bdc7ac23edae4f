"""`python -m tests.fuzz.costs --count=N --seed=S`: small models that might cost much.

Each is converted in a process of its own, whose time of the processor and memory are measured. A
model of about 10 KB may take 10 seconds and 1 GB. With `--large`, models have up to 50,000 nodes,
and 30 seconds.
"""

import argparse
import math
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.testing.checkout import ROOT
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter, SubgraphWriter

SECONDS, LARGE_SECONDS = 10.0, 30.0  # of the processor, for `resolve` and `convert`
MEGABYTES = 1000.0
MOST_MEMORY, MOST_WRITTEN = 4 << 30, 1 << 30  # bytes, at which a conversion ends
CODE = re.compile(r"error ([A-Z]{3}\d{3})")
CONVERT = ("--boards", "boards", "--board", "mps2_an386", "--runtime", "cmsis", "--name", "costs")
VERSIONS = {"BROADCAST_TO": 2}
Kind = Callable[[ModelWriter, random.Random], None]


@dataclass(frozen=True)
class Cost:
    """Time and memory that a model took, and its outcome: 'converted', or an error's code."""

    outcome: str
    seconds: float
    megabytes: float


def made(
    graph: SubgraphWriter,
    op: str,
    inputs: Sequence[ModelTensor],
    shape: Sequence[int],
    dtype: str,
    **options: OptionValue,
) -> ModelTensor:
    """Output of an operator for the given inputs, of the given type; int8 has one scale
    everywhere.
    """
    scale = [0.05] if dtype == "int8" else []
    y = graph.tensor("", shape, dtype, scale, [0] * len(scale))
    graph.node(op, inputs, [y], options, version=VERSIONS.get(op, 1))
    return y


def numbers(graph: SubgraphWriter, *values: int) -> ModelTensor:
    """Constant vector of int32 from the given numbers."""
    return graph.constant("", np.array(values, np.int32))


def images(graph: SubgraphWriter, op: str, x: ModelTensor, count: int) -> ModelTensor:
    """Kind of model with operators on an image of four channels in a chain."""
    if op != "CONV_2D":
        for _ in range(count):
            x = made(graph, op, [x], x.shape, x.dtype)
        return x
    weights = graph.constant("", np.ones((4, 3, 3, 4), np.int8), [0.1] * 4, [0] * 4)
    bias = graph.constant("", np.ones(4, np.int32), [0.005] * 4, [0] * 4)
    steps = {f"{name}_factor": 1 for name in ("dilation_w", "dilation_h")}
    steps |= {"padding": 0, "stride_w": 1, "stride_h": 1}
    for _ in range(count):
        x = made(graph, op, [x, weights, bias], x.shape, x.dtype, **steps)
    return x


def calls(op: str, depth: int, width: int, long: int = 1, kind: str = "IF") -> Kind:
    """Kind of model with nested subgraphs: each calls the next `width` times, and the last has
    `long` nodes.
    """

    def write(model: ModelWriter, _: random.Random) -> None:
        graphs = [model, *(model.subgraph(f"g{each}") for each in range(depth))]
        test = model.subgraph("")
        test.input("x", (1, 8, 8, 4), "int8", [0.05], [0])
        test.output(test.input("c", (), "bool"))
        for i, graph in enumerate(graphs):
            x = graph.input("x", (1, 8, 8, 4), "int8", [0.05], [0])
            c = graph.input("c", (), "bool")
            for each in range(width if i < depth else 0):
                y = graph.tensor(f"y{each}", x.shape, "int8", [0.05], [0])
                if kind == "IF":
                    sides = {f"{side}_subgraph_index": i + 1 for side in ("then", "else")}
                    graph.node("IF", [c, x, c], [y, graph.tensor("", (), "bool")], sides)
                else:
                    both = {"cond_subgraph_index": test.number, "body_subgraph_index": i + 1}
                    graph.node("WHILE", [x, c], [y, graph.tensor("", (), "bool")], both)
                x = y
            x = images(graph, op, x, long) if i == depth else x
            graph.output(x, c) if graph is not model else graph.output(x)

    return write


def filled(*ops: str, elements: int = 1 << 24, count: int = 40) -> Kind:
    """Kind of model with large constants computed from a few numbers, each added to an input."""

    def write(model: ModelWriter, chance: random.Random) -> None:
        x = model.input("x", (1,), "float32")
        for i in range(count):
            shape = (elements // 64 - i, 64)
            y = made(model, "FILL", [numbers(model, *shape), numbered(model, i)], shape, "float32")
            for op in ops:
                y = made(model, op, [y], shape, "float32")
            x = made(model, "ADD", [x, y], shape, "float32") if i == count - 1 else x
            model.output(made(model, "ADD", [x, y], shape, "float32"))

    return write


def numbered(graph: SubgraphWriter, value: float) -> ModelTensor:
    """Scalar constant."""
    return graph.constant("", np.array(value, np.float32))


def spread(op: str, count: int = 30) -> Kind:
    """Kind of model that broadcasts one element to millions, again and again."""

    def write(model: ModelWriter, _: random.Random) -> None:
        one = model.constant("", np.ones((1, 1), np.float32))
        for i in range(count):
            shape = ((1 << 18) - i, 64)
            y = made(model, op, [one, numbers(model, *shape)], shape, "float32")
            x = model.input(f"x{i}", (1, 64), "float32")
            model.output(made(model, "MUL", [x, y], shape, "float32"))

    return write


def ranges(count: int = 50) -> Kind:
    """Kind of model with ranges of millions of numbers, which are cast."""

    def write(model: ModelWriter, _: random.Random) -> None:
        for i in range(count):
            ends = [model.constant("", np.array(n, np.int32)) for n in (0, 4_000_000 - i, 1)]
            y = made(model, "RANGE", ends, (4_000_000 - i,), "int32")
            z = made(model, "CAST", [y], y.shape, "float32", in_data_type=2, out_data_type=0)
            x = model.input(f"x{i}", (1,), "float32")
            model.output(made(model, "ADD", [x, z], y.shape, "float32"))

    return write


def wide(*ops: str, channels: int = 1 << 22, dtype: str = "int8", count: int = 60) -> Kind:
    """Kind of model with layers of millions of channels in a chain."""

    def write(model: ModelWriter, chance: random.Random) -> None:
        x = model.input("x", (1, channels), dtype, [0.05] if dtype == "int8" else [])
        for _ in range(count):
            op = chance.choice(ops)
            inputs = [x, x] if op in ("ADD", "MAXIMUM", "MUL", "SUB") else [x]
            version = 2 if dtype == "int8" else 1
            y = model.tensor("", x.shape, dtype, x.scale, x.zero_point)
            model.node(op, inputs, [y], {}, version=version)
            x = y
        model.output(x)

    return write


def long(*ops: str, count: int = 200, shape: Sequence[int] = (1, 16)) -> Kind:
    """Kind of model with `count` nodes in a chain, some of which read an earlier tensor, too."""

    def write(model: ModelWriter, chance: random.Random) -> None:
        have = [model.input("x", shape, "float32")]
        for _ in range(count):
            op = chance.choice(ops)
            two = op in ("ADD", "SUB", "MUL", "MAXIMUM")
            inputs = [have[-1], chance.choice(have[-8:])] if two else [have[-1]]
            inputs += [numbers(model, 1, 0)] if op == "TRANSPOSE" else []
            inputs += [numbers(model, *have[-1].shape)] if op == "RESHAPE" else []
            size = have[-1].shape[::-1] if op == "TRANSPOSE" else have[-1].shape
            have.append(made(model, op, inputs, size, "float32"))
        model.output(have[-1])

    return write


def operands(op: str, count: int = 1500, size: int = 1) -> Kind:
    """Kind of model of one operator with very many operands."""

    def write(model: ModelWriter, _: random.Random) -> None:
        x = model.input("x", (1, size), "float32")
        total = size * count if op == "CONCATENATION" else size
        options: dict[str, OptionValue] = {"axis": 1} if op == "CONCATENATION" else {}
        model.output(made(model, op, [x] * count, (1, total), "float32", **options))

    return write


def split(count: int = 200, size: int = 200) -> Kind:
    """Kind of model that splits one tensor in many, which live at once, and joins the parts."""

    def write(model: ModelWriter, _: random.Random) -> None:
        x = model.input("x", (1, size * count), "float32")
        axis = model.constant("", np.array(1, np.int32))
        parts = [model.tensor("", (1, size), "float32") for _ in range(count)]
        model.node("SPLIT", [axis, x], parts, {"num_splits": count})
        parts.reverse()
        model.output(made(model, "CONCATENATION", parts, x.shape, "float32", axis=1))

    return write


def splits(count: int) -> Kind:
    """Kind of model that splits a tensor in two and concatenates it, in a chain."""

    def write(model: ModelWriter, chance: random.Random) -> None:
        x = model.input("x", (1, 16), "float32")
        axis = model.constant("", np.array(1, np.int32))
        for _ in range(count):
            parts = [model.tensor("", (1, 8), "float32") for _ in range(2)]
            model.node("SPLIT", [axis, x], parts, {"num_splits": 2})
            x = made(model, "CONCATENATION", parts[::-1], x.shape, "float32", axis=1)
        model.output(x)

    return write


def ends(count: int = 120) -> Kind:
    """Kind of model with many inputs and outputs."""

    def write(model: ModelWriter, _: random.Random) -> None:
        for i in range(count):
            model.output(
                made(model, "NEG", [model.input(f"x{i}", (8,), "float32")], (8,), "float32")
            )

    return write


def padded(before: int, shape: Sequence[int] = (1, 4, 4, 4)) -> Kind:
    """Kind of model that pads a tensor by very many elements."""

    def write(model: ModelWriter, _: random.Random) -> None:
        x = model.input("x", shape, "float32")
        border = model.constant("", np.array([[0, 0], [before, 0], [0, 0], [0, 0]], np.int32))
        size = (shape[0], shape[1] + before, *shape[2:])
        model.output(made(model, "PAD", [x, border], size, "float32"))

    return write


def empty_subgraphs(count: int = 300) -> Kind:
    """Kind of model with many subgraphs that no node runs."""

    def write(model: ModelWriter, _: random.Random) -> None:
        for number in range(count):
            model.subgraph(f"g{number}")
        model.output(made(model, "NEG", [model.input("x", (8,), "float32")], (8,), "float32"))

    return write


PLAIN = ("ADD", "MUL", "SUB", "ABS", "NEG", "MAXIMUM", "RELU")
KINDS: dict[str, Kind] = {
    "IFs, 4 in each, 6 deep": calls("NEG", 6, 4),
    "IFs, 2 in each, 10 deep": calls("LOGISTIC", 10, 2),
    "IFs, 2 in each, 4 deep": calls("CONV_2D", 4, 2, 8),
    "IFs, 32 of 30 convolutions": calls("CONV_2D", 1, 32, 30),
    "IFs, 60 of 60 convolutions": calls("CONV_2D", 1, 60, 60),
    "IFs, 2 of 80 functions": calls("ABS", 1, 2, 80),
    "IFs, 14 in each, 2 deep": calls("RELU", 2, 14),
    "IFs, 33 deep": calls("ABS", 33, 1),
    "IFs, 20 deep": calls("ABS", 20, 1),
    "loops, 4 in each, 5 deep": calls("RELU", 5, 4, 2, "WHILE"),
    "loops, 25 of 40 nodes": calls("RELU", 1, 25, 40, "WHILE"),
    "FILL, 30 of 64 MB": filled(count=30),
    "FILL, 10 of 64 MB, 4 operators each": filled("ABS", "NEG", "SQRT", "EXP", count=10),
    "FILL, 30 of 256 MB": filled(elements=1 << 26, count=30),
    "BROADCAST_TO, 30 of 64 MB": spread("BROADCAST_TO"),
    "TILE, 30 of 64 MB": spread("TILE"),
    "RANGE and CAST, 20 of 16 MB": ranges(20),
    "4 million channels of int8": wide("ADD", "MAXIMUM", "RELU"),
    "4 million channels of int8, functions": wide("ABS", "NEG", "RELU"),
    "4 million channels of int32": wide("ADD", "MAXIMUM", "NEG", dtype="int32"),
    "4 million channels of float": wide("ADD", "NEG", dtype="float32"),
    "100 nodes": long(*PLAIN, count=100),
    "60 transpositions": long("TRANSPOSE", count=60),
    "60 shapes": long("RESHAPE", count=60),
    "CONCATENATION of 1,500": operands("CONCATENATION"),
    "CONCATENATION of 2,000 of 32,768": operands("CONCATENATION", 2000, 1 << 15),
    "ADD_N of 1,500": operands("ADD_N"),
    "PACK of 1,500": operands("PACK"),
    "SPLIT into 200": split(),
    "80 inputs and outputs": ends(80),
    "PAD to 10^9": padded(10**9),
    "PAD to 2^28 bytes": padded((1 << 22) - 5),
    "100 subgraphs": empty_subgraphs(100),
}
LARGE: dict[str, Kind] = {
    "50,000 nodes": long(*PLAIN, count=50_000),
    "50,000 transpositions": long("TRANSPOSE", count=50_000),
    "50,000 shapes": long("RESHAPE", count=50_000),
    "10,000 inputs and outputs": ends(10_000),
    "CONCATENATION of 10,000": operands("CONCATENATION", 10_000),
    "ADD_N of 10,000": operands("ADD_N", 10_000),
    "SPLIT into 3,000": split(3_000),
    "5,000 SPLITs": splits(5_000),
    "int8, 50,000 nodes": wide("ADD", "MAXIMUM", channels=16, count=50_000),
}


def drawn(seed: int, number: int, large: bool = False) -> tuple[str, bytes]:
    """The kind and the bytes of a model: of each kind once, and then any."""
    kinds = LARGE if large else KINDS
    chance = random.Random(f"costs/{seed}/{number}")
    name = [*kinds][number] if number < len(kinds) else chance.choice([*kinds])
    model = ModelWriter()
    kinds[name](model, chance)
    return name, bytes(model.bytes())


def cost(content: bytes, folder: Path, seconds: float) -> Cost:
    """Cost of `resolve` and `convert` of a model; each is ended after `seconds`."""
    model, used = folder / "costs.tflite", folder / "used.json"
    model.write_bytes(content)
    resolve = ["resolve", "--model", str(model), "--ops", "ops", "--out", str(used)]
    convert = ["convert", "--model", str(model), "--used", str(used), *CONVERT]
    first = measured(resolve, seconds)
    if first.outcome != "0":
        return first
    second = measured([*convert, "--out", str(folder / "out")], seconds)
    most = max(first.megabytes, second.megabytes)
    return Cost(second.outcome, first.seconds + second.seconds, most)


def measured(command: Sequence[str], seconds: float) -> Cost:
    """Cost of a command; its outcome is the code of its error, or its exit status."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))

    words = [sys.executable, "-m", "opsmith", *command]
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(words, cwd=ROOT, stderr=said, stdout=said, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        code = CODE.search(said.read())
    took = used.ru_utime + used.ru_stime
    return Cost(code[1] if code else str(child.returncode), took, used.ru_maxrss / 1024)


def main(argv: Sequence[str]) -> int:
    """Print a table of costs; returns 1 where a model takes too much, or ends without a code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.costs", description=__doc__)
    parser.add_argument("--count", type=int, help="models; default: one of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first model")
    parser.add_argument("--large", action="store_true", help="models of 50,000 nodes")
    options = parser.parse_args(argv)
    kinds, most = (LARGE, LARGE_SECONDS) if options.large else (KINDS, SECONDS)
    count = len(kinds) - options.first if options.count is None else options.count
    bad = 0
    for number in range(options.first, options.first + count):
        name, content = drawn(options.seed, number, options.large)
        with tempfile.TemporaryDirectory(prefix="opsmith-costs-") as folder:
            took = cost(content, Path(folder), 4 * most)
        good = took.seconds <= most and took.megabytes <= MEGABYTES
        good = good and bool(re.fullmatch(r"0|[A-Z]{3}\d{3}", took.outcome))
        bad += not good
        row = f"{number:3} {name:38}{len(content):10,} B {took.outcome:>8} {took.seconds:7.2f} s"
        print(f"{row} {took.megabytes:7.0f} MB{'' if good else '  FAILED'}", flush=True)
    print(f"{count} models, {bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
