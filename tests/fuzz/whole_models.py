"""`python -m tests.fuzz.whole_models --models=DIR`: firmware of whole models on this machine, by
each rule of numerics, compared with its oracle; the digits of tests/models on their 360 pictures.

Left out are models that a rule does not reproduce, or whose oracle refuses them. Exit status 1
where an element differs, 2 where nothing was compared.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Numerics
from opsmith.legalize.numerics import not_reproduced
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.oracle.rules import answers_to, cannot_answer
from opsmith.pipeline import Reading, read
from opsmith.testing.batch_firmware import answers
from opsmith.testing.checkout import ROOT
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.text import escaped
from tests.bench.measured import named_models
from tests.bench.peers import Unusable

DIGITS, PICTURES = (
    ROOT / "tests/models" / name for name in ("digits_int8.tflite", "digits_test.npz")
)
SECONDS = 600.0  # for all answers of an oracle
FLOATS = ("float", "f32")  # names of models that rules leave to the reference


def main(argv: Sequence[str]) -> int:
    """Print a line for each model and rule."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.whole_models", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--only", action="append", metavar="NAME", help="these models alone")
    parser.add_argument("--board", default="host")
    parser.add_argument("--numpy", action="store_true", help="compile none: fast")
    parser.add_argument("--sets", type=int, default=10, help="of inputs, for each model")
    given = parser.parse_args(argv)
    try:
        models = named_models(Path(given.models), given.only) if given.models else {}
    except Unusable as error:
        parser.error(str(error))
    compared = differ = 0
    for name, file in {DIGITS.stem: DIGITS, **models}.items():
        if name.endswith(FLOATS):
            continue
        for rule in Numerics:
            print(f"{escaped(name)} by numerics={rule}: ", end="", flush=True)
            try:
                found, of = _differing(file, rule, "" if given.numpy else given.board, given.sets)
            except (ToolchainError, LookupError) as error:
                print(str(error).partition("\n")[0])
                continue
            print(f"{found:,} of {of:,} elements differ", flush=True)
            compared, differ = compared + of, differ + found
    print(f"\n{differ:,} of {compared:,} elements differ")
    return 1 if differ else 0 if compared else 2


def _differing(file: Path, rule: Numerics, board: str, sets: int) -> tuple[int, int]:
    """How many elements differ, of how many; without a board those of numpy. Raises LookupError
    where they are not compared.
    """
    if why := cannot_answer(rule):
        raise LookupError(why)
    reading = Reading(numerics=rule)
    graph = read(file, "model", shipped_ops(), reading)[1]
    if left_out := [*not_reproduced(graph, rule, shipped_ops())]:
        raise LookupError(f"not compared: {len(left_out)} nodes by the reference")
    reference = Reference(file)
    inputs = _pictures() if file == DIGITS else [*seeded_inputs(reference.inputs, sets)]
    if any(tensor.variable for tensor in graph.tensors.values()):
        inputs = inputs[:1]  # not all oracles keep what the others would find
    wanted = answers_to(rule, file, inputs, reading, SECONDS)
    if board:
        with tempfile.TemporaryDirectory() as scratch:
            more = {"numerics": str(rule)}
            found = answers(board, file, Path(scratch), inputs, reference.outputs, **more)
    else:
        numpy = NumpyReference(graph, shipped_ops())
        found = [numpy.run(each) for each in inputs]
    pairs = [*_pairs(found, [[*each.values()] for each in wanted])]
    return sum(int((a != b).sum()) for a, b in pairs), sum(a.size for a, _ in pairs)


def _pairs(
    found: Sequence[Sequence[Array]], wanted: Sequence[Sequence[Array]]
) -> Iterator[tuple[Array, Array]]:
    for ours, theirs in zip(found, wanted, strict=True):
        yield from zip(ours, theirs, strict=True)


def _pictures() -> list[list[Array]]:
    with np.load(PICTURES) as held_out:
        return [[each[None].reshape(1, 8, 8, 1)] for each in held_out["images"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
