"""Tests of the variables in an SConstruct: errors about them name it, not the command line."""

from collections.abc import Callable

import pytest
from SCons.Environment import Environment

from opsmith.errors import ToolchainError
from opsmith.scons.project import ALONE, Project, _placed, check_targets
from tests.refusals import refusal

SCONSTRUCT = {"opt", "board"}


def where(said: str, own: Callable[[set[str]], bool]) -> str:
    """Place that an error raised in an SConstruct names."""
    with pytest.raises(ToolchainError) as error, _placed(own):
        raise ToolchainError.of("BLD006", "opt cannot be 'fast'", where=said, fix="size")
    assert error.value.problems[0].what == "opt cannot be 'fast'"
    return error.value.problems[0].where


@pytest.mark.parametrize(("said", "expected"), [
    ("command line: opt=fast", "SConstruct: opt=fast"),
    ("command line: board=b opt=fast", "SConstruct: board=b opt=fast"),
    ("command line: runtime=gpu opt=fast", "command line: runtime=gpu opt=fast"),
    ("command line", "command line"),  # where a variable is missing, anybody could give it
    ("boards/b/board.toml", "boards/b/board.toml"),
])  # fmt: skip
def test_of_a_build_that_the_command_line_asks_for(said: str, expected: str) -> None:
    assert where(said, lambda names: names <= SCONSTRUCT) == expected


def test_of_a_node_everything_is_the_sconstruct_s() -> None:
    assert where("command line", lambda names: True) == "SConstruct"
    assert where("command line: model=a.tflite", lambda names: True) == "SConstruct: model=a.tflite"


@pytest.mark.parametrize("name", ALONE)
def test_a_target_that_only_prints_goes_alone(name: str) -> None:
    error = refusal(check_targets, Environment(tools=[]), [name], [name])
    assert f"BLD005: '{name}' goes without other targets" in str(error)


def test_a_variable_is_text() -> None:
    project = Project(debug=0, ops=["my_ops"])  # type: ignore[arg-type]
    error = refusal(project._settings, {})
    assert "BLD006: the value of debug= is no text: 0\n" in str(error)
    assert "BLD006: the value of ops= is no text: ['my_ops']\n" in str(error)
