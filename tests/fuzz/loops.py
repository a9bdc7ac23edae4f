"""`python -m tests.fuzz.loops --count=N --seed=S`: models whose loops never end, or after hours.

Each is built for the host, and `run`, `crosscheck`, `profile` and `tune` must end with a code soon
after `timeout=`. The first twenty are one of each kind; those after them draw a kind.
"""

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.testing.firmware import scons
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter

COMMANDS = ("run", "crosscheck", "profile", "tune")
MARGIN = 15.0  # seconds after the timeout in which a command must have ended
MOST = 2**31 - 1
CODE = re.compile(r"^(?:error )?([A-Z]{3}\d{3})\b|error ([A-Z]{3}\d{3})", re.MULTILINE)
Step = Callable[[SubgraphWriter, ModelTensor], ModelTensor]  # what a subgraph makes of a tensor
Kind = Callable[[ModelWriter, random.Random], None]  # writes a model


@dataclass(frozen=True)
class Ended:
    """End of a command: its exit status, code and seconds."""

    seconds: float
    status: int
    code: str  # of the error; nothing where there is none

    def is_right(self, timeout: float) -> bool:
        """Whether the command ended in time, and with a code."""
        return self.code != "" and self.status == 2 and self.seconds < timeout + MARGIN


def constant(graph: SubgraphWriter, value: float, like: ModelTensor) -> ModelTensor:
    """A constant of one element of a tensor's type."""
    name = f"c{len(graph.content.tensors)}"
    return graph.constant(name, np.full(like.shape, value, like.dtype))


def binary(op: str, value: float, dtype: str = "") -> Step:
    """Step that applies an operator to x and a constant; a comparison has `dtype` bool."""

    def step(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        y = graph.tensor(f"t{len(graph.content.tensors)}", x.shape, dtype or x.dtype)
        graph.node(op, [x, constant(graph, value, x)], [y])
        return y

    return step


def same(_: SubgraphWriter, x: ModelTensor) -> ModelTensor:
    """Step that returns its tensor unchanged."""
    return x


def always(graph: SubgraphWriter, _: ModelTensor) -> ModelTensor:
    """Step that gives a constant condition."""
    return graph.constant("always", np.array(True))


def chained(*steps: Step) -> Step:
    """Step that applies the given steps one after the other."""

    def step(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        for each in steps:
            x = each(graph, x)
        return x

    return step


def body_of(model: ModelWriter, like: ModelTensor, step: Step) -> SubgraphWriter:
    """New subgraph that applies the step to one input like `like`."""
    graph = model.subgraph(f"g{len(model.subgraphs)}")
    graph.output(step(graph, graph.input("x", like.shape, like.dtype)))
    return graph


def loop(model: ModelWriter, test: Step, body: Step) -> Step:
    """Step that is a WHILE of a condition and a body."""

    def step(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        tested, changed = body_of(model, x, test), body_of(model, x, body)
        y = graph.tensor(f"w{len(graph.content.tensors)}", x.shape, x.dtype)
        options = {"cond_subgraph_index": tested.number, "body_subgraph_index": changed.number}
        graph.node("WHILE", [x], [y], options)
        return y

    return step


def branch(model: ModelWriter, test: Step, then: Step, otherwise: Step = same) -> Step:
    """Step that is an IF with the given branches."""

    def step(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        condition = test(graph, x)
        numbers = [body_of(model, x, each).number for each in (then, otherwise)]
        y = graph.tensor(f"i{len(graph.content.tensors)}", x.shape, x.dtype)
        options = dict(zip(("then_subgraph_index", "else_subgraph_index"), numbers, strict=True))
        graph.node("IF", [condition, x], [y], options)
        return y

    return step


def layer(chance: random.Random) -> Step:
    """A dense layer of random weights between two casts, whose sum is added to a count of 0."""

    def step(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        weights = np.array([[chance.uniform(-1e-6, 1e-6)]], np.float32)
        row, made = (graph.tensor(name, (1, 1), "float32") for name in ("row", "made"))
        wide, back = graph.tensor("wide", (1, 1), x.dtype), graph.tensor("back", x.shape, x.dtype)
        shapes = [graph.constant(n, np.array(s, np.int32)) for n, s in (("s", (1, 1)), ("e", ()))]
        graph.node("RESHAPE", [x, shapes[0]], [wide])
        graph.node("CAST", [wide], [row])
        graph.node("FULLY_CONNECTED", [row, graph.constant("weights", weights), None], [made])
        narrow = graph.value("CAST", [made], graph.tensor("narrow", (1, 1), x.dtype))
        shape = graph.constant("none", np.zeros((0,), np.int32)) if x.shape == () else shapes[1]
        graph.node("RESHAPE", [narrow, shape], [back])
        return back

    return step


def pair(model: ModelWriter) -> None:
    """Model of a loop whose two values change places, so that its condition is never false."""
    test, body = model.subgraph("test"), model.subgraph("body")
    a, _ = (test.input(name, (), "int32") for name in "ab")
    test.output(binary("GREATER", -1, "bool")(test, a))
    a, b = (body.input(name, (), "int32") for name in "ab")
    body.output(binary("ADD", 0)(body, b), binary("ADD", 0)(body, a))
    ends = [model.tensor(name, (), "int32") for name in ("c", "d")]
    given = [model.input(name, (), "int32") for name in ("x", "y")]
    maximum = [binary("MAXIMUM", 0)(model, each) for each in given]
    options = {"cond_subgraph_index": test.number, "body_subgraph_index": body.number}
    model.node("WHILE", maximum, ends, options)
    model.output(*ends)


def variable(model: ModelWriter, *, initialiser: bool) -> None:
    """Model of a loop that counts down a variable, perhaps in the subgraph that CALL_ONCE runs."""
    start = model.subgraph("start")

    def handle(graph: SubgraphWriter) -> ModelTensor:
        made = graph.tensor(f"h{len(graph.content.tensors)}", (), "resource")
        graph.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": "v"})
        return made

    def down(graph: SubgraphWriter, x: ModelTensor) -> ModelTensor:
        value = graph.tensor("value", (), "int32")
        graph.node("READ_VARIABLE", [handle(graph)], [value])
        graph.node("ASSIGN_VARIABLE", [handle(graph), binary("SUB", 1)(graph, value)], [])
        return binary("ADD", 0)(graph, x)

    stuck = loop(model, binary("LESS", MOST, "bool"), binary("ADD", 0))
    first = start.constant("first", np.array(3, np.int32))
    first = stuck(start, first) if initialiser else binary("ADD", 1)(start, first)
    start.node("ASSIGN_VARIABLE", [handle(start), first], [])
    model.node("CALL_ONCE", [], [], {"init_subgraph_index": start.number})
    x = binary("MAXIMUM", 0)(model, model.input("x", (), "int32"))
    model.output(loop(model, binary("GREATER", -1, "bool"), down)(model, x))


def simple(dtype: str, before: Step, make: Callable[[ModelWriter, random.Random], Step]) -> Kind:
    """Model that applies a step to one input of one element."""

    def write(model: ModelWriter, chance: random.Random) -> None:
        x = before(model, model.input("x", (), dtype))
        model.output(make(model, chance)(model, x))

    return write


POSITIVE, ODD = binary("GREATER", -1, "bool"), chained(binary("FLOOR_MOD", 2), binary("ADD", 1))
SOME = binary("MAXIMUM", 0)  # so that an input cannot end the loop at once
LOW, FALSE = binary("LESS", MOST, "bool"), binary("LESS", -(2**31), "bool")
ADD0, ADD1 = binary("ADD", 0), binary("ADD", 1)


def _loop(test: Step, body: Step, dtype: str = "int32", before: Step = SOME) -> Kind:
    return simple(dtype, before, lambda model, _: loop(model, test, body))


KINDS: dict[str, Kind] = {
    "constant condition": _loop(always, ADD1),
    "constant condition, empty body": _loop(always, same),
    "condition of the input": _loop(POSITIVE, same),
    "condition of what never changes": _loop(POSITIVE, ADD0),
    "counter that wraps": _loop(binary("NOT_EQUAL", -3, "bool"), binary("ADD", 2), before=ODD),
    "float that never reaches": _loop(binary("LESS", 1e9, "bool"), ADD1, "float32"),
    "float that converges": _loop(binary("LESS", 2, "bool"), binary("MUL", 0.5), "float32"),
    "NaN that equals nothing": _loop(
        binary("NOT_EQUAL", 1, "bool"), binary("MUL", float("nan")), "float32"
    ),
    "2^31 passes": _loop(LOW, ADD1),
    "2^31 passes of a division": _loop(LOW, chained(ADD1, binary("DIV", 1))),
    "in a loop": simple("int32", SOME, lambda m, _: loop(m, LOW, loop(m, POSITIVE, ADD0))),
    "around a loop": simple(
        "int32",
        SOME,
        lambda m, _: loop(
            m, POSITIVE, chained(binary("MINIMUM", 0), loop(m, binary("LESS", 3, "bool"), ADD1))
        ),
    ),
    "around a loop without passes": simple(
        "int32", SOME, lambda m, _: loop(m, POSITIVE, chained(ADD0, loop(m, FALSE, ADD1)))
    ),
    "around a branch": simple(
        "int32", SOME, lambda m, _: loop(m, POSITIVE, branch(m, POSITIVE, ADD0, ADD1))
    ),
    "in a branch": simple(
        "int32", SOME, lambda m, _: branch(m, POSITIVE, loop(m, POSITIVE, ADD0), ADD1)
    ),
    "in the test of a loop": simple(
        "int32", SOME, lambda m, _: loop(m, chained(loop(m, POSITIVE, ADD0), FALSE), ADD1)
    ),
    "with random weights": simple(
        "int32", SOME, lambda m, chance: loop(m, POSITIVE, layer(chance))
    ),
    "of values that change places": lambda m, _: pair(m),
    "with a variable": lambda m, _: variable(m, initialiser=False),
    "in an initialiser": lambda m, _: variable(m, initialiser=True),
}


def drawn(seed: int, number: int) -> tuple[str, bytes]:
    """The kind and the bytes of a model: of each kind once, and then any."""
    chance = random.Random(f"loops/{seed}/{number}")
    names = [*KINDS]
    name = names[number] if number < len(names) else chance.choice(names)
    model = ModelWriter()
    KINDS[name](model, chance)
    return name, bytes(model.bytes())


def ended(model: Path, command: str, timeout: float) -> Ended:
    """How a command of the model on this machine ended; what it builds is built before."""
    settings = ["board=host", f"model={model}", f"timeout={timeout:g}"]
    start = time.monotonic()
    done = scons(*settings, command)
    found = CODE.search(done.stderr) or CODE.search(done.stdout)
    code = next((each for each in found.groups() if each), "") if found else ""
    return Ended(time.monotonic() - start, done.returncode, code)


def main(argv: Sequence[str]) -> int:
    """Print a table; 1 where a command did not end in time, or without a code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.loops", description=__doc__)
    parser.add_argument("--count", type=int, default=len(KINDS), help="models")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first model")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for a command")
    options = parser.parse_args(argv)
    bad = 0
    print(f"{'':34}" + "".join(f"{command:>18}" for command in COMMANDS))
    for number in range(options.first, options.first + options.count):
        name, content = drawn(options.seed, number)
        with tempfile.TemporaryDirectory(prefix="opsmith-loops-") as folder:
            model = Path(folder) / "loop.tflite"
            model.write_bytes(content)
            each = [ended(model, command, options.timeout) for command in COMMANDS]
        good = [e.is_right(options.timeout) for e in each]
        bad += good.count(False)
        cells = [f"{e.code or e.status} {e.seconds:.1f} s" for e in each]
        marks = ["" if fine else "FAILED " for fine in good]
        row = "".join(f"{mark + cell:>18}" for mark, cell in zip(marks, cells, strict=True))
        print(f"{number:3} {name:30}{row}", flush=True)
    print(f"{options.count * len(COMMANDS)} commands, {bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
