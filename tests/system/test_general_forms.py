"""Kernels that learn their Params at run time, compiled as opt=size compiles them.

Those of other ops are proved by the ops' own tests, at the boards' own optimisation.
"""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.emit.pack_weights import pack_weights
from opsmith.ir import Graph
from opsmith.oracle.litert import Reference
from opsmith.testing.board_cases import features_of
from opsmith.testing.board_programs import program_answers
from opsmith.testing.differences import Results, assert_equal
from opsmith.testing.firmware import BOARDS
from opsmith.testing.host_programs import in_general_forms
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_cases import BOARD_SETS
from opsmith.testing.op_tests import OpTests
from opsmith.tflite.cases import Case, merged_model
from tests.programs import compiled

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
FORM = re.compile("(_unpaired)?(_own)?$")  # ends names of kernels that are one function
# Ops whose tests have instances alone (`OpTests.instances`), and one that they share kernels with
NAMES = ("conv_2d", "depthwise_conv_2d", "fully_connected", "transpose_conv")
PROVED = {
    "mps2_an386": {*((name, f"{types}/dsp") for name in NAMES[:3] for types in ("i8", "i16x8")),
                   ("transpose_conv", "dsp"),
                   *(("depthwise_conv_2d", f"i8/dsp_{name}") for name in ("general", "lines")),
                   *(("conv_2d", f"i8/dsp_{name}") for name in ("threes", "rows", "grouped"))},
    "mps3_an547": {*((name, f"{types}/mve") for name in NAMES[:3] for types in ("i8", "i16x8")
                     if (name, types) != ("depthwise_conv_2d", "i8")),
                   ("transpose_conv", "mve"),
                   *(("depthwise_conv_2d", f"{types}/mve_lines") for types in ("i8", "i16x8")),
                   *(("conv_2d", f"i8/mve_{name}") for name in ("quads", "held"))},
}  # fmt: skip


def cases() -> list[Case]:
    """A sixth of the cases of all ops in question, which use each kernel."""
    return [
        replace(case, name=f"{name}_{case.name}")
        for name in NAMES
        for case in _tests(name).cases[1::6]
    ]


def _tests(name: str) -> type[OpTests]:
    """Class of an op's tests."""
    module = import_module(f"ops.{name}.test_{name}")
    classes = (each for each in vars(module).values() if isinstance(each, type))
    return next(each for each in classes if issubclass(each, OpTests) and each is not OpTests)


@pytest.fixture(scope="module")
def proof() -> tuple[Graph, Reference, Results, Results]:
    """Model of the cases, its reference in LiteRT, inputs, and LiteRT's answers."""
    content = merged_model(cases())
    litert = Reference(content)
    sets = seeded_inputs(litert.inputs, BOARD_SETS)
    return legal(content, shipped_ops()), litert, sets, [litert.run(each) for each in sets]


@pytest.mark.parametrize("board", PROVED)
def test_general_forms_equal_litert(
    board: str, proof: tuple[Graph, Reference, Results, Results], tmp_path: Path
) -> None:
    ops, (merged, litert, sets, wanted) = shipped_ops(), proof
    arena = load_board(board, BOARDS).arena
    fastest = compiled(replace(merged, name="general"), features=features_of(board), arena=arena)
    program = pack_weights(in_general_forms(fastest.graph), ops)
    found = {
        (each.op, FORM.sub("", ops.kernel(each.op, each.types, each.index)[1].path))
        for each in program.instances
        if each.params is None
    }
    assert found >= PROVED[board]
    results = program_answers(board, [(program, ops)], tmp_path, sets, litert.outputs, opt="size")
    assert_equal(board, litert.outputs, results, wanted)
