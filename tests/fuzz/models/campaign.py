"""Many mutants, one after the other: what became of each, and what should not have."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from opsmith.discover.discover import discover
from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import NumpyReference
from opsmith.pipeline import read
from opsmith.testing.inputs import seeded_inputs
from tests.fuzz.models.batch import Batch
from tests.fuzz.models.child import Child, Crashed, Hung
from tests.fuzz.models.convert import Converted, Failed, Refused, converter, reading_of
from tests.fuzz.models.exclusions import excluded
from tests.fuzz.models.mutants import mutant
from tests.fuzz.models.oracle import NotRun, Ran, Results, oracle
from tests.fuzz.models.seeds import ROOT, Seeds

T = TypeVar("T")
BATCH = 48  # programs that are compiled together
MOST_RAM, MOST_WEIGHTS, MOST_MACS = 1 << 22, 1 << 24, 1_500_000  # of what is compiled and run
RANDOM_SETS = 4  # of inputs, besides the extremes
SHOWN = 4  # differing elements


@dataclass(frozen=True)
class Failure:
    """A mutant that shows a mistake."""

    index: int
    kind: str
    text: str
    description: str


@dataclass
class Counts:
    """Counts of mutants by outcome, and failures."""

    outcomes: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    oracle: Counter[str] = field(default_factory=Counter)
    programs: set[str] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)
    seconds: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Pending:
    index: int
    model: Converted
    sets: Results
    right: Ran | NotRun


class Campaign:
    """Mutants of one seed, by worker processes of its own."""

    def __init__(
        self, seed: int, models: Path | None, build: Path, job: int, tell: Callable[[str], None]
    ) -> None:
        self.counts = Counts()
        self._seed, self._tell, self._build = seed, tell, build
        self._seeds = Seeds(models)
        self._ops = discover([ROOT / "ops"])
        self._folder = build / f"job_{job}"
        self._batch = Batch(self._folder)
        self._converter = Child(converter, seed, models, build / f"mutants_{job}")
        self._oracle = Child(oracle)
        self._pending: list[_Pending] = []

    def run(self, indices: range) -> Counts:
        """Try the mutants of the given numbers."""
        try:
            for index in indices:
                self._one(index)
                if len(self._batch) >= BATCH:
                    self._flush()
                if self.counts.outcomes.total() % 1000 == 0:
                    so_far = self.counts.outcomes.total(), len(self.counts.failures)
                    self._tell(f"{so_far[0]:,} of {len(indices):,} mutants, {so_far[1]} failures")
            self._flush()
        finally:
            self._converter.close()
            self._oracle.close()
        return self.counts

    def _one(self, index: int) -> None:
        made = self._timed("convert", lambda: self._converted(index))
        match made:
            case Refused(codes):
                self.counts.outcomes["refused"] += 1
                self.counts.codes.update(set(codes))
            case Failed(kind, text):
                self.counts.outcomes["failed"] += 1
                self._fail(index, kind, text)
            case Converted():
                self.counts.outcomes["converted"] += 1
                self._asked(index, made)

    def _converted(self, index: int) -> Refused | Converted | Failed:
        try:
            found: Refused | Converted | Failed = self._converter.ask(index)
        except (Hung, Crashed) as error:
            return Failed(type(error).__name__.lower(), str(error))
        return found

    def _asked(self, index: int, model: Converted) -> None:
        if model.ram > MOST_RAM or len(model.weights) > MOST_WEIGHTS:
            self.counts.oracle["too large to be compiled here"] += 1
            return
        sets: Results = []
        right: Ran | NotRun = NotRun("is not asked: too much to compute", "")
        if model.macs <= MOST_MACS:
            sets = seeded_inputs(model.inputs, RANDOM_SETS, seed=index)
            right = self._timed("litert", lambda: self._right(index, model, sets))
        self._batch.add(model)
        self._pending.append(_Pending(index, model, sets, right))

    def _right(self, index: int, model: Converted, sets: Results) -> Ran | NotRun:
        content = mutant(self._seeds, self._seed, index).content
        try:
            found: Ran | NotRun = self._oracle.ask(
                (content, sets, {"subgraph": model.subgraph}), 60
            )
        except (Hung, Crashed) as error:
            return NotRun("crashes", str(error))
        return found

    def _flush(self) -> None:
        bad = self._timed("compile", self._batch.compile)
        self.counts.programs |= {pending.model.key for pending in self._pending}
        for each in self._pending:
            if each.model.key in bad:
                failed = bad[each.model.key]
                self._fail(each.index, failed.kind, failed.text)
            elif each.sets:
                # mypy cannot type a lambda's default, which binds this round's value.
                self._timed("run", lambda each=each: self._compared(each))  # type: ignore[misc]
            else:
                self.counts.oracle["LiteRT is not asked: too much to compute"] += 1
        self._pending = []
        self._batch = Batch(self._folder)

    def _compared(self, each: _Pending) -> None:
        got = self._batch.run(each.model, each.sets)
        if isinstance(got, Failed):
            self._fail(each.index, got.kind, got.text)
            return
        if isinstance(each.right, NotRun):
            self._compared_with_numpy(each, got, each.right.how)
            return
        different = difference(got, each.right.results)
        if different and self._is_bounded(each):
            self._compared_with_numpy(each, got, "may differ by a bound")
            return
        reason = self._excluded(each) if different else ""
        if different and types(got) != types(each.right.results):
            reason = "LiteRT takes a type from an option, not from the tensor"
        if different and not reason:
            again = self._right(each.index, each.model, each.sets)
            if not isinstance(again, Ran) or difference(again.results, each.right.results):
                reason = "LiteRT differs from itself"
        if reason:
            self.counts.oracle[f"left out: {reason}"] += 1
        elif different:
            self._fail(each.index, "difference", different)
        else:
            self.counts.oracle["equal to LiteRT"] += 1

    def _compared_with_numpy(self, each: _Pending, got: Results, how: str) -> None:
        """Compare a mutant with the ops' numpy models, where LiteRT has no answer."""
        graph = self._legal(each.index)
        try:
            reference = NumpyReference(graph, self._ops)
            with np.errstate(all="ignore"):
                right = [reference.run(inputs) for inputs in each.sets]
        except ToolchainError as error:
            if error.problems[0].code == "OPS040":  # no numpy model
                self.counts.oracle[f"LiteRT {how}, and there is no numpy model"] += 1
            else:
                self._fail(each.index, "evaluate", str(error))
            return
        different = difference(got, right)
        if different and not self._excluded(each):
            self._fail(each.index, "difference from numpy", different)
        else:
            self.counts.oracle[f"LiteRT {how}: compared with numpy"] += 1

    def _is_bounded(self, each: _Pending) -> bool:
        """Whether a node's variant need not have LiteRT's bits."""
        graph = self._legal(each.index)
        return any(self._ops.of(graph, node).variant.ulps for node in graph.nodes)

    def _excluded(self, each: _Pending) -> str:
        return excluded(self._legal(each.index), self._ops, each.sets)

    def _legal(self, index: int) -> Graph:
        path = self._folder / "m.tflite"
        made = mutant(self._seeds, self._seed, index)
        path.write_bytes(made.content)
        return read(path, "m", self._ops, reading_of(made.preferences))[1]

    def _fail(self, index: int, kind: str, text: str) -> None:
        made = mutant(self._seeds, self._seed, index)
        self.counts.failures.append(Failure(index, kind, text, made.description))
        stem = self._build / f"{self._seed}_{index}"
        stem.with_suffix(".tflite").write_bytes(made.content)
        said = f"{kind}, {made.preferences}\n{made.description}\n\n{text}\n"
        stem.with_suffix(".txt").write_text(said, encoding="utf-8", errors="backslashreplace")
        self._tell(f"{kind}: seed {self._seed}, mutant {index}: {made.description[:300]}")
        self._tell(f"    {text.strip()[-600:]}")

    def _timed(self, what: str, call: Callable[[], T]) -> T:
        start = time.monotonic()
        try:
            return call()
        finally:
            # A Counter is typed to count whole things; it adds seconds as well.
            self.counts.seconds[what] += time.monotonic() - start  # type: ignore[assignment]


def difference(got: Results, want: Results) -> str:
    """The first output whose bytes differ, NaN being equal to NaN; nothing when none does."""
    for number, (ours, theirs) in enumerate(zip(got, want, strict=True)):
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if text := _different(one, other):
                return f"set {number}, output {place}: {text}"
    return ""


def types(results: Results) -> list[list[str]]:
    """Names of the outputs' element types."""
    return [[each.dtype.name for each in outputs] for outputs in results]


def _different(got: Array, want: Array) -> str:
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} where LiteRT has {want.dtype}{list(want.shape)}"
    one, other = np.ascontiguousarray(got).reshape(-1), np.ascontiguousarray(want).reshape(-1)
    bits = f"u{got.dtype.itemsize}"
    wrong = one.view(bits) != other.view(bits)
    if got.dtype.kind == "f":
        wrong &= ~(np.isnan(one) & np.isnan(other))
    (where,) = np.nonzero(wrong)
    first = ", ".join(f"[{i}] {one[i]} instead of {other[i]}" for i in where[:SHOWN])
    return f"{len(where)} of {one.size} elements differ: {first}" if len(where) else ""
