"""The command that compiles all kernels for a board tells what the compiler says."""

import pytest

from ops.batch_matmul import test_batch_matmul
from ops.quantize import test_quantize
from opsmith.board.manifest import load_board
from opsmith.testing.firmware import BOARDS
from tests.stress import kernels
from tests.stress.kernels import complaint

pytestmark = pytest.mark.slow


def test_conversions_compile_for_helium_at_the_smallest_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = load_board("mps3_an547", BOARDS)
    cases = test_quantize.TestQuantize.cases
    assert complaint(cases, board, "size") == ""
    monkeypatch.setattr(kernels, "KERNEL_FLAGS", ("-include", "no such file"))
    assert "no such file" in complaint(cases[:1], board, "size")


def test_products_of_matrices_compile_at_the_smallest_size() -> None:
    (case, *_) = test_batch_matmul.TestBatchMatMul.cases
    assert complaint([case], load_board("mps2_an386", BOARDS), "size") == ""
