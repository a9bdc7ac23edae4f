"""A seeded part of `python -m tests.fuzz.models`, and that it finds what it is for."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Graph
from opsmith.testing.known_ops import shipped_ops
from tests.architectures.test_architectures import CONTROL, model
from tests.fuzz.models.campaign import Campaign, difference
from tests.fuzz.models.child import Answer, Child, Crashed, Hung
from tests.fuzz.models.convert import Failed, outcome
from tests.fuzz.models.mutants import Preferences, changed, mutant
from tests.fuzz.models.seeds import Seeds, all_cases
from tests.fuzz.models.splices import structure
from tests.fuzz.models.tree import packed, unpacked

pytestmark = pytest.mark.slow

# With --examples=2, twice as many of each
MUTANTS = 12  # from file to outputs
CONVERTED = 40  # only converted
CONTROL_FLOW = 10  # only converted: what a mutant loops over may never end


@pytest.fixture
def factor(request: pytest.FixtureRequest) -> int:
    """Factor by which `--examples` multiplies the mutants tried."""
    found: int = request.config.getoption("--examples")
    return found


def test_mutants_are_refused_or_compute_what_litert_does(tmp_path: Path, factor: int) -> None:
    told: list[str] = []
    count = MUTANTS * factor
    counts = Campaign(2026, None, tmp_path, 0, told.append).run(range(count))
    assert not counts.failures, "\n".join(told)
    assert counts.outcomes.total() == count
    assert counts.oracle["equal to LiteRT"] > count // 8
    assert len(counts.codes) > 3


def test_mutants_are_refused_or_converted(tmp_path: Path, factor: int) -> None:
    seeds, ops = Seeds(None), shipped_ops()
    for index in range(CONVERTED * factor):
        made = mutant(seeds, 2027, index)
        found = outcome(made.content, tmp_path, ops, made.preferences)
        assert not isinstance(found, Failed), f"{made.description}\n{found.text}"


def test_mutants_with_control_flow_are_refused_or_converted(tmp_path: Path, factor: int) -> None:
    ops, models = shipped_ops(), [model(*each).content for each in CONTROL]
    for index in range(CONTROL_FLOW * factor):
        chance = random.Random(f"control flow {index}")
        content, done = changed(chance.choice(models), chance)
        found = outcome(content, tmp_path, ops, Preferences(guards=index % 2 == 0))
        assert not isinstance(found, Failed), f"{done}\n{found.text}"


def test_a_mutant_is_always_the_same() -> None:
    seeds = Seeds(None)
    assert [mutant(seeds, 1, i) for i in range(20)] == [mutant(seeds, 1, i) for i in range(20)]
    assert mutant(seeds, 1, 0) != mutant(seeds, 2, 0)


def test_any_cases_can_be_merged() -> None:
    names = [case.name for case in all_cases()]
    assert len(set(names)) == len(names) > 1000


def test_a_model_survives_its_tree() -> None:
    content = Seeds(None).draw(random.Random(1)).content
    assert packed(unpacked(packed(unpacked(content)))) == packed(unpacked(content))


def test_the_structure_of_a_file_is_found() -> None:
    content = Seeds(None).draw(random.Random(1)).content
    kinds = {kind for kind, _ in structure(content)}
    assert kinds == {"offset", "vtable", "count", "field"}


def test_an_exception_of_the_compiler_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(graph: Graph, *arguments: object, **options: object) -> Graph:
        raise KeyError("a bug")

    monkeypatch.setattr("opsmith.pipeline.legalize", broken)
    content = Seeds(None).draw(random.Random(1)).content
    found = outcome(content, tmp_path, shipped_ops())
    assert isinstance(found, Failed)
    assert found.kind == "traceback"
    assert "a bug" in found.text


def _misbehaving() -> Answer:
    def answer(question: str) -> None:
        while question == "hang":
            pass
        os._exit(3)

    return answer


def test_a_worker_that_crashes_or_hangs_is_replaced() -> None:
    child = Child(_misbehaving)
    with pytest.raises(Crashed):
        child.ask("crash")
    with pytest.raises(Hung):
        child.ask("hang", 0.2)


def test_differences_are_of_bits_but_for_nan() -> None:
    nan, other = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32)
    assert not difference([[np.array([nan, 1.0])]], [[np.array([other, 1.0])]])
    assert difference([[np.array([0.0])]], [[np.array([-0.0])]])
    assert difference([[np.array([1], np.int8)]], [[np.array([2], np.int8)]])
