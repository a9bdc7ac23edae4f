"""Which boards prove an op's kernels, with which cases, and whose test fails."""

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ops.conv_2d.test_conv_2d import CASES as CONVOLUTIONS
from opsmith.errors import ToolchainError
from opsmith.ir.program import Program
from opsmith.oracle.litert import Array, Reference
from opsmith.testing import board_cases, joint_firmware
from opsmith.testing.board_cases import (
    PARTS,
    PROVING,
    boards_of,
    cases_on,
    firmware_of,
    preferred_on,
)
from opsmith.testing.failures import cause
from opsmith.testing.joint_firmware import check_together
from opsmith.testing.known_ops import loaded
from opsmith.testing.op_tests import Case, OpTests
from opsmith.testing.painted_firmware import BESIDE
from opsmith.testing.scheduling import programs_group
from opsmith.tflite.one_node import one_node
from opsmith.tflite.writer import ModelWriter
from tests.groups import group_of

OPS = Path(__file__).resolve().parents[3] / "ops"


def addition(dtype: str, elements: int) -> Any:
    def build(m: ModelWriter) -> None:
        scale = (0.5, 0) if dtype == "int8" else ()
        a, b, y = (make(n, (elements,), dtype, *scale) for make, n in
                   ((m.input, "a"), (m.input, "b"), (m.tensor, "y")))  # fmt: skip
        m.node("ADD", [a, b], [y], {"fused_activation_function": "NONE"}, version=2)
        m.output(y)

    return build


FLOAT = {"x": ((5,), "float32")}, {"y": ((5,), "float32")}
BYTES, FLOATS = Case("bytes", addition("int8", 40)), Case("floats", addition("float32", 5))


class Bytes(OpTests):
    folder = OPS / "add"
    cases: ClassVar[Sequence[Case]] = (BYTES, FLOATS)


class Others(OpTests):
    folder = OPS / "add"
    cases: ClassVar[Sequence[Case]] = (Case("others", addition("int8", 7)),)


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    joint_firmware._answers.cache_clear()


def test_every_kernel_of_every_op_has_a_board_unless_it_needs_what_is_optional() -> None:
    for folder in (path.parent for path in OPS.glob("*/op.py")):
        boards = boards_of(folder)
        proved = frozenset[str]().union(*(board_cases.kernels_on(folder, b) for b in boards))
        kernels = [k for variant in loaded(folder).op.variants for k in variant.kernels]
        # Of optional architectures: tests/system/test_riscv.py and test_simd.py.
        optional = {"cmsis_nn", "rv32m", "zve32x", "avx2", "avx512_vnni", "neon_dot"}
        every = {k.path for k in kernels if not k.requires & optional}
        assert every <= proved, folder


def test_boards_that_take_no_other_kernels_are_left_out() -> None:
    assert boards_of(OPS / "shape") == ["mps2_an386"]
    assert boards_of(OPS / "reshape") == ["mps2_an386", "host_gpu"]
    assert boards_of(OPS / "softmax") == ["mps2_an386", "mps2_an385", "mps3_an547", "host_gpu"]
    assert boards_of(OPS / "add") == ["mps2_an386", "mps2_an385", "mps3_an547", "host_gpu"]


@pytest.mark.slow
def test_boards_run_one_case_for_each_kernel_and_all_that_get_another_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = Case("more", addition("int8", 41)), Case("more_floats", addition("float32", 6))
    cases = (BYTES, FLOATS, *more)
    boards = ("mps2_an386", "mps2_an385", "mps3_an547")
    found = [cases_on(OPS / "add", cases, board) for board in boards]
    assert found == [[*cases], [BYTES, FLOATS], [BYTES, FLOATS, more[0]]]
    assert cases_on(OPS / "add", cases, "host") == [*cases]
    monkeypatch.setattr(board_cases, "EVERY_CASE", True)
    assert [cases_on(OPS / "add", cases, board) for board in boards] == [[*cases]] * 3


def conversion(x_type: str, y_type: str) -> Case:
    def build(m: ModelWriter) -> None:
        x = m.input("x", (5,), x_type)
        m.output(m.value("CAST", [x], m.tensor("y", (5,), y_type)))

    return Case(f"{x_type}_to_{y_type}", build)


@pytest.mark.slow
def test_what_ops_share_is_proved_once_on_a_device() -> None:
    cases = tuple(conversion(x, y) for x in ("int8", "uint8") for y in ("int16", "int32"))
    folder, board, seen = OPS / "cast", "host_gpu", set[object]()
    assert cases_on(folder, cases, "mps2_an386") == cases_on(folder, cases, board) == [*cases]
    assert cases_on(folder, cases, board, seen) == [*cases[:3]]
    assert cases_on(folder, cases[3:], board, seen) == [*cases[3:]]
    more = (conversion("int8", "int32"), conversion("int8", "float32"))
    found = dict(joint_firmware._cases([Others, _of("cast", cases), _of("cast", more)], board))
    assert [*map(list, found.values())][1:] == [[*cases[:3]], [*more]]
    (alone,) = joint_firmware._cases([_of("cast", cases)], board)
    assert [*alone[1]] == [*cases]


@pytest.mark.slow
def test_ops_that_share_a_firmware_prove_integers_of_this_machine_by_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, board = OPS / "cast", "mps2_an386"
    cases = (conversion("int8", "int16"), conversion("int8", "float32"))
    assert cases_on(folder, cases, board) == [*cases]
    assert cases_on(folder, cases, board, set()) == [cases[1]]
    assert cases_on(OPS / "add", (BYTES, FLOATS), board, set()) == [BYTES, FLOATS]  # DSP's kernel
    monkeypatch.setattr(board_cases, "TURNS", 1)
    assert cases_on(folder, cases, board, set()) == [*cases]


@pytest.mark.slow
def test_what_moves_elements_is_proved_once_for_each_size_of_them_on_a_device() -> None:
    cases = tuple(Case(dtype, _tiled(dtype)) for dtype in ("int32", "float32", "int16"))
    assert cases_on(OPS / "tile", cases, "host_gpu") == [*cases]
    assert cases_on(OPS / "tile", cases, "host_gpu", set()) == [cases[0], cases[2]]


def _tiled(dtype: str) -> Any:
    multiples = np.array([2], np.int32)
    return one_node("TILE", {"x": ((3,), dtype), "m": multiples}, {"y": ((6,), dtype)})


def _of(op: str, given: tuple[Case, ...]) -> type[OpTests]:
    """Class of an op's tests with the given cases."""

    class Given(OpTests):
        folder = OPS / op
        cases: ClassVar[Sequence[Case]] = given

    return Given


def quantised_sum(a: Array, b: Array) -> Array:
    """Output of ADD where both inputs and the output have one scale."""
    return np.clip(np.add(a, b, dtype=np.int32), -128, 127).astype(np.int8)


def answering(monkeypatch: pytest.MonkeyPatch, wrong: int | None) -> list[list[str]]:
    """Let firmware answer with right sums except one output; returns the cases of each firmware
    built.
    """
    built: list[list[str]] = []

    def answers(board: str, programs: Sequence[Any], folder: Path, sets: Sequence[Sequence[Array]],
                outputs: Sequence[Any]) -> list[list[Array]]:  # fmt: skip
        built.append([detail.name for detail in outputs])
        results = [
            [np.add(a, b) if a.dtype == np.float32 else quantised_sum(a, b)
             for a, b in zip(each[::2], each[1::2], strict=True)]
            for each in sets
        ]  # fmt: skip
        for each in results:
            if wrong is not None:
                each[wrong] = np.bitwise_xor(each[wrong].view(np.uint8), 1).view(each[wrong].dtype)
        return results

    monkeypatch.setattr(joint_firmware, "program_answers", answers)
    return built


@pytest.mark.slow
def test_a_kernel_that_no_case_takes_by_itself_is_preferred(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add, more = OPS / "add", Case("more", addition("int8", 41))
    words = [("dsp_words", BYTES), ("dsp_words", more)]
    assert preferred_on(add, (BYTES, FLOATS, more), "mps2_an386") == words
    assert preferred_on(add, (BYTES, FLOATS, more), "mps2_an385") == []
    assert words[0] in preferred_on(add, (BYTES, FLOATS, more), "mps3_an547")
    assert words[1] not in preferred_on(add, (BYTES, FLOATS, more), "mps3_an547")
    assert preferred_on(add, (BYTES, FLOATS, more), "host_gpu") == []
    assert preferred_on(OPS / "cos", (Case("y", one_node("COS", *FLOAT)),), "mps2_an386") == []
    assert ("kronecker", "winograd") in [
        (kernel, case.name)
        for kernel, case in preferred_on(OPS / "conv_2d", tuple(CONVOLUTIONS), "mps2_an386")
    ]
    answering(monkeypatch, 2)  # the output of the case by dsp_words
    with pytest.raises(AssertionError, match=r"by mps2_an386 .*\ncase bytes, y"):
        check_together(Bytes, [Bytes], "mps2_an386")


@pytest.mark.slow
def test_programs_have_room_that_is_painted_and_the_kernels_that_are_preferred(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answering(monkeypatch, None)
    answers, programs = vars(joint_firmware)["program_answers"], list[Program]()

    def kept(board: str, given: Sequence[tuple[Program, Any]], *rest: Any) -> list[list[Array]]:
        programs.extend(program for program, _ in given)
        return list(answers(board, given, *rest))

    monkeypatch.setattr(joint_firmware, "program_answers", kept)
    check_together(Bytes, [Bytes], "mps2_an386")
    taken = [{n.kernel.name for n in p.graph.nodes if n.kernel} for p in programs]
    assert "dsp_words" not in taken[0]
    assert {"dsp_words"} in taken
    for program in programs:
        assert program.graph.plan is not None
        assert not program.guards
        living = [at for at in program.graph.plan.placements.values() if at.first <= 0 <= at.last]
        edges = sorted((at.offset, at.offset + at.bytes) for at in living)
        assert edges[0][0] >= BESIDE
        between = [after[0] - before[1] for before, after in pairwise(edges)]
        assert all(room < 0 or room >= BESIDE for room in between)  # or in place


@pytest.mark.slow
def test_one_firmware_serves_all(monkeypatch: pytest.MonkeyPatch) -> None:
    built = answering(monkeypatch, None)
    monkeypatch.setattr(joint_firmware, "preferred_on", lambda *given: [])
    check_together(Bytes, [Bytes, Others], "mps2_an386")
    check_together(Others, [Bytes, Others], "mps2_an386")
    assert built == [["bytes/y", "floats/y", "others/y"]]


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "fails", "passes"), [(0, Bytes, Others), (2, Others, Bytes)])
def test_a_wrong_output_fails_the_test_that_it_is_of(
    wrong: int, fails: type[OpTests], passes: type[OpTests], monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, wrong)
    check_together(passes, [Bytes, Others], "mps2_an386")
    with pytest.raises(AssertionError, match=rf"by mps2_an386 .*\ncase {fails.cases[0].name}, y"):
        check_together(fails, [Bytes, Others], "mps2_an386")


@pytest.mark.slow
@pytest.mark.parametrize("refused", ["several ops", "all"])
def test_where_it_does_not_build_each_is_alone(
    refused: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where joint firmware does not build, each op is built alone, and passes if right there."""
    answering(monkeypatch, None)
    answers = vars(joint_firmware)["program_answers"]

    def refuses(board: str, programs: Any, folder: Path, sets: Any, outputs: Any) -> object:
        if refused == "all" or "bytes/y" in [detail.name for detail in outputs]:
            raise ToolchainError.of("BLD001", "no", where="here", fix="no")
        return answers(board, programs, folder, sets, outputs)

    alone: list[str] = []

    def builds(board: str, model: Path, into: Path, **settings: str) -> Path:
        alone.append(f"{model.name} {settings.get('prefer', '')}")
        assert settings["guards"] == "1"
        return model

    def runs(model: Path, board: str, sets: Sequence[Sequence[Array]]) -> list[list[Array]]:
        return [Reference(model).run(each) for each in sets]

    monkeypatch.setattr(joint_firmware, "program_answers", refuses)
    monkeypatch.setattr(joint_firmware, "build", builds)
    monkeypatch.setattr(joint_firmware, "run", runs)
    fails = pytest.raises(ToolchainError, match="BLD001") if refused == "all" else nullcontext()
    with (
        pytest.warns(UserWarning, match="mps2_an386: no firmware of several ops: error BLD001"),
        fails,
    ):
        check_together(Others, [Bytes, Others], "mps2_an386")
    assert alone[0] == "add_cases.tflite "
    assert "add_cases.tflite dsp_words" in alone


@pytest.mark.slow
def test_tests_of_one_firmware_go_to_one_process() -> None:
    test = "ops/{0}/test_{0}.py::Test::test_firmware_equals_the_oracle[{1}]"
    groups: dict[str, set[str | None]] = {}
    for folder in (path.parent for path in OPS.glob("*/op.py")):
        for board in boards_of(folder):
            group = group_of(test.format(folder.name, board))
            groups.setdefault(firmware_of(folder, board), set()).add(group)
    assert groups == {
        f"{board}_{part}": {f"firmware_{part}"} for board in PROVING for part in range(PARTS)
    }
    elsewhere = {path.parent for path in OPS.parent.glob("tests/data/my_ops/*/op.py")}
    assert len(elsewhere) > len({firmware_of(folder, "mps2_an386") for folder in elsewhere}) == 1
    shared = {group_of(f"ops/{op}/test_{op}.py::Test::test_x") for op in ("add", "ceil", "equal")}
    assert shared == {programs_group("add")}
    assert group_of("tests/stress/test_names.py::test_x[a]") == "tests/stress"
    assert group_of("tests/system/test_build.py::test_x") == "tests/system/test_build"
    assert group_of("tests/system/test_builds.py::test_x") is None


def test_the_memory_that_overflows_is_part_of_the_cause() -> None:
    lines = ["region `flash' overflowed by 8 bytes", "collect2: error: ld returned 1 exit status"]
    assert cause(AssertionError("\n".join(["ld: a.o", *lines]))) == "\n".join(lines)
