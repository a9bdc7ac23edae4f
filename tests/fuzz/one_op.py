"""Random models of one op: a rule of numerics in numpy against its oracle, for each kind of node
that random graphs have. `python -m tests.fuzz.one_op [--type=int16] [--rule=RULE] [OP…]`
"""

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.legalize.numerics import not_reproduced
from opsmith.numerics import Numerics
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.oracle.rules import cannot_answer
from opsmith.pipeline import Reading, read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.cases import Case
from opsmith.tflite.emitter import ModelSubgraph, ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.builder import Builder
from tests.fuzz.graphs.by_rule import OTHERS
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.kind import Kind
from tests.fuzz.graphs.schedule import KINDS
from tests.fuzz.graphs.shrink import with_nodes
from tests.fuzz.graphs.trial import FLOATS, SETS, options
from tests.fuzz.models.oracle import Ran, oracle

DRAWS = 3  # models that are drawn for each that is compared, at most
OF_POSITIVE = ("SQRT", "RSQRT")  # which LiteRT computes of nothing else
NOT_COMPARED = {
    ("SUM", Numerics.REFERENCE),  # where LiteRT's reference is wrong, which `run` says
    ("ELU", Numerics.REFERENCE),  # of which LiteRT has no reference kernel
    *((operator, Numerics.TFLM) for operator in ("ELU", "BATCH_MATMUL")),  # not reproduced
}
OPERATORS = (
    *("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "BATCH_MATMUL"),
    *("ADD", "SUB", "MUL", "MEAN", "SUM", "LEAKY_RELU", "QUANTIZE", "SOFTMAX", "LOGISTIC"),
    *("TANH", "ELU", "RESIZE_BILINEAR"),
)
LEFT_OUT = ("/uint8", "/int4/int32", "SOFTMAX int8/int16", "FULLY_CONNECTED int8/int32")
FARTHEST = math.log(8)  # factor by which a scale is changed, its logarithm


@dataclass
class Counts:
    """Counts of the models of one kind."""

    compared: int = 0
    differing: int = 0
    elements: int = 0
    differ: int = 0  # elements
    left_out: int = 0  # models that the rule does not reproduce
    refused: int = 0  # by the oracle or the compiler
    first: str = ""  # what differs, in words

    def __str__(self) -> str:
        found = f"{self.differing} of {self.compared} models differ"
        found += f", {self.differ:,} of {self.elements:,} elements"
        others = (("not reproduced", self.left_out), ("refused", self.refused))
        return found + "".join(f", {count} {what}" for what, count in others if count)

    def add(self, seed: str, ours: Sequence[Array], theirs: Sequence[Array]) -> None:
        """Count a model's results, of which not a number equals not a number."""
        differ = 0
        for a, b in zip(map(_normal, ours), map(_normal, theirs), strict=True):
            alike = (a == b) | ((a != a) & (b != b))
            off = np.flatnonzero(~alike.reshape(-1))
            if len(off) and not self.first:
                at = int(off[0])
                self.first = f"{seed}: the rule says {a.flat[at]}, its oracle {b.flat[at]}"
            differ, self.elements = differ + len(off), self.elements + a.size
        self.compared, self.differ = self.compared + 1, self.differ + differ
        self.differing += differ > 0


def kinds(dtype: str, operators: Sequence[str] = ()) -> dict[str, list[Kind]]:
    """Kinds of nodes that have this element type and an answer of LiteRT, by operator and types."""
    found: dict[str, list[Kind]] = {}
    for kind in KINDS:
        asked = (not operators or kind.op in operators) and kind not in OTHERS
        if dtype in kind.types and asked and (not kind.apart or kind.op in ("SUM", "ELU")):
            name = f"{kind.op} {'/'.join(kind.types)}"
            found.setdefault(name, []).append(replace(kind, apart=""))
    return found


# Kinds of int8 that the notebook's rule reproduces, for which rules have functions of their own.
OF_RULES = {
    name: of
    for name, of in kinds("int8", OPERATORS).items()
    if name.split()[1].startswith("int8") and not name.endswith(LEFT_OUT)
}


def compared(of: list[Kind], rule: Numerics, seed: str, count: int) -> Counts:
    """Counts over N random models; over fewer where the rule reproduces too few."""
    found = Counts()
    if (of[0].op, rule) in NOT_COMPARED:
        return found
    for number in range(DRAWS * count):
        if found.compared == count:
            break
        chance = random.Random(f"{seed} {number}")
        for content in _drawn(chance.choice(of), chance):
            if _compare(content, rule, f"{seed} {number}", found):
                break
        else:
            found.refused += 1
    return found


def reproduced(of: list[Kind], seed: str, count: int) -> list[Case]:
    """Cases of N random models that the notebook's rule reproduces; fewer where it reproduces too
    few.
    """
    found = list[Case]()
    for number in range(DRAWS * count):
        chance = random.Random(f"{seed} {number}")
        for content in _drawn(chance.choice(of), chance):
            try:
                Reference(model(content), default=True)  # refuses some scales
                if by_rule(model(content), Numerics.NOTEBOOK) is not None:
                    found.append(Case(f"{_named(of[0])}_{number}", _builder(content)))
            except ToolchainError:
                continue
            break
    return found[:count]


def by_rule(content: bytes, rule: Numerics) -> NumpyReference | None:
    """Evaluator of the model by a rule in numpy; None where an op does not reproduce the rule."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.tflite")
        path.write_bytes(content)
        graph = read(path, "model", shipped_ops(), Reading(numerics=rule))[1]
    left_out = any(not_reproduced(graph, rule, shipped_ops()))
    return None if left_out else NumpyReference(graph, shipped_ops())


def _named(kind: Kind) -> str:
    return "_".join((kind.op.lower(), *kind.types))


def _builder(content: ModelSubgraph) -> Callable[[ModelWriter], None]:
    """Function that adds a graph of one node to a model."""
    (node,) = content.nodes

    def build(m: ModelWriter) -> None:
        made: dict[int, ModelTensor] = {}
        for index in dict.fromkeys((*content.inputs, *node.inputs, *node.outputs)):
            t = content.tensors[index]
            quantised = (t.name, t.shape, t.dtype, t.scale, t.zero_point)
            if index in content.inputs:
                made[index] = m.input(*quantised)
            elif index >= 0:
                made[index] = m.tensor(*quantised, axis=t.axis, variable=t.variable, data=t.data)
        outputs = [made[index] for index in node.outputs]
        inputs = [made.get(index) for index in node.inputs]
        m.node(node.op, inputs, outputs, node.options, version=node.code[2])
        m.output(*outputs)

    return build


def _compare(content: ModelSubgraph, rule: Numerics, seed: str, found: Counts) -> bool:
    """Compare and count one model; False where it is refused."""
    try:
        ours = by_rule(model(content), rule)
    except ToolchainError:
        return False
    if ours is None:
        found.left_out += 1
        return True
    sets = [[_small(x) for x in inputs] for inputs in seeded_inputs(ours.inputs, SETS)]
    if content.nodes[0].op in OF_POSITIVE:
        least = (ours.inputs[0].zero_point or 0) + 1
        sets = [[np.maximum(x, x.dtype.type(least)) for x in inputs] for inputs in sets]
    if rule == Numerics.TFLM and _remembers(content):  # it starts anew for each
        sets = sets[:1]
    answer = oracle()((model(content), sets, options(rule, content)))
    if not isinstance(answer, Ran):
        return False
    found.add(seed, _flat(ours, sets), [each for results in answer.results for each in results])
    return True


def _small(x: Array) -> Array:
    """Elements, floats of which are limited to FLOATS, as C++ leaves conversion beyond integers
    undefined, and without subnormals, which XNNPACK takes for 0.
    """
    return _normal(x.clip(-FLOATS, FLOATS)) if x.dtype.kind == "f" else x


def _normal(x: Array) -> Array:
    """Elements with subnormal floats replaced by 0."""
    if x.dtype.kind != "f":
        return x
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, x.dtype.type(0), x)


def _flat(ours: NumpyReference, sets: Sequence[Sequence[Array]]) -> list[Array]:
    return [each for inputs in sets for each in ours.run(inputs)]


def _remembers(content: ModelSubgraph) -> bool:
    op = shipped_ops().by_name.get(content.nodes[0].op.lower())
    return op is not None and bool(op.op.states)


def _drawn(kind: Kind, chance: random.Random) -> Iterator[ModelSubgraph]:
    """Graphs of one random node: with different scales of inputs and outputs, with a different
    scale of the output, and as drawn.
    """
    build = Builder(chance)
    if not kind.add(build):
        return
    whole = build.finish()
    node = next(each for each in whole.nodes if each.op == kind.op)
    alone = with_nodes(whole, [node])
    for indices in ({*alone.inputs, *alone.outputs}, {*alone.outputs}):
        tensors = [_rescaled(t, chance) if t.index in indices else t for t in alone.tensors]
        yield replace(alone, tensors=tensors)
    yield alone


def _rescaled(tensor: ModelTensor, chance: random.Random) -> ModelTensor:
    factor = math.exp(chance.uniform(-FARTHEST, FARTHEST))
    return replace(tensor, scale=tuple(float(np.float32(s * factor)) for s in tensor.scale))


def main() -> int:
    """Print the counts of each kind; 1 where an element differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.one_op", description=__doc__)
    parser.add_argument("operators", nargs="*", metavar="OP", help="these alone, such as MUL")
    parser.add_argument("--type", default="int16", help="that a tensor of the op has")
    parser.add_argument("--rule", default="notebook", choices=[*Numerics])
    parser.add_argument("--count", type=int, default=200, help="models of each kind")
    parser.add_argument("--seed", type=int, default=0, help="other models")
    given = parser.parse_args()
    rule = Numerics(given.rule)
    if why := cannot_answer(rule):
        parser.error(why)
    failed = 0
    for name, of in sorted(kinds(given.type, given.operators).items()):
        found = compared(of, rule, f"{name} {given.seed}", given.count)
        failed += found.differing > 0
        print(f"{name}: {found}{f'; {found.first}' if found.first else ''}", flush=True)
    print(f"{failed} kinds differ by numerics={rule}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
