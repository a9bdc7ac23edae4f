"""Questions to oracles: what a model computes from given inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opsmith.ir import Array
from opsmith.oracle.deadline import Deadline
from opsmith.pipeline import AS_STORED, Reading


@dataclass(frozen=True)
class Question:
    """A model, its inputs, the tensors whose values are wanted, and the time for the answers."""

    model: Path
    used: Path  # used_ops.json of its build
    inputs: Sequence[Array]
    wanted: Sequence[str]  # ids of tensors
    reading: Reading = AS_STORED
    deadline: Deadline = field(default_factory=Deadline)

    @classmethod
    def of_build(
        cls,
        folder: Path,
        report: Mapping[str, Any],
        model: Path,
        inputs: Sequence[Array],
        wanted: Sequence[str],
        platforms: Sequence[Path] = (),
        deadline: Deadline | None = None,
    ) -> "Question":
        """Question about the model of a build, which is read as its report.json says."""
        used, reading = folder / "used_ops.json", reading_of(report, platforms)
        return cls(model, used, inputs, wanted, reading, deadline or Deadline())


def reading_of(report: Mapping[str, Any], platforms: Sequence[Path] = ()) -> Reading:
    """Options by which the model of a build was read, from its report.json."""
    shapes, rule = tuple(report["input_shape"]), report["numerics"]
    return Reading(tuple(platforms), shapes, report["signature"], rule)
