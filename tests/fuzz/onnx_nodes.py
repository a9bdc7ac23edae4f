"""ONNX's own examples of operators that are read, beside the outputs that its package has of them:
`python -m tests.fuzz.onnx_nodes [--only=WORD] [--verbose]`

All inputs but the first are constants where the file as it is would be refused. The exit status is
1 where an output differs.
"""

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.elements import quantised
from opsmith.frontend.onnx.frontend import KNOWN
from opsmith.frontend.onnx.values import StoredConstant
from opsmith.ir import Array
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from tests.unit.frontend.onnx_models import onnx

OPS = shipped_ops()  # loaded in no trial's time
EXACT, NEAR, DIFFERS, REFUSED = "exact", "near", "differs", "refused"
VERDICTS = [each[:5] for each in (EXACT, NEAR, DIFFERS)]
RTOL, ATOL = 1e-3, 1e-7  # of ONNX's own runner


def main(argv: Sequence[str]) -> int:
    """Print each example that differs or is refused, and how many there are of each verdict."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.onnx_nodes", description=__doc__)
    parser.add_argument("--only", default="", help="a part of the examples' names")
    parser.add_argument("--verbose", action="store_true", help="print those that are exact, too")
    given = parser.parse_args(argv)
    found = Counter[str]()
    for name, verdict in verdicts(given.only):
        kind = verdict.split(":")[0]
        found[kind] += 1
        if given.verbose or kind in (DIFFERS, REFUSED):
            print(f"{name}: {verdict}", flush=True)
    print(", ".join(f"{found[kind]} {kind}" for kind in (EXACT, NEAR, DIFFERS, REFUSED)))
    return 1 if found[DIFFERS] else 0


def verdicts(only: str) -> Iterator[tuple[str, str]]:
    """Names of the examples, each with what comes of it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        examples = collect_testcases(None)
    with tempfile.TemporaryDirectory() as folder:
        for each in examples:
            nodes: Any = each.model and each.model.graph.node
            kinds = {(node.domain, node.op_type) for node in nodes}
            names = {".".join(filter(None, kind)) for kind in kinds}
            if only in each.name and names <= KNOWN | {"Constant"}:
                yield each.name, _verdict(each, Path(folder) / "m.onnx")


def _verdict(example: Any, path: Path) -> str:
    try:
        return _compared(example, path, frozen=False)
    except ToolchainError:
        try:
            return _compared(example, path, frozen=True)
        except ToolchainError as error:
            return f"{REFUSED}: {error.problems[0].code} {error.problems[0].what}"


def _compared(example: Any, path: Path, frozen: bool) -> str:
    """The worst verdict on an output of an example; its later inputs may be constants."""
    model = onnx.ModelProto()
    model.CopyFrom(example.model)
    (arrays, wanted), names = example.data_sets[0], [e.name for e in model.graph.input]
    given = dict(zip(names, arrays, strict=False))
    for name in names[1:] if frozen else ():
        array = given.pop(name)
        if not isinstance(array, onnx.TensorProto):
            array = onnx.numpy_helper.from_array(np.asarray(array))
        array.name = name
        model.graph.initializer.append(array)
    if frozen:
        del model.graph.input[1:]
    path.write_bytes(model.SerializeToString())
    outputs = [each.name for each in model.graph.output]
    theirs = [np.asarray(each) for each in wanted]
    ours = answers(path, given, outputs, [each.dtype == np.float32 for each in theirs])
    told = [_judged(*each) for each in zip(ours, theirs, strict=True)]
    return max(told, key=lambda each: VERDICTS.index(each[:5]))


def answers(
    path: Path, given: dict[str, Array], names: Sequence[str], real: Sequence[bool]
) -> list[Array]:
    """Outputs of the legal graph with axes in ONNX's order, dequantised where asked."""
    model, graph = read(path, "m", OPS)
    inputs = []
    for tensor, (name, array) in zip(graph.inputs, given.items(), strict=True):
        x, of = np.asarray(array), graph.tensors[tensor]
        if any(f"'{name}': the input has its channels last" in each for each in model.assumed):
            x = np.moveaxis(x, 1, -1)
        if x.dtype == np.uint8:
            x = (x.astype(np.int16) - 128).astype(np.int8)
        if x.dtype == np.float32 and of.quantization is not None:
            x = quantised(x, of.quantization)
        inputs.append(x.reshape(of.shape))
    run, outputs = Evaluator(graph, OPS).run(inputs), []
    for name, tensor, is_real in zip(names, graph.outputs, real, strict=True):
        y, quantization = np.asarray(run[tensor]), graph.tensors[tensor].quantization
        y = StoredConstant(y, quantization).real if is_real else y
        start = f"'{name}': the output has ONNX's axes in order "
        told = [each.removeprefix(start) for each in model.assumed if each.startswith(start)]
        outputs.append(y.transpose(np.argsort([*map(int, told[0].split())])) if told else y)
    return outputs


def _judged(ours: Array, theirs: Array) -> str:
    if ours.size != theirs.size:
        return f"{DIFFERS}: shape {ours.shape}, not {theirs.shape}"
    ours = ours.reshape(theirs.shape)
    if theirs.dtype == np.uint8 and ours.dtype == np.int8:
        ours = (ours.astype(np.int16) + 128).astype(np.uint8)
    if np.array_equal(ours, theirs, equal_nan=theirs.dtype.kind == "f"):
        return EXACT
    if theirs.dtype.kind == "f" and np.allclose(ours, theirs, RTOL, ATOL, equal_nan=True):
        return NEAR
    return f"{DIFFERS}: {np.sum(ours != theirs)} of {theirs.size}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
