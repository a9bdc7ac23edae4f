"""The emitter: literals of params, what crosses between host and device."""

import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.op import Work, i32
from runtimes.gpu.definitions import lasting_macros
from runtimes.gpu.inclusion import params_literal
from runtimes.gpu.launches import check_reach
from runtimes.gpu.neighbours import check_macros
from runtimes.gpu.operands import Operand
from runtimes.gpu.source import KernelUnit, Launch, work_problem
from runtimes.gpu.transfers import merged, runs, runs_of_equal


@dataclass(frozen=True)
class Params:
    """One member of each kind."""

    count: int
    signed: bool
    share: float
    sizes: tuple[int, int]


def test_params_are_literals_that_read_back_exactly() -> None:
    literal = params_literal(Params(-(2**31), True, 0.1 + 2**-4 - 0.1, (3, -4)))
    assert literal == "{INT_MIN, true, 0x1.0000000000000p-4f, {3, -4}}"
    assert params_literal(Params(0, False, -math.inf, (0, 0))) == "{0, false, -INFINITY, {0, 0}}"
    assert params_literal(Params(0, False, math.nan, (0, 0))) == "{0, false, NAN, {0, 0}}"


def test_a_number_that_single_precision_has_not_is_an_error() -> None:
    with pytest.raises(ToolchainError, match="KRN026.*Params.share is 0.1"):
        params_literal(Params(1, True, 0.1, (1, 1)))


def test_neighbouring_ranges_are_one() -> None:
    assert merged([(16, 16), (0, 16), (8, 4), (40, 0), (48, 8), (48, 8)]) == ((0, 32), (48, 8))
    assert merged([]) == ()


def test_offsets_that_kernels_cannot_have_are_an_error() -> None:
    def check(arena: int, constant: int) -> None:
        operand = Operand("in", "x", "x", "int", False, symbol="w", bytes=constant)
        launch = Launch("n", "k", (1, 1, 1), (1, 1, 1), (operand,))
        graph = SimpleNamespace(name="large", plan=SimpleNamespace(arenas={"ram": arena}))
        part: Any = SimpleNamespace(program=SimpleNamespace(graph=graph), segments=((),))
        check_reach(part, KernelUnit("", {"n": launch}))

    check(2**31 - 1, 2**31 - 128)
    with pytest.raises(ToolchainError, match="KRN032: the arena of large would have 2,147,483,648"):
        check(2**31, 8)
    with pytest.raises(ToolchainError, match="KRN032: the constants of large would have 2,147,483"):
        check(8, 2**31)


def test_runs_of_bytes() -> None:
    assert [*runs(np.array([True, False, True, True]))] == [(0, 1), (2, 2)]
    assert [*runs(np.zeros(3, bool))] == []
    assert [*runs_of_equal(np.array([5, 5, 2], np.int32))] == [(0, 2), (2, 1)]


def test_macros_of_a_file_that_others_could_meet() -> None:
    text = """
    #ifndef GIVEN
    #define GIVEN 1
    #endif
    #define HERE(x) x  // #define NOT_HERE
    #undef HERE
    # define LASTING 2
    """
    assert lasting_macros(text) == ["LASTING"]


def test_two_files_of_helpers_with_one_macro_are_an_error(tmp_path: Path) -> None:
    one, two = tmp_path / "one.cl", tmp_path / "two.cl"
    one.write_text("#define SIZE 1\n", encoding="utf-8")
    two.write_text("#define SIZE 2\n", encoding="utf-8")
    with pytest.raises(ToolchainError, match="KRN030.*two.cl defines the macro SIZE, as .*one.cl"):
        check_macros([one, two])
    two.write_text("#define SIZE 2\n#undef SIZE\n", encoding="utf-8")
    check_macros([one, two])


def test_a_kernel_that_undefines_a_macro_of_helpers_is_an_error(tmp_path: Path) -> None:
    helper, author, other = (tmp_path / f"{name}.cl" for name in ("helper", "author", "other"))
    helper.write_text("#define SIZE 1\n", encoding="utf-8")
    for file in (author, other):
        file.write_text("#define LIMIT 2\n#define SIZE 2\n#undef SIZE\n", encoding="utf-8")
    with pytest.raises(ToolchainError, match="KRN030.*author.cl defines the macro SIZE"):
        check_macros([helper], [other, author])
    check_macros([], [other, author])


def test_a_macro_of_helpers_is_no_other_word_of_those_who_do_not_include_it(tmp_path: Path) -> None:
    prelude, helper, other, author = (tmp_path / f"{name}.cl" for name in "pqra")
    prelude.write_text("#define INLINE static\n", encoding="utf-8")
    helper.write_text("#define max(a, b) ((a) > (b) ? (a) : (b))  // min\n", encoding="utf-8")
    other.write_text('#include "q.cl"\n', encoding="utf-8")
    author.write_text('#include "r.cl"\nINLINE int f() { return max(1, 2); }', encoding="utf-8")
    check_macros([prelude, helper, other], [author])
    author.write_text("INLINE int f() { return max(1, 2); }  // min", encoding="utf-8")
    with pytest.raises(ToolchainError, match="KRN030.*a.cl says max, a macro of .*q.cl"):
        check_macros([prelude, helper, other], [author])
    author.write_text("int min;  // max", encoding="utf-8")
    check_macros([prelude, helper, other], [author])


@pytest.mark.parametrize(("work", "said"), [
    (None, "its plan has no work="),
    (Work(()), "its plan has Work"),
    (Work((8, 0)), "its plan has Work"),
    (Work((8,), (512,)), "its plan has Work"),
    (Work((1, 1, 1, 1)), "its plan has Work"),
    (Work((1, 70_000)), "its plan has Work"),
    (Work((1,), local={"x": (i32, 8193)}), "its groups share 32,772 bytes"),
    (Work((1,), defines={"F(x)": "1"}), "its plan defines 'F(x)' as '1'"),
    (Work((1,), defines={"F": "1\n"}), "its plan defines 'F' as"),
    (Work((1,), defines={"F": "1 \\ "}), "its plan defines 'F' as"),
    (Work((1,), defines={"F": "1 /*"}), "its plan defines 'F' as"),
])  # fmt: skip
def test_an_index_space_that_no_device_runs_is_an_error(work: Work | None, said: str) -> None:
    problem = work_problem(work)
    assert problem is not None
    assert problem[0].startswith(said)


def test_an_index_space_of_many_groups() -> None:
    assert work_problem(Work((1 << 30, 65_535 * 4, 2), (64, 4))) is None
