"""Oracles of rules of numerics: the program that computes a model by each rule."""

import importlib
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Numerics
from opsmith.ir.flow import STRAIGHT
from opsmith.oracle.bounded import Died, bounded
from opsmith.oracle.differences import by_most
from opsmith.oracle.litert import Reference, Subgraph, quiet
from opsmith.oracle.question import Question
from opsmith.pipeline import Reading, as_stored
from opsmith.text import escaped

TITLES = {
    Numerics.REFERENCE: "LiteRT's reference kernels",
    Numerics.NOTEBOOK: "LiteRT's default interpreter",
    Numerics.TFLM: "TensorFlow Lite Micro's reference kernels",
}
OF_CMSIS_NN = (
    "TensorFlow Lite Micro with CMSIS-NN differs from its reference kernels in few cases:"
    " manual/numerics.md"
)
NOTEBOOK_HOST = "x86_64"  # its XNNPACK defines the rule; others round differently
TFLM = "tflite_micro.python.tflite_micro.runtime"
Delegated = Callable[[], Mapping[str, str]]  # gives tensor id -> name of the node that writes it
ARENA = 64 << 20  # bytes for TensorFlow Lite Micro's arena


def cannot_answer(rule: Numerics) -> str:
    """Reason why the oracle of a rule does not run here; "" if it does."""
    if rule == Numerics.NOTEBOOK and platform.machine() != NOTEBOOK_HOST:
        return f"this host is {platform.machine()}, and the rule is that of x86-64"
    if rule == Numerics.TFLM:
        try:
            importlib.import_module(TFLM)
        except ImportError:
            return "the package tflite-micro is not installed"
    return ""


def answers(rule: Numerics, asked: Question, delegated: Delegated = dict) -> dict[str, Array]:
    """Outputs of a model by the oracle of a rule, by id. Raises RIG020 if it cannot run it."""
    seconds = asked.deadline.reference()
    return answers_to(rule, asked.model, [asked.inputs], asked.reading, seconds, delegated)[0]


def answers_to(
    rule: Numerics,
    model: Path,
    sets: Sequence[Sequence[Array]],
    reading: Reading,
    seconds: float,
    delegated: Delegated = dict,
) -> list[dict[str, Array]]:
    """Outputs for each set of inputs, in order, by an oracle that is loaded once.

    Raises RIG020 where the oracle cannot run the model, or LiteRT's delegate has not taken a node
    that is `delegated`.
    """
    if model.suffix != ".tflite":
        what = f"{TITLES[rule]} reads .tflite files alone"
        raise ToolchainError.of("RIG020", what, where=str(model), fix="leave numerics= out")
    found = as_stored(model, "model", reading).sound()
    if found.graph.flow != STRAIGHT:
        what = "a model with branches or loops is compared node by node alone"
        raise ToolchainError.of("RIG020", what, where=str(model), fix="leave numerics= out")

    def run() -> list[list[Array]]:
        if rule == Numerics.TFLM:
            content, outputs = model.read_bytes(), len(found.graph.outputs)
            return [by_tflm(content, inputs, outputs) for inputs in sets]
        number = {ident: index for index, ident in reversed([*enumerate(found.ids)])}
        names = found.graph.inputs, found.graph.outputs
        subgraph = Subgraph(found.subgraph, *(tuple(number[n] for n in each) for each in names))
        shapes, default = [np.shape(each) for each in sets[0]], rule == Numerics.NOTEBOOK
        oracle = Reference(model, subgraph=subgraph, shapes=shapes, default=default)
        if default and (left := oracle.without_delegate()):
            by_id = delegated()
            check_taken([by_id[n] for n in by_id if number.get(n) in left], str(model))
        return [oracle.run(list(inputs)) for inputs in sets]

    try:
        results = bounded(run, seconds)
    except (Died, RuntimeError, ValueError) as error:
        what = f"{TITLES[rule]} cannot run the model: {error}"
        fix = "compare with another oracle: against=numpy"
        raise ToolchainError.of("RIG020", what, where=str(model), fix=fix) from error
    return [dict(zip(found.graph.outputs, each, strict=True)) for each in results]


def check_taken(left: Sequence[str], where: str) -> None:
    """Raise RIG020 where nodes whose rule is XNNPACK's are left to other kernels."""
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        what = f"XNNPACK did not take {left[0]}{more}, whose rule is that of XNNPACK"
        fix = "compare with another oracle: against=numpy"
        raise ToolchainError.of("RIG020", what, where=escaped(where), fix=fix)


def by_tflm(content: bytes, inputs: Sequence[Array], outputs: int) -> list[Array]:
    """Outputs of TensorFlow Lite Micro, in this process. Raises RuntimeError if refused."""
    runtime = importlib.import_module(TFLM)
    with quiet():
        interpreter = runtime.Interpreter.from_bytes(content, arena_size=ARENA)
        for index, value in enumerate(inputs):
            interpreter.set_input(value, index)
        interpreter.invoke()
    return [np.asarray(interpreter.get_output(index)) for index in range(outputs)]


def other_answers(own: Numerics, asked: Question, outputs: Mapping[str, Array]) -> Iterator[str]:
    """Line for each other rule whose oracle gives other outputs, then one for all that give the
    same; by TFLM's also about CMSIS-NN.
    """
    equal = list[str]()
    if own == Numerics.TFLM:
        yield OF_CMSIS_NN
    for rule in Numerics:
        if rule == own or cannot_answer(rule):
            continue
        try:
            found = answers(rule, asked)
        except (ToolchainError, TimeoutError):
            continue  # the rule does not cover this model
        pairs = [(outputs[name], each) for name, each in found.items() if name in outputs]
        pairs = [(a, b) for a, b in pairs if a.shape == b.shape]
        apart = np.concatenate([_apart(a, b) for a, b in pairs] or [np.empty(0)])
        if apart.size:
            total = sum(a.size for a, _ in pairs)
            yield f"{TITLES[rule]}: {apart.size} of {total} outputs differ, {by_most(apart)}"
        elif pairs:
            equal.append(TITLES[rule])
    if equal:
        yield f"the same outputs: {', '.join(equal)}"


def _apart(a: Array, b: Array) -> Array:
    """Distances of the elements that differ; NaN does not differ from NaN."""
    differ = (a != b) & ~((a != a) & (b != b))
    found: Array = np.abs(a[differ].astype(np.float64) - b[differ].astype(np.float64))
    return found
