"""Fixtures of pytest for users' own tests of a firmware, which run unchanged on any target:

    pytest --firmware build/… --model m.tflite [--rig map.yml] [--board NAME] my_tests

    def test_silence(place, model):
        inputs = model.inputs(seed=1)
        assert model.same(place.invoke(inputs), inputs)

Workers of xdist (`-n 4`) take a board of the map each, and wait for one where all are in use.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from opsmith.board.manifest import Board, load_board
from opsmith.errors import ToolchainError
from opsmith.home import shipped
from opsmith.oracle.expected import expected
from opsmith.oracle.question import Question
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, check_current, load_build, load_report
from opsmith.rig.place import Where
from opsmith.rig.report import Tolerance
from opsmith.rig.rig import Rig, open_rig


@dataclass(frozen=True)
class TestedModel:
    """Model of the firmware, and the oracle for its outputs."""

    __test__ = False
    path: Path
    build: Build

    def inputs(self, seed: int = 0) -> list[Array]:
        """Arrays that fit the model's inputs, equal for equal seeds."""
        return arrays.seeded(self.build.inputs, seed)

    def expected(self, inputs: Sequence[Array], outputs: Sequence[Array] = ()) -> list[Array]:
        """Right outputs. Where LiteRT's differ from `outputs`, each node is examined."""
        ids = [tensor.id for tensor in self.build.outputs]
        folder = self.build.folder
        right = expected(
            Question.of_build(folder, load_report(folder), self.path, inputs, ids),
            agrees=lambda values: not outputs or _same(outputs, [values[each] for each in ids]),
        )
        return [right.values[each] for each in ids]

    def same(self, outputs: Sequence[Array], inputs: Sequence[Array]) -> bool:
        """True if outputs equal the oracle's for the inputs, byte for byte."""
        return _same(outputs, self.expected(inputs, outputs))


@pytest.fixture(scope="session")
def firmware(request: pytest.FixtureRequest) -> Build:
    """Build that --firmware names."""
    with _clear_errors():
        return load_build(Path(request.config.getoption("--firmware")))


@pytest.fixture(scope="session")
def board(request: pytest.FixtureRequest, firmware: Build) -> Board:
    """Board that --board names, by default that of the build."""
    more = map(Path, request.config.getoption("--boards") or [])
    name = request.config.getoption("--board") or firmware.board
    with _clear_errors():
        return load_board(name, [shipped("boards"), *more])


@pytest.fixture(scope="session")
def model(request: pytest.FixtureRequest, firmware: Build, board: Board) -> TestedModel:
    """Model that --model names, from which the firmware was made."""
    path = request.config.getoption("--model")
    if path is None:
        pytest.fail("fixture 'model' needs --model FILE", pytrace=False)
    with _clear_errors():
        check_current(firmware, Path(path), board.name)
    return TestedModel(Path(path), firmware)


@pytest.fixture
def place(request: pytest.FixtureRequest, firmware: Build, board: Board) -> Iterator[Rig]:
    """Rig of the firmware, started for one test at a place that no other test has meanwhile."""
    option = request.config.getoption
    where = Where(
        option("--place") or "",
        wait=option("--wait"),
        map=option("--rig"),
        fixtures=option("--fixture") or (),
    )
    with ExitStack() as stack:
        with _clear_errors():
            rig = stack.enter_context(open_rig(firmware.folder, board, where=where))
        yield rig


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Context in which an error with a code fails the test by its text, without a traceback."""
    try:
        yield
    except ToolchainError as error:
        pytest.fail(str(error), pytrace=False)


def _same(ours: Sequence[Array], theirs: Sequence[Array]) -> bool:
    return all(map(Tolerance().allows, ours, theirs))
