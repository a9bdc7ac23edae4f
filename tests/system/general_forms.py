"""Which kernels of some cases are in a firmware in their general form."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.cores import CORES
from opsmith.build_options import BuildOptions
from opsmith.op.discover import op_folders
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.select.choice import Preferences
from opsmith.select.spend_flash import FlashBudget
from opsmith.testing.known_ops import known_ops
from opsmith.testing.op_cases import Case, merged_model

OPS = Path(__file__).resolve().parents[2] / "ops"


def general_forms(
    cases: Sequence[Case], core: str, opt: str = "size", prefer: str = ""
) -> set[tuple[str, str]]:
    """(op, kernel) of those that are reported their Params at run time."""
    ops = known_ops([*op_folders([OPS])])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.tflite")
        path.write_bytes(merged_model(cases))
        graph = read(path, "cases", ops)[1]
    configuration = Configuration(
        CORES[core].features,
        BuildOptions(opt=opt),
        preferences=Preferences(prefer=prefer),
        flash=FlashBudget(0),
    )
    program = compile_graph(graph, ops, configuration, "cases", lambda step, graph: None)
    return {
        (each.op, ops.kernel(each.op, each.types, each.index)[1].path)
        for each in program.instances
        if each.params is None
    }
