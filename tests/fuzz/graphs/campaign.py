"""Compare random graphs with LiteRT: each in numpy, and many at a time when compiled."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from subprocess import TimeoutExpired

from opsmith.errors import ToolchainError
from opsmith.numerics import Numerics
from opsmith.tflite.emitter import ModelSubgraph
from tests.fuzz.graphs.builder import Builder
from tests.fuzz.graphs.by_rule import kinds, reproduced
from tests.fuzz.graphs.calls import Call
from tests.fuzz.graphs.coverage import Coverage
from tests.fuzz.graphs.schedule import graph
from tests.fuzz.graphs.shrink import shrunk
from tests.fuzz.graphs.targets import Target
from tests.fuzz.graphs.trial import Trial, Unasked, trial

TOGETHER = 16  # graphs of one executable or firmware
ATTEMPTS = 5  # at a graph that can be compared


@dataclass
class Outcome:
    """Counts of graphs by outcome, and failures."""

    compared: int = 0  # in numpy
    graphs: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)  # what Opsmith refuses, by its sentence
    unasked: Counter[str] = field(default_factory=Counter)  # what LiteRT refuses
    coverage: Coverage = field(default_factory=Coverage)  # of the graphs compared
    left_out: Counter[str] = field(default_factory=Counter)  # nodes without the rule, by reason
    followed: Counter[str] = field(default_factory=Counter)  # nodes compared that have it, by op
    kernels: Counter[str] = field(default_factory=Counter)  # of the nodes that were compiled
    failures: list[str] = field(default_factory=list)


class Campaign:
    """Compares the graphs of a seed, in numpy and, where there is one, on a target."""

    def __init__(
        self,
        seed: int,
        target: Target | None,
        say: Callable[[str], None],
        rule: Numerics = Numerics.REFERENCE,
    ) -> None:
        self.outcome = Outcome()
        self._rule = rule
        self._seed = seed
        self._target = target
        self._say = say

    def compare(self, first: int, count: int) -> Outcome:
        """Compare N graphs, trying more numbers than N, since some graphs have no answer."""
        return self.run(takewhile(lambda _: self.outcome.compared < count, itertools.count(first)))

    def run(self, numbers: Iterable[int]) -> Outcome:
        """Compare the graphs that the given numbers seed."""
        for together, group in groupby(numbers, lambda number: number // TOGETHER):
            trials = [found for number in group if (found := self._tried(number))]
            if self._target is not None and trials:
                self._compile(self._target, together, trials)
        return self.outcome

    def _tried(self, number: int) -> Trial | None:
        """Trial of a graph; None where LiteRT has no answer, or numpy differs, which is counted."""
        of = kinds(self._rule)
        attempts = (graph(self._seed, number, each, of) for each in range(ATTEMPTS))
        found = next(filter(None, (self._answered(number, each) for each in attempts)), None)
        self.outcome.compared += found is not None
        if found is None:
            self.outcome.graphs["not compared"] += 1
        elif not found.equal_in_numpy:
            self._fail(found, "numpy differs", lambda part: not part.equal_in_numpy)
        else:
            self.outcome.graphs["equal in numpy"] += 1
            self.outcome.coverage.count(found)
            ruled = (node.op for node in found.graph.nodes if node.numerics != Numerics.REFERENCE)
            self.outcome.followed.update(ruled)
            return found
        return None

    def _answered(self, number: int, build: Builder) -> Trial | None:
        """Trial of a graph for which LiteRT has a defined answer, else None."""
        try:
            content = reproduced(build.finish(), self._rule, self.outcome.left_out)
            if content is None:
                return None
            found = trial(number, content, build.apart, self._rule)
        except Unasked as error:
            self.outcome.graphs["LiteRT refuses"] += 1
            self.outcome.unasked[str(error)[:150]] += 1
            return None
        except ToolchainError as error:
            self.outcome.graphs["refused"] += 1
            self.outcome.refusals.update({f"{p.code} {p.what[:120]}" for p in error.problems})
            return None
        if not found.sets:
            self.outcome.graphs["undefined for all inputs"] += 1
            return None
        return found

    def _compile(self, target: Target, together: int, trials: Sequence[Trial]) -> None:
        """Compile graphs together and compare their outputs; halve the batch where it does not
        build.
        """
        way = target.ways[together % len(target.ways)]
        try:
            compiled = target.answers(trials, way)
        except (AssertionError, ToolchainError, TimeoutExpired) as error:
            if len(trials) == 1:
                self._fail(trials[0], f"{way}: {str(error)[-2000:]}", None)
                return
            self.outcome.graphs[f"batches that {target.name} does not take whole"] += 1
            self._say(f"{len(trials)} graphs by {way}, {target.name}: {str(error)[-2000:]}")
            middle = len(trials) // 2
            for half in (trials[:middle], trials[middle:]):
                self._compile(target, together, half)
            return

        def differs(part: Trial) -> bool:
            return not part.equal(next(iter(target.answers([part], way))).results)

        for each, answer in zip(trials, compiled, strict=True):
            self.outcome.kernels.update(answer.kernels)
            if each.equal(answer.results):
                self.outcome.graphs[f"equal on {target.name}"] += 1
            else:
                self._fail(each, f"differs on {target.name}, {way}", differs)

    def _asked_by_rule(self) -> str:
        return "" if self._rule == Numerics.REFERENCE else f" --numerics={self._rule}"

    def _fail(self, failed: Trial, what: str, differs: Callable[[Trial], bool] | None) -> None:
        """Count and print a failure, with the smallest part of the graph that differs."""

        def fails(part: ModelSubgraph) -> bool:
            try:
                found = trial(failed.number, part, failed.apart, self._rule)
                return differs is not None and bool(found.sets) and differs(found)
            except (AssertionError, ToolchainError, TimeoutExpired, Unasked):
                return False

        smallest = failed.content if differs is None else shrunk(failed.content, fails)
        self.outcome.graphs["FAILED"] += 1
        again = f"--seed={self._seed} --only={failed.number}{self._asked_by_rule()}"
        text = f"{again}: {what}\n{described(smallest)}"
        self.outcome.failures.append(text)
        self._say(text)


def described(content: ModelSubgraph) -> str:
    """The nodes with their tensors, a line each."""
    return "\n".join(_lines(content))


def _lines(content: ModelSubgraph) -> Iterator[str]:
    for node in content.nodes:
        words = [node.code[1] or node.op, str(dict(node.options))]
        for index in (*node.inputs, *node.outputs):
            if index >= 0:
                t = content.tensors[index]
                words.append(f"{t.name}:{t.dtype}{list(t.shape)}*{t.scale[:2]}{t.zero_point[:2]}")
        yield "  " + " ".join(words)
        for option, body in node.bodies.items() if isinstance(node, Call) else ():
            yield f"    {option}: inputs {_names(body, body.inputs)}"
            yield from (f"    {line}" for line in _lines(body))
            yield f"    outputs {_names(body, body.outputs)}"


def _names(content: ModelSubgraph, indices: Sequence[int]) -> str:
    return " ".join(content.tensors[index].name for index in indices)
