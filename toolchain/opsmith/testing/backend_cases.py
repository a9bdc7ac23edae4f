"""Tests of the kernels that a backend brings for an op: on this machine, and as firmware.

`BackendTests` in op_tests.py makes pytest tests of the checks here.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.runtime import runtime_of
from opsmith.build_options import BuildOptions
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences
from opsmith.testing.changed_ops import literal
from opsmith.testing.differences import assert_equal
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import known_beside
from opsmith.testing.legal import Oracle, legal, oracle_of
from opsmith.testing.op_cases import OUT, RANDOM_SETS, check_on_board
from opsmith.tflite.cases import Case, merged_model


def names_of(kernels: Sequence[Kernel]) -> list[str]:
    """Names of kernels, each once."""
    return list(dict.fromkeys(kernel.name for kernel in kernels))


def brought(backend: Path, op_folder: Path) -> list[Kernel]:
    """Kernels that a backend brings for an op, of all variants."""
    op = known_beside(op_folder, backend)[op_folder.name]
    kernels = (kernel for variant in op.variants for kernel in variant.kernels)
    return [kernel for kernel in kernels if kernel.backend == backend.resolve()]


def host_kernels(backend: Path, op_folder: Path) -> list[Kernel]:
    """Kernels of a backend for an op that this machine can run, as they need only its runtime."""
    features = _features(backend)
    kernels = brought(backend, op_folder)
    return [kernel for kernel in kernels if set(kernel.requires) <= features]


def check_brought_on_host(
    backend: Path, op_folder: Path, cases: Sequence[Case], oracle: Oracle
) -> None:
    """Fail unless each kernel of a backend, compiled here with sanitizers, equals the oracle."""
    content = merged_model(cases)
    ops = literal(known_beside(op_folder, backend))
    names = names_of(host_kernels(backend, op_folder))
    programs = [(_preferring(name, content, ops, backend), ops) for name in names]
    of_these_cases = hashlib.sha256(content).hexdigest()[:8]  # other tests run at the same time
    folder = OUT / f"{backend.name}_{op_folder.name}" / of_these_cases
    reference = oracle_of(content, ops, oracle)
    sets = seeded_inputs(reference.inputs, RANDOM_SETS)
    wanted = [reference.run(each) for each in sets]
    called = runtime_of(backend).emitter is None  # True if model.cc calls each node by itself
    firmware = build_hosts(programs, ops, folder, sanitize=True, guarded=called)
    for name, each in zip(names, firmware, strict=True):
        assert_equal(f"host, {name}", reference.outputs, each.run(sets), wanted)


def _preferring(kernel: str, content: bytes, ops: OpIndex, backend: Path) -> Program:
    graph = replace(legal(content, ops), name=f"{backend.name}_{kernel}")
    features, options = _features(backend), BuildOptions()
    configuration = Configuration(features, options, preferences=Preferences(kernel))
    return compile_graph(graph, ops, configuration, kernel)


def _features(backend: Path) -> frozenset[str]:
    return runtime_of(backend).features(frozenset())


def check_brought_on_board(
    backend: Path,
    op_folder: Path,
    cases: Sequence[Case],
    board: str,
    oracle: Oracle,
    options: Mapping[str, str],
) -> None:
    """Fail unless firmware of the backend's runtime equals the oracle on a board.

    One firmware is built for each name of a kernel, which it prefers; `options` are further build
    options.
    """
    runtime, outside = backend.name, {"backends": str(backend.resolve().parent)}
    for name in names_of(brought(backend, op_folder)):
        given = {**options, **outside, "prefer": name}
        check_on_board(op_folder, cases, board, runtime=runtime, oracle=oracle, options=given)
