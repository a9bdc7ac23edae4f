"""Targets that random graphs are compiled for: this machine, or a board that an emulator plays."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Protocol, TypeVar

from opsmith.board.manifest import load_board
from opsmith.board.runtime import load_runtime
from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES
from opsmith.ir.program import Program
from opsmith.numerics import Numerics
from opsmith.op.kernel import Kernel
from opsmith.pipeline import Configuration, compile_graph
from opsmith.select.choice import Preferences
from opsmith.testing.batch_firmware import answers
from opsmith.testing.firmware import BOARDS
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.graphs.calls import model
from tests.fuzz.graphs.side_by_side import side_by_side
from tests.fuzz.graphs.trial import Trial, detail
from tests.fuzz.models.oracle import Results

OPTS = ("balanced", "speed", "size")
UNMET = re.compile("BLD008|BLD028")  # no op has the kernel that prefer= names, or no node takes it
INEXACT = "single"  # kernels of this name differ from LiteRT's and need consent

Built = TypeVar("Built")


@dataclass(frozen=True)
class Way:
    """Build options on which the choice of kernels depends."""

    opt: str
    prefer: str = ""
    runtime: str = ""  # of a board; "" is its own
    numerics: str = ""  # of the firmware of a board

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in vars(self).items() if value)


@dataclass(frozen=True)
class Compiled:
    """Results of a compiled graph, and the kernels of its nodes."""

    results: Results
    kernels: tuple[str, ...]


class Target(Protocol):
    """Target that compiles graphs and runs them."""

    name: str
    kernels: frozenset[str]  # that it could take, as `add: dsp`

    @property
    def ways(self) -> Sequence[Way]:
        """Build options that the target tries, one for each batch."""

    def answers(self, trials: Sequence[Trial], way: Way) -> Sequence[Compiled]:
        """Results and kernels of the compiled graphs. Raises AssertionError or ToolchainError where
        they do not run.
        """


class Host:
    """Target that is the machine of the tests, with sanitizers."""

    name = "host"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ways: Sequence[Way] = _ways(frozenset())
        self.kernels = _exact(frozenset())

    def answers(self, trials: Sequence[Trial], way: Way) -> Sequence[Compiled]:
        ops = shipped_ops()
        programs = [_as_preferred(way, partial(_program, trial)) for trial in trials]
        built = build_hosts([(each, ops) for each in programs], ops, self._folder, sanitize=True)
        return [
            Compiled(firmware.run(trial.sets), tuple(_kernels(program)))
            for trial, program, firmware in zip(trials, programs, built, strict=True)
        ]


class Board:
    """A board, with all graphs in one firmware, which SCons builds as a user's."""

    def __init__(self, name: str, folder: Path, rule: Numerics = Numerics.REFERENCE) -> None:
        found = load_board(name, BOARDS)
        runtime = load_runtime(found.runtime, RUNTIMES)
        self.name = name
        self._folder = folder
        features = found.core.features & runtime.grants
        self.kernels = _exact(features)
        ways = [*_ways(features), Way(OPTS[0], runtime="reference")]
        self.ways: Sequence[Way] = [replace(each, numerics=rule) for each in ways]

    def answers(self, trials: Sequence[Trial], way: Way) -> Sequence[Compiled]:
        joint = side_by_side([trial.content for trial in trials])
        outputs = [detail(joint.tensors[index]) for index in joint.outputs]
        count = max(len(trial.sets) for trial in trials)
        sets = [[x for t in trials for x in t.sets[min(i, len(t.sets) - 1)]] for i in range(count)]

        def run(way: Way) -> tuple[Results, Path]:
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            path = folder / "graphs.tflite"
            path.write_bytes(model(joint))
            results = answers(self.name, path, folder, sets, outputs, **vars(way))
            return results, folder / f"{self.name}-{path.stem}" / "report.json"

        results, report = _as_preferred(way, run)
        return list(_split(trials, results, tuple(_reported(report))))


def _as_preferred(way: Way, build: Callable[[Way], Built]) -> Built:
    """Result of `build`, without the preference of `way` where no node can meet that."""
    try:
        return build(way)
    except (AssertionError, ToolchainError) as error:
        if not way.prefer or not UNMET.search(str(error)):
            raise
    return build(replace(way, prefer=""))


def _split(
    trials: Sequence[Trial], results: Results, kernels: tuple[str, ...]
) -> Iterator[Compiled]:
    """The answers of a firmware by graph; the first is given the kernels of all."""
    ends = [0, *accumulate(len(trial.content.outputs) for trial in trials)]
    for trial, (start, end) in zip(trials, pairwise(ends), strict=True):
        own = [each[start:end] for each in results[: len(trial.sets)]]
        yield Compiled(own, kernels if start == 0 else ())


def _program(trial: Trial, way: Way) -> Program:
    configuration = Configuration(
        options=BuildOptions(opt=way.opt), preferences=Preferences(prefer=way.prefer)
    )
    name = trial.graph.name
    return compile_graph(trial.graph, shipped_ops(), configuration, name)


def _kernels(program: Program) -> Iterator[str]:
    """Names of the kernels of all nodes of a program."""
    for node in program.graph.nodes:
        assert node.kernel is not None
        yield f"{node.op}: {node.kernel.name}"


def _takes(features: frozenset[str]) -> Iterator[tuple[str, Kernel]]:
    """Kernels that a target with the given features can run, each with its op."""
    for name, found in shipped_ops().by_name.items():
        for kernel in (each for variant in found.op.variants for each in variant.kernels):
            if set(kernel.requires) <= features and not set(kernel.excludes) & features:
                yield name, kernel


def _ways(features: frozenset[str]) -> Sequence[Way]:
    """Build options: every `opt`, and a preference for every kernel that a target with the features
    can run.
    """
    names = {kernel.name for _, kernel in _takes(features)}
    plain = [Way(opt) for opt in OPTS]
    return [*plain, *(Way(OPTS[0], name) for name in sorted(names - {INEXACT}))]


def _exact(features: frozenset[str]) -> frozenset[str]:
    """Names, such as `add: dsp`, of the given kernels that need no consent."""
    return frozenset(
        f"{op}: {kernel.name}" for op, kernel in _takes(features) if kernel.name != INEXACT
    )


def _reported(report: Path) -> Iterator[str]:
    """Names of the kernels of all nodes in a report.json."""
    for node in json.loads(report.read_text())["nodes"]:
        yield f"{node['op']}: {node['kernel']}"
