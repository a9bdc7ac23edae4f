"""Tests that every op has, as a class to inherit from: `class TestAdd(OpTests): …`.

`from opsmith.testing.op_tests import *` imports these, and names that most tests of ops need.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.testing.backend_cases import (
    check_brought_on_board,
    check_brought_on_host,
    host_kernels,
)
from opsmith.testing.board_cases import boards_of, firmware_of, on_host
from opsmith.testing.differences import Results
from opsmith.testing.failures import hides
from opsmith.testing.joint_firmware import check_together
from opsmith.testing.joint_programs import check_kernels, check_kernels_walk
from opsmith.testing.known_ops import SHIPPED, loaded
from opsmith.testing.legal import Oracle
from opsmith.testing.op_cases import (
    check_coverage,
    check_evaluate,
    check_on_host,
    check_rejected,
    numpy_reference,
)
from opsmith.testing.op_walks import check_row_by_row, claims_overlap, claims_rows
from opsmith.testing.scheduling import programs_group
from opsmith.testing.simulated_devices import absent_device
from opsmith.testing.stored_shapes import check_stored_shapes
from opsmith.tflite.cases import Case, Rejected, cases, merged_model, of_constants, refused
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.one_node import Build, Given, custom_node, one_node
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter

__tracebackhide__ = hides

__all__ = [
    "Any", "Array", "Build", "Callable", "Case", "Given", "ModelTensor", "ModelWriter", "OpTests",
    "OptionValue", "Path", "Reference", "Rejected", "Sequence", "cases", "check_on_host",
    "custom_node", "merged_model", "np", "of_constants", "one_node", "partial", "pytest", "refused",
    "replace",
]  # fmt: skip

UNFINISHED = (
    "NOT FINISHED: {folder} computes what its template does, which is not compared with LiteRT. "
    "Write its own formula in op.py, and in reference.h where there is one; then remove the trait "
    "'placeholder' from op.py and the mark OPSMITH_PLACEHOLDER from reference.h"
)


class OpTests:
    """Tests of an op by its `cases`, which a subclass sets. `folder` is that of the test file."""

    folder: ClassVar[Path]
    cases: ClassVar[Sequence[Case]]
    # of types that LiteRT lacks: kernels are compared with numpy
    beyond_litert: ClassVar[Sequence[Case]] = ()
    rejected: ClassVar[Sequence[Rejected]] = ()
    # "optimised" where LiteRT has no reference kernel, "numpy" where it has none at all, "none"
    # where the op has no `evaluate`, either: its kernels need only do nothing that they may not
    oracle: ClassVar[Oracle] = "litert"
    # numpy, too, where LiteRT's bytes are other ones (`ulps`), or it has none (`beyond_litert`), or
    # the op is a placeholder
    kernel_oracle: ClassVar[Oracle]
    _of_litert: ClassVar[Sequence[Case]]
    boards: ClassVar[Sequence[str]] = ()  # boards for cases too large for those with its kernels
    # whether boards have an instance for each case: where kernels have functions of their own for
    # Params known at compile time, general forms prove less
    instances: ClassVar[bool] = False
    conan: ClassVar[str] = ""  # source of the Conan packages that the op requires, as in builds

    def __init_subclass__(cls) -> None:
        """Drop the tests for which the subclass has no cases, rather than skip them in each run."""
        super().__init_subclass__()
        if "folder" not in vars(cls):
            cls.folder = Path(inspect.getfile(cls)).parent
        op = loaded(cls.folder).op
        bounded = any(variant.ulps for variant in op.variants)
        waiting = "placeholder" in op.traits and cls.oracle != "none"
        beside = (
            bounded or cls.beyond_litert or waiting
        )  # numpy equals LiteRT, and kernels equal numpy
        cls.kernel_oracle = "numpy" if beside else cls.oracle
        cls._of_litert = cls.cases
        cls.cases = (*cls.cases, *cls.beyond_litert)
        here = on_host(cls.folder)
        if cls.oracle == "none":
            assert op.evaluate is None, 'the op has an evaluate=: write oracle = "numpy"'
        inferred = "placeholder" not in op.traits and not any(r.as_stored for r in op.legalize)
        applies = {
            "stored_shapes_of_outputs_do_not_matter": inferred,
            "numpy_equals_litert": cls.oracle not in ("numpy", "none"),
            "kernels_equal_the_oracle": here,
            "kernels_walk_as_their_plans_say": here and claims_overlap(cls.folder),
            "rows_are_those_of_the_whole_image": claims_rows(cls.folder),
            "is_refused": bool(cls.rejected),
        }
        for test in (f"test_{name}" for name, holds in applies.items() if not holds):
            setattr(cls, test, None)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrise tests by the boards of the subclass."""
        if "board" in metafunc.fixturenames:
            boards = self.boards or boards_of(self.folder)
            metafunc.parametrize("board", [_board(name) for name in boards])

    @pytest.mark.slow
    def test_cases_cover_every_kernel_and_type(self) -> None:
        check_coverage(self.folder, self.cases)

    def test_numpy_equals_litert(self) -> None:
        if self.oracle == "numpy":
            pytest.skip("LiteRT does not have this op: see the op's own tests")
        if "placeholder" in loaded(self.folder).op.traits:
            pytest.fail(UNFINISHED.format(folder=self.folder), pytrace=False)
        check_evaluate(self.folder, self._of_litert, self.oracle == "optimised")

    @pytest.mark.slow
    def test_stored_shapes_of_outputs_do_not_matter(self) -> None:
        check_stored_shapes(self.folder, self.cases)

    @pytest.mark.slow
    def test_kernels_equal_the_oracle(self, request: pytest.FixtureRequest) -> None:
        check_kernels(type(self), _sharing_programs(request, self.folder))

    @pytest.mark.slow
    def test_kernels_walk_as_their_plans_say(self, request: pytest.FixtureRequest) -> None:
        check_kernels_walk(type(self), _sharing_programs(request, self.folder))

    @pytest.mark.slow
    def test_rows_are_those_of_the_whole_image(self) -> None:
        check_row_by_row(self.folder, self.cases)

    @pytest.mark.slow
    @pytest.mark.system
    def test_firmware_equals_the_oracle(self, board: str, request: pytest.FixtureRequest) -> None:
        if absent := absent_device(board):
            pytest.skip(absent)
        check_together(type(self), _sharing_firmware(request, self.folder, board), board)

    def test_is_refused(self) -> None:
        """Test all refused models at once, which are many and take a millisecond each."""
        wrong = []
        for each in self.rejected:
            try:
                check_rejected(self.folder, each.case, each.code, each.sentence)
            except AssertionError as failure:
                wrong.append(str(failure))
        if wrong:  # not assert, since pytest would extend its text
            pytest.fail("\n".join(wrong), pytrace=False)

    def in_numpy(self, build: Callable[[ModelWriter], None]) -> NumpyReference:
        """Use of the op as a NumpyReference, for tests of `evaluate` by exact arithmetic."""
        return numpy_reference(self.folder, Case("x", build))

    def check_kernels(self, cases: Sequence[Case], sets: Results) -> None:
        """Fail unless the kernels, on this machine, equal the oracle for given sets of inputs."""
        oracle, conan = self.kernel_oracle, self.conan
        check_on_host(self.folder, cases, oracle=oracle, sets=sets, conan=conan)


class BackendTests:
    """Tests of the kernels that a backend brings for an op; a subclass sets `backend`, `folder`,
    `cases` and `boards`.
    """

    backend: ClassVar[Path]
    folder: ClassVar[Path]  # folder of the op
    cases: ClassVar[Sequence[Case]]
    boards: ClassVar[Sequence[str]]
    oracle: ClassVar[Oracle] = "litert"
    # further build options: {"libraries": "npu=/opt/npu"}
    options: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init_subclass__(cls) -> None:
        """Drop the test on this machine where no kernel can run on it."""
        super().__init_subclass__()
        if not host_kernels(cls.backend, cls.folder):
            # pytest does not collect attributes that cannot be called.
            cls.test_kernels_equal_the_oracle = None  # type: ignore[assignment,method-assign]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrise tests by the boards of the subclass."""
        if "board" in metafunc.fixturenames:
            metafunc.parametrize("board", [_board(name) for name in self.boards])

    @pytest.mark.slow
    def test_cases_cover_every_kernel_and_type(self) -> None:
        check_coverage(self.folder, self.cases, self.backend)

    @pytest.mark.slow
    def test_kernels_equal_the_oracle(self) -> None:
        check_brought_on_host(self.backend, self.folder, self.cases, self.oracle)

    @pytest.mark.slow
    @pytest.mark.system
    def test_firmware_equals_the_oracle(self, board: str) -> None:
        check_brought_on_board(
            self.backend, self.folder, self.cases, board, self.oracle, self.options
        )


def _board(name: str) -> object:
    return pytest.param(name, marks=[] if name == "host" else [pytest.mark.qemu], id=name)


def _sharing_firmware(
    request: pytest.FixtureRequest, op_folder: Path, board: str
) -> list[type[OpTests]]:
    """Test classes of selected tests whose cases belong to the firmware of this op on the board."""
    shared = firmware_of(op_folder, board)
    return [
        item.cls
        for item in _alike(request.session, request.function.__name__)
        if item.callspec.params.get("board") == board
        and firmware_of(item.cls.folder, board) == shared
    ]


def _sharing_programs(request: pytest.FixtureRequest, op_folder: Path) -> list[type[OpTests]]:
    """Test classes of all selected tests of shipped ops whose programs are compiled together."""
    shared = programs_group(op_folder.name)
    return [
        item.cls
        for item in _alike(request.session, request.function.__name__)
        if {item.cls.folder.parent, op_folder.parent} == {SHIPPED}
        and programs_group(item.cls.folder.name) == shared
    ]


@lru_cache(maxsize=4)
def _alike(session: pytest.Session, test: str) -> list[Any]:
    """Selected tests of ops with a given name."""
    return [
        item
        for item in session.items
        if isinstance(item, pytest.Function)
        and item.originalname == test
        and item.cls is not None
        and issubclass(item.cls, OpTests)
    ]
