"""Seeds of mutants: every case of every op, small networks, the shipped and real models."""

import importlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from opsmith.testing.op_tests import OpTests
from opsmith.tflite.cases import Case, merged_model
from tests.fuzz.graphs.networks import network

ROOT = Path(__file__).resolve().parents[3]
NETWORKS = 40  # random ones
SMALL = 8192  # bytes of a real model that is drawn as often as a network
# How often one draws a single case, several, a network, a small model, a large one.
WEIGHTS = {"case": 52, "cases": 18, "network": 22, "small": 7, "large": 1}


@dataclass(frozen=True)
class Seed:
    """A well-formed model."""

    name: str
    content: bytes


class Seeds:
    """All models that mutants can be made of; equal random numbers draw equal models."""

    def __init__(self, models: Path | None) -> None:
        paths = sorted((ROOT / "tests" / "models").glob("*.tflite"))
        paths += sorted(models.rglob("*.tflite")) if models else []
        self._small = [path for path in paths if path.stat().st_size <= SMALL]
        self._large = [path for path in paths if path.stat().st_size > SMALL]
        self._cases = all_cases()
        by_op: dict[str, list[Case]] = {}
        for case in self._cases:
            by_op.setdefault(case.name.partition("/")[0], []).append(case)
        self._by_op = [*by_op.values()]
        self._networks = [network(seed) for seed in range(NETWORKS)]

    def draw(self, random: random.Random) -> Seed:
        """Random seed: a name and a well-formed model."""
        kinds = [kind for kind in WEIGHTS if kind != "small" or self._small]
        kind = random.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        if kind == "case":
            return _merged([random.choice(random.choice(self._by_op))])
        if kind == "cases":
            return _merged(random.sample(self._cases, random.randint(2, 4)))
        if kind == "network":
            number = random.randrange(len(self._networks))
            return Seed(f"network {number}", self._networks[number])
        path = random.choice(self._small if kind == "small" else self._large)
        return Seed(path.name, path.read_bytes())


@cache
def all_cases() -> list[Case]:
    """The cases of all shipped ops, also those that are refused; names begin with the op's."""
    found: dict[str, Case] = {}
    for op, tests in tests_of_ops():
        for case in (*tests.cases, *(each.case for each in tests.rejected)):
            name = f"{op}/{case.name}"
            name = name if name not in found else f"{name}_{len(found)}"
            found[name] = Case(name, case.build)
    return [*found.values()]


def tests_of_ops() -> Iterator[tuple[str, type[OpTests]]]:
    """The names of all shipped ops, each with the classes of its tests."""
    for folder in sorted(path.parent for path in (ROOT / "ops").glob("*/op.py")):
        module = importlib.import_module(f"ops.{folder.name}.test_{folder.name}")
        for tests in vars(module).values():
            if isinstance(tests, type) and issubclass(tests, OpTests) and tests is not OpTests:
                yield folder.name, tests


def _merged(cases: list[Case]) -> Seed:
    return Seed(" and ".join(case.name for case in cases), merged_model(cases))
