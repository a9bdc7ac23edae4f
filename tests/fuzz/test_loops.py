"""A seeded part of `python -m tests.fuzz.loops`: commands end with their timeout."""

from pathlib import Path

import pytest

from tests.fuzz.loops import COMMANDS, KINDS, drawn, ended

pytestmark = [pytest.mark.slow, pytest.mark.system]
FEW = ("around a branch", "with a variable", "around a loop without passes")


@pytest.mark.few(1)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_loop_without_an_end_ends_each_command(
    command: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    for name in FEW[: pytestconfig.getoption("--examples")]:
        model = tmp_path / "loop.tflite"
        model.write_bytes(drawn(1, [*KINDS].index(name))[1])
        end = ended(model, command, 1.0)
        assert (end.status, end.code) == (2, "RIG008" if command == "run" else "RIG065")
