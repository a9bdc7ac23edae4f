"""Depthwise convolutions in a row whose outputs overwrite their inputs, on boards."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, compile_graph
from opsmith.testing.board_cases import features_of
from opsmith.testing.board_programs import program_answers
from opsmith.testing.differences import assert_equal
from opsmith.testing.firmware import BOARDS
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import cases, merged_model
from runtimes.families.depthwise_cases import Chain, Depthwise

CHAINS = cases(
    chain_of_images=Chain(
        (
            Depthwise(x=(1, 25, 7, 19), activation="RELU", y_zero_point=-128, y_scale=0.4),
            Depthwise(x=(1, 25, 7, 19), y_zero_point=3, y_scale=0.5),
            Depthwise(x=(1, 25, 7, 19), stride=(2, 2), y_scale=0.6),
            Depthwise(x=(1, 13, 4, 19), window=(2, 2), padding="VALID"),
        )
    ),
    chain_of_lines=Chain(
        (
            Depthwise(x=(1, 61, 1, 37), window=(4, 1), padding="VALID", y_scale=0.4),
            Depthwise(x=(1, 58, 1, 37), window=(9, 1), padding="VALID"),
            Depthwise(x=(1, 50, 1, 37), window=(3, 1), y_scale=0.4),
            Depthwise(x=(1, 50, 1, 37), window=(50, 1), padding="VALID"),
        )
    ),
)


@pytest.mark.slow
@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.parametrize("board", ["mps2_an386", "mps3_an547"])
def test_outputs_lie_where_inputs_were(board: str, tmp_path: Path) -> None:
    ops, content = shipped_ops(), [merged_model([case]) for case in CHAINS]
    configuration = Configuration(features_of(board), arena=load_board(board, BOARDS).arena)
    programs = []
    for case, each in zip(CHAINS, content, strict=True):
        graph = replace(legal(each, ops), name=case.name)
        made = compile_graph(graph, ops, configuration, case.name)
        assert made.graph.plan is not None
        at = made.graph.plan.placements
        images = [*graph.inputs, *(name for node in made.graph.nodes for name in node.outputs)]
        assert {at[name].offset for name in images} == {0}
        programs.append((made, ops))
    litert = [Reference(each) for each in content]
    outputs = [*chain.from_iterable(each.outputs for each in litert)]
    sets = [seeded_inputs(each.inputs, 4) for each in litert]
    answers = [[one.run(each) for each in given] for one, given in zip(litert, sets, strict=True)]
    given, wanted = (
        [[*chain.from_iterable(each)] for each in zip(*of_all, strict=True)]
        for of_all in (sets, answers)
    )
    assert_equal(board, outputs, program_answers(board, programs, tmp_path, given, outputs), wanted)
