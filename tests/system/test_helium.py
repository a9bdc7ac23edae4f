"""Helium kernels of ops without weights that learn their params at run time, in one firmware.

Those for one set of Params are proved by the ops' own tests; ops with weights: test_general_forms.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.legalize.decompose import decompose
from opsmith.op.discover import op_folders
from opsmith.op.index import OpIndex
from opsmith.pipeline import read
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import known_ops
from opsmith.testing.op_cases import Case, check_on_board, merged_model
from tests.system.general_forms import general_forms
from tests.system.test_general_forms import NAMES

pytestmark = [pytest.mark.system, pytest.mark.slow]
OPS = Path(__file__).resolve().parents[2] / "ops"
KERNEL = "mve"
BOARD, CORE = "mps3_an547", "cortex-m55"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Case]:
    """Every case of the ops' own tests that gets such a kernel, called after its op, too."""
    ops, path = known_ops([*op_folders([OPS])]), tmp_path_factory.mktemp("cases") / "cases.tflite"
    return [
        dataclasses.replace(case, name=f"{name}.{case.name}")
        for name in sorted(ops.by_name)
        if KERNEL in {k.name for v in ops[name].variants for k in v.kernels}
        for case in cases_with_the_kernel(OPS / name, ops, path)
    ]


def cases_with_the_kernel(folder: Path, ops: OpIndex, path: Path) -> Iterator[Case]:
    """Those of this op, unless it has weights, or LiteRT has no reference kernel."""
    if folder.name in (*NAMES, "transpose_conv", "unidirectional_sequence_lstm"):
        return
    tests = importlib.import_module(f"ops.{folder.name}.test_{folder.name}")
    own = next(kind for kind in vars(tests).values() if getattr(kind, "folder", None) == folder)
    if own.oracle == "optimised":
        return
    path.write_bytes(merged_model(own.cases))
    features = CORES[CORE].features
    graph = decompose(read(path, "cases", ops)[1], ops, features)
    graph = select_kernels(graph, ops, features)
    taken = {
        graph.tensors[node.outputs[0]].name.partition("/")[0]
        for node in graph.nodes
        if node.kernel is not None and node.kernel.name == KERNEL
    }
    yield from (case for case in own.cases if case.name in taken)


def test_there_are_cases_of_many_ops(cases: Sequence[Case]) -> None:
    names = {"add", "sub", "mul", "mean", "softmax", "max_pool_2d", "average_pool_2d", "relu"}
    assert all(any(case.name.startswith(name) for case in cases) for name in names)


@pytest.mark.qemu
def test_kernels_for_any_params_equal_litert(cases: Sequence[Case]) -> None:
    few = ("maximum.", "minimum.", "quantize.", "relu.", "relu6.", "batch_matmul.")
    some = [case for i, case in enumerate(cases) if i % 4 == 0 or case.name.startswith(few)]
    counts = Counter(case.name.partition(".")[0] for case in some)
    called = {name for name, count in counts.items() if count > 2}  # fewer would get instances
    assert len(called) > 8
    assert {(name, KERNEL) for name in called} <= general_forms(some, CORE)
    check_on_board(OPS / "add", some, BOARD, "size")
