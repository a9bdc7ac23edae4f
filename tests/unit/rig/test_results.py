"""run.json has its schema's form; the terminal's text and JUnit's XML are made of it."""

import json
import math
import warnings
from pathlib import Path
from xml.etree import ElementTree

import fastjsonschema
import numpy as np
import pytest

from opsmith.errors import Stopped, ToolchainError
from opsmith.rig import result as results
from opsmith.rig.build import PortTensor
from opsmith.rig.metrics import NAMES, metrics
from opsmith.rig.outcome import MEANING, OUTCOMES, outcome_of
from opsmith.rig.phases import NAMES as PHASES
from opsmith.rig.phases import Phases
from opsmith.rig.result import Result, finish, result_text, write_result
from tests.unit.rig.results import compared

SCHEMA = json.loads((Path(results.__file__).parent / "run.schema.json").read_text())
VALID = fastjsonschema.compile(SCHEMA)
Y = PortTensor("y\x1b[2J", "int8", (1, 4), 4, 0.25, -2)
RIGHT, WRONG = np.array([[1, 2, 3, 4]], np.int8), np.array([[1, 2, 5, -120]], np.int8)


def error(code: str) -> ToolchainError:
    return ToolchainError.of(code, "what \x1b[2J is wrong", where="there", fix="mend it")


def ended(code: str, phase: str = "run") -> Result:
    """Result of a run that an error ended."""
    result, phases = compared(Y, RIGHT, RIGHT), Phases()
    with pytest.raises(ToolchainError), phases.phase(phase, 1.0):
        raise error(code)
    outcome, status = outcome_of(error(code), phases.current, attached=True)
    finish(result, outcome, status, phases, error(code))
    return result


@pytest.mark.parametrize("ours", [RIGHT, WRONG])
def test_a_result_has_the_form_of_its_schema(tmp_path: Path, ours: np.ndarray) -> None:
    result = compared(Y, ours, RIGHT)
    write_result(result, tmp_path)
    VALID(json.loads((tmp_path / "run.json").read_text()))


def test_a_result_without_a_field_is_refused() -> None:
    for field in SCHEMA["required"]:
        result = compared(Y, RIGHT, RIGHT)
        del result[field]
        with pytest.raises(fastjsonschema.JsonSchemaException):
            VALID(result)


def test_the_schema_knows_every_word() -> None:
    properties = SCHEMA["properties"]
    assert properties["outcome"]["enum"] == list(OUTCOMES)
    assert properties["phases"]["items"]["properties"]["name"]["enum"] == list(PHASES)
    of_output = properties["outputs"]["items"]["properties"]["metrics"]["anyOf"][1]
    assert of_output["required"] == list(NAMES)
    assert all(f"{status} " in properties["status"]["description"] for status in MEANING)


def test_the_text_is_made_of_the_file(tmp_path: Path) -> None:
    result = compared(Y, WRONG, RIGHT)
    write_result(result, tmp_path)
    read = json.loads((tmp_path / "run.json").read_text())
    assert result_text(read) == result_text(result)
    assert "bit-exact with LiteRT: no" in result_text(read)


@pytest.mark.parametrize(("result", "tag", "kind"), [
    (compared(Y, RIGHT, RIGHT), None, None),
    (compared(Y, WRONG, RIGHT), "failure", "fail"),
    (ended("RIG008"), "failure", "RIG008"),
    (ended("RIG014", "flash"), "error", "RIG014"),
    (ended("RIG015", "flash"), "error", "RIG015"),
], ids=["pass", "wrong", "hang", "no board", "rig error"])  # fmt: skip
def test_junit_has_one_case_that_says_how_it_ended(
    tmp_path: Path, result: Result, tag: str | None, kind: str | None
) -> None:
    VALID(result)
    write_result(result, tmp_path)
    (suite,) = ElementTree.parse(tmp_path / "run.xml").getroot()
    (case,) = suite.findall("testcase")
    found = [*case.findall("failure"), *case.findall("error")]
    assert [(each.tag, each.get("type")) for each in found] == ([(tag, kind)] if tag else [])
    count = int(suite.get("failures", "")), int(suite.get("errors", ""))
    assert count == (int(tag == "failure"), int(tag == "error"))
    assert "\\x1b" in (case.findtext("system-out") or "")


@pytest.mark.parametrize(("code", "phase", "attached", "outcome", "status"), [
    ("RIG007", "banner", True, "fail", 1),
    ("RIG008", "run", True, "fail", 1),
    ("RIG008", "load", True, "rig error", 3),
    ("RIG011", "run", False, "fail", 1),
    ("RIG011", "run", True, "rig error", 3),
    ("RIG009", "collect", True, "rig error", 3),
    ("RIG015", "flash", True, "rig error", 3),
    ("RIG014", "", True, "no board", 4),
    ("RIG048", "", True, "no board", 4),
    ("RIG003", "reset", False, "no board", 4),
    ("RIG045", "banner", True, "rig error", 5),
    ("RIG002", "", False, "rig error", 5),
    ("RIG020", "compare", True, "rig error", 2),
    ("RIG013", "", True, "rig error", 2),
])  # fmt: skip
def test_an_error_has_an_outcome_and_a_status(
    code: str, phase: str, attached: bool, outcome: str, status: int
) -> None:
    assert outcome_of(error(code), phase, attached) == (outcome, status)


def test_a_stopped_run_has_the_status_of_its_signal() -> None:
    assert outcome_of(Stopped(2), "run", attached=True) == ("rig error", 130)


def test_metrics_of_equal_values() -> None:
    assert metrics(Y, RIGHT, RIGHT) == {
        "acc": 1.0, "rmse": 0.0, "mae": 0.0, "l2r": 0.0, "nse": 1.0, "cos": pytest.approx(1.0),
    }  # fmt: skip


def test_metrics_by_hand() -> None:
    """Metrics equal hand-computed ones: the reference is 0.75, 1, 1.25, 1.5, and the last output
    differs by 1.
    """
    found = metrics(Y, np.array([[1, 2, 3, 0]], np.int8), RIGHT)
    assert found == pytest.approx(
        {
            "acc": 0.0,
            "rmse": math.sqrt(1 / 4),
            "mae": 0.25,
            "l2r": 1 / math.sqrt(0.75**2 + 1 + 1.25**2 + 1.5**2),
            "nse": 1 - 1 / (2 * 0.375**2 + 2 * 0.125**2),
            "cos": (0.75**2 + 1 + 1.25**2 + 1.5 * 0.5)
            / math.sqrt((0.75**2 + 1 + 1.25**2 + 0.25) * (0.75**2 + 1 + 1.25**2 + 1.5**2)),
        }
    )


def test_metrics_that_are_undefined_are_none() -> None:
    image = PortTensor("z", "float32", (2, 2), 16, None, None)
    zero, other = np.zeros((2, 2), np.float32), np.full((2, 2), np.nan, np.float32)
    assert metrics(image, zero, zero) == {
        "acc": None, "rmse": 0.0, "mae": 0.0, "l2r": None, "nse": None, "cos": None,
    }  # fmt: skip
    assert set(metrics(image, other, zero).values()) == {None}
    endless = np.full((2, 2), np.inf, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(metrics(image, endless, endless).values()) == {None}
