"""Runs a data set on a rig, sample after sample, and judges the outputs by every available oracle.

Results are in data.jsonl, a line for each sample: after a break the next run continues there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Numerics
from opsmith.oracle.deadline import Deadline
from opsmith.oracle.expected import expected
from opsmith.oracle.numpy_runs import delegated
from opsmith.oracle.question import Question
from opsmith.oracle.rules import TITLES, answers_to, cannot_answer
from opsmith.progress import progress
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, load_report
from opsmith.rig.dataset import DataSet, Sample
from opsmith.rig.metrics import is_vector, real_values
from opsmith.rig.records import Record, recorded
from opsmith.rig.report import Tolerance
from opsmith.rig.rig import Rig
from opsmith.rig.tally import Tally

RECORDS, PICTURE = "data.jsonl", "confusion.svg"
# Samples that are judged together: their number, bytes and seconds. A run that is killed loses no
# more than these.
_CHUNK, _CHUNK_BYTES, _CHUNK_SECONDS = 256, 16 << 20, 30.0


@dataclass(frozen=True)
class Judge:
    """Judge of the outputs of a build, by the oracle of its rule, else node by node."""

    build: Build
    model: Path
    platforms: Sequence[Path]
    tolerance: Tolerance
    timeout: float | None

    def records(self, samples: Sequence[_Ran]) -> Iterator[Record]:
        """Record for each sample."""
        sets = [each.sample.inputs for each in samples]
        report = load_report(self.build.folder)
        rules = (rule for rule in Numerics if not cannot_answer(rule))
        found = {rule: self._answers(rule, self._question(report), sets) for rule in rules}
        own = found.get(Numerics(report["numerics"] or Numerics.REFERENCE))
        for index, ran in enumerate(samples):
            agrees = {
                TITLES[rule]: self._same(ran.outputs, answers[index], Tolerance())
                for rule, answers in found.items()
                if answers is not None
            }
            right = own is not None and self._same(ran.outputs, own[index], self.tolerance)
            yield ran.record(self.build) | {
                "right": right or self._right_by_node(report, ran),
                "agrees": agrees,
            }

    def _answers(
        self, rule: Numerics, asked: Question, sets: Sequence[Sequence[Array]]
    ) -> list[dict[str, Array]] | None:
        """Outputs by the oracle of a rule; None where it cannot run the model."""
        by_delegate = partial(delegated, asked) if rule == asked.reading.numerics else dict
        seconds = asked.deadline.reference()
        try:
            return answers_to(rule, self.model, sets, asked.reading, seconds, by_delegate)
        except (ToolchainError, TimeoutError):
            return None

    def _same(
        self, outputs: Sequence[Array], values: Mapping[str, Array], tolerance: Tolerance
    ) -> bool:
        of = zip(self.build.outputs, outputs, strict=True)
        return all(t.id in values and tolerance.allows(y, values[t.id]) for t, y in of)

    def _question(self, report: Mapping[str, Any], inputs: Sequence[Array] = ()) -> Question:
        of_build = self.build.folder, report, self.model
        ids = [tensor.id for tensor in self.build.outputs]
        return Question.of_build(*of_build, inputs, ids, self.platforms, Deadline(self.timeout))

    def _right_by_node(self, report: Mapping[str, Any], ran: _Ran) -> bool:
        right = expected(
            self._question(report, ran.sample.inputs),
            agrees=lambda values: self._same(ran.outputs, values, self.tolerance),
        )
        return right.sound and self._same(ran.outputs, right.values, self.tolerance)


@dataclass(frozen=True)
class _Ran:
    """A sample and the outputs of the board for it."""

    sample: Sample
    outputs: list[Array]
    ticks: int
    seconds: float

    @property
    def bytes(self) -> int:
        """Bytes of a sample that waits to be judged."""
        return sum(each.nbytes for each in (*self.sample.inputs, *self.outputs))

    def record(self, build: Build) -> Record:
        """Record of the facts that the board decides: the class it predicts or, for an output that
        is like the input, their distance.
        """
        said, score, tensor = None, None, build.outputs[0]
        values = real_values(tensor, self.outputs[0])
        labelled = self.sample.label is not None
        if labelled and is_vector(tensor) and not like_input(build):
            said = int(values.argmax())
        elif labelled and like_input(build):
            given = real_values(build.inputs[0], self.sample.inputs[0])
            score = float(np.mean((values - given) ** 2))
        facts = {"label": self.sample.label, "file": self.sample.file}
        return facts | {"said": said, "score": score, "ticks": self.ticks, "seconds": self.seconds}


def like_input(build: Build) -> bool:
    """True if a model reproduces its input, as an autoencoder does."""
    first, last = build.inputs[0], build.outputs[0]
    return len(build.inputs) == 1 and first.shape == last.shape


def classes_of(build: Build) -> int:
    """Number of classes for which the first output has a value; 0 where it is no such output."""
    tensor = build.outputs[0]
    return tensor.shape[-1] if is_vector(tensor) and not like_input(build) else 0


@dataclass
class Evaluation:
    """Run of a data set on a rig."""

    rig: Rig
    data: DataSet
    judge: Judge
    tally: Tally
    file: Path  # data.jsonl
    place: str  # where an interrupted run can continue
    keep: Callable[[Sequence[Array]], None] | None = None  # receives the outputs of each sample
    clock: Callable[[], float] = time.monotonic
    _waiting: list[_Ran] = field(default_factory=list)

    def run(self) -> bool:
        """Run the rest of the set; returns whether all outputs are right."""
        with (
            recorded(self.file, self._head(), self.tally.add) as (first, write),
            progress(self.data.count, first, self.clock) as shown,
        ):
            try:
                for sample in self.data.samples(first):
                    self._waiting.append(self._ran(sample))
                    shown.show(first + len(self._waiting))
                    if self._is_time():
                        first += self._judge(write)
            finally:
                self._judge(write)
        return self.tally.right == self.data.count

    def _ran(self, sample: Sample) -> _Ran:
        begin = self.clock()
        outputs = self.rig.invoke(sample.inputs)
        if self.keep:
            self.keep(outputs)
        return _Ran(sample, outputs, self.rig.cycles, self.clock() - begin)

    def _is_time(self) -> bool:
        """True if the waiting samples are to be judged now."""
        many = len(self._waiting) >= _CHUNK
        large = sum(each.bytes for each in self._waiting) > _CHUNK_BYTES
        return many or large or sum(each.seconds for each in self._waiting) > _CHUNK_SECONDS

    def _judge(self, write: Callable[[Record], None]) -> int:
        """Write records of the waiting samples; returns how many."""
        waiting, self._waiting = self._waiting, []
        for record in self.judge.records(waiting) if waiting else ():
            write(record)
        return len(waiting)

    def _head(self) -> Record:
        build, judge = self.rig.build, self.judge
        within = [judge.tolerance.atol, judge.tolerance.rtol]
        of = {"firmware": build.digest, "place": self.place, "within": within}
        return {"set": self.data.digest, "samples": self.data.count, **of}
