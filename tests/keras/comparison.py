"""Compares exported models with LiteRT, in numpy and compiled for this machine."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.ir import Array, Graph, Node
from opsmith.ir.program import Program
from opsmith.op.node import view
from opsmith.oracle.evaluate import Evaluator, NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.differences import Results
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from tests.architectures.exactness import NEAR, exact
from tests.keras.oracle import Oracle, oracle

SETS = 4  # of random inputs, besides the extremes
LARGEST = 1e3  # input of float32: what QUANTIZE makes of floats beyond int32 is undefined in LiteRT
WORDS = 8  # that every vocabulary has at least: inputs of int32 are numbers of words

EQUAL = "equal"
NEARLY = "near"  # floats that differ by no more than `exact` and NEAR allow
DIFFERS = "differs"
REFUSED = "refused"
UNANSWERED = "unanswered"  # LiteRT cannot run it either, or is wrong

WRONG = {"sum of int8", "sum of int16"}  # LiteRT reads them as uint8: ops/sum/test_sum.py


@dataclass(frozen=True)
class Verdict:
    """Outcome of an export, and a remark."""

    outcome: str
    remark: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing is to be mended."""
        return self.outcome not in (DIFFERS, REFUSED)


@dataclass(frozen=True)
class _Built:
    """Export that builds: its graph, its program, and sets of inputs."""

    graph: Graph
    program: Program
    sets: Results


def compared(paths: Sequence[Path], folder: Path, *, compiled: bool) -> list[Verdict]:
    """Verdicts about the models, which are compiled together in the folder."""
    built: dict[Path, _Built] = {}
    verdicts: dict[Path, Verdict] = {}
    for path in paths:
        try:
            built[path] = _built(path)
            verdicts[path] = _in_numpy(path, built[path])
        except ToolchainError as refusal:
            verdicts[path] = _refused(path, refusal)
    if compiled and built:
        for path in _miscompiled(built, folder):
            verdicts[path] = Verdict(DIFFERS, "the compiled model from numpy")
    return [verdicts[path] for path in paths]


def _built(path: Path) -> _Built:
    """The model built for size, which compiles fastest."""
    ops = shipped_ops()
    _, graph = read(path, path.stem, ops)
    options = Configuration(options=BuildOptions(opt="size"))
    program = compile_graph(graph, ops, options, str(path))
    inputs = seeded_inputs(NumpyReference(graph, ops).inputs, SETS)
    return _Built(graph, program, [[_known(each) for each in values] for values in inputs])


def _known(values: Array) -> Array:
    """Inputs limited to values that the model was made for."""
    if values.dtype == np.int32:
        return np.abs(values) % WORDS
    return np.clip(values, -LARGEST, LARGEST) if values.dtype == np.float32 else values


def _refused(path: Path, refusal: ToolchainError) -> Verdict:
    reason = "; ".join(sorted({f"{each.code} {each.what}" for each in refusal.problems}))
    try:
        litert = oracle(path).reference
        litert.run([_known(each) for each in seeded_inputs(litert.inputs, 1)[-1]])
    except ToolchainError:
        return Verdict(UNANSWERED, f"{reason}; nor does LiteRT run it")
    return Verdict(REFUSED, reason)


def _in_numpy(path: Path, built: _Built) -> Verdict:
    """How the model in numpy compares with LiteRT: as a whole or, failing that, by operators."""
    try:
        litert = oracle(path)
        answered = list(_answered(litert.reference, built.sets))
    except ToolchainError as error:
        return Verdict(UNANSWERED, error.problems[0].what)
    if not answered:
        return Verdict(UNANSWERED, "LiteRT fails for all inputs")
    numpy = NumpyReference(built.graph, shipped_ops())
    results = [(numpy.run(values), wanted) for values, wanted in answered]
    whole = not litert.replaced
    if whole and not any(_distance(*p) for pairs in results for p in zip(*pairs, strict=True)):
        return Verdict(EQUAL)
    differing: dict[str, float] = {}
    for values, _ in answered:
        for node, distance in _differing(path, built.graph, litert, values):
            differing[node] = max(differing.get(node, 0.0), distance)
    remark = "; ".join([*sorted(differing), *([litert.remark] if litert.remark else [])])
    if not differing and not whole:
        return Verdict(EQUAL, remark)
    if set(differing) <= WRONG and differing:
        return Verdict(UNANSWERED, remark)
    near = differing and max(differing.values()) <= NEAR and not exact(built.graph)
    return Verdict(NEARLY if near else DIFFERS, remark)


def _answered(
    litert: Reference, sets: Results
) -> Iterator[tuple[Sequence[Array], Sequence[Array]]]:
    """The inputs that LiteRT takes, such as positive ones for RSQRT, and its answers."""
    for values in sets:
        try:
            yield values, litert.run(values)
        except ToolchainError as error:
            if "failed to invoke" not in error.problems[0].what:
                raise


def _distance(mine: Array, litert: Array) -> float:
    """0 for equal bytes; else the greatest difference, as a part of the largest element."""
    if mine.tobytes() == litert.tobytes():
        return 0.0
    mine, litert = mine.astype(np.float64), litert.astype(np.float64)
    finite = np.isfinite(litert)
    if not np.array_equal(mine[~finite], litert[~finite], equal_nan=True):
        return float("inf")
    least = float(np.finfo(np.float64).tiny)  # the bytes differ, if only by the sign of a zero
    most = float(np.abs(litert[finite]).max(initial=0))
    return float(np.abs(mine - litert)[finite].max(initial=least)) / most if most else np.inf


def _differing(
    path: Path, graph: Graph, litert: Oracle, inputs: Sequence[Array]
) -> Iterator[tuple[str, float]]:
    """Operators, with their types, whose outputs differ from LiteRT's for LiteRT's inputs."""
    ops = shipped_ops()
    own = Evaluator(graph, ops).run(inputs)
    ids = read_model(path, path.stem).ids
    for runtime in (litert.reference, litert.optimised):
        if runtime is None:
            continue
        runtime.run(inputs)
        theirs = {
            name: runtime.tensor(index)
            for index, name in enumerate(ids)
            if name in own and graph.tensors[name].constant is None
        }
        for node in graph.nodes:
            op, replaced = ops.of(graph, node), _operator(node) in litert.replaced
            if op.evaluate is None or op.states or replaced is (runtime is litert.reference):
                continue
            given = [(own | theirs)[name] for name in node.inputs if name is not None]
            for name, mine in zip(
                node.outputs, op.evaluate(view(graph, node, op), given), strict=True
            ):
                if name in theirs and (distance := _distance(mine, theirs[name])):
                    yield f"{node.op} of {graph.tensors[name].dtype.numpy.name}", distance


def _operator(node: Node) -> str:
    """The name of the operator that became the node: 'operator 3 (ELU)'."""
    return node.source.partition("(")[2].rstrip(")")


def _miscompiled(built: dict[Path, _Built], folder: Path) -> list[Path]:
    """The models whose compiled C++ does not give the bytes of numpy."""
    ops = shipped_ops()
    programs = [(each.program, ops) for each in built.values()]
    firmware = build_hosts(programs, ops, folder, sanitize=True)
    found = []
    for (path, each), made in zip(built.items(), firmware, strict=True):
        numpy = NumpyReference(each.graph, ops)
        results = zip(made.run(each.sets), map(numpy.run, each.sets), strict=True)
        if any(
            _distance(*pair) for got, wanted in results for pair in zip(got, wanted, strict=True)
        ):
            found.append(path)
    return found
