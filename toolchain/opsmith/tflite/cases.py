"""Uses of an op for its tests: as single models, all in one model, or to be refused."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from opsmith.tflite.emitter import CODES, ModelTensor
from opsmith.tflite.writer import ModelWriter


@dataclass(frozen=True, eq=False)
class Case:
    """A use of an op: `build` adds its inputs, its node and its outputs to the model."""

    name: str
    build: Callable[[ModelWriter], None]


def cases(prefix: str = "", /, **builds: Callable[[ModelWriter], None]) -> tuple[Case, ...]:
    """Cases by name, with a prefix if one is given."""
    start = f"{prefix}_" if prefix else ""
    return tuple(Case(f"{start}{name}", build) for name, build in builds.items())


@dataclass(frozen=True)
class Rejected:
    """A use of an op that must be refused with a given code, in words that contain the sentence."""

    case: Case
    sentence: str
    code: str = "MDL014"


def refused(
    name: str, build: Callable[[ModelWriter], None], sentence: str, code: str = "MDL014"
) -> Rejected:
    """Rejected use of an op, with its name and the sentence that the refusal must contain."""
    return Rejected(Case(name, build), sentence, code)


def merged_model(cases: Sequence[Case]) -> bytes:
    """File of a model with all cases side by side; names of tensors begin with the case's name."""
    return _merged(tuple(cases))


@lru_cache(maxsize=32)  # the tests of an op, and of ops beside it, run in succession
def _merged(cases: tuple[Case, ...]) -> bytes:
    # All forms of operator codes occur: the first case determines which.
    return merged_writer(cases).bytes(CODES[len(cases[0].name) % len(CODES) if cases else 0])


def merged_writer(cases: Sequence[Case]) -> ModelWriter:
    """Writer of a model with all cases side by side."""
    assert len({case.name for case in cases}) == len(cases), "two cases share a name"
    model = _CaseWriter()
    for case in cases:
        model.prefix = f"{case.name}/"
        case.build(model)
    return model


def of_constants(build: Callable[[ModelWriter], None]) -> Callable[[ModelWriter], None]:
    """Function that builds a case with constants for inputs, so that the node is folded."""
    return lambda model: build(cast(ModelWriter, _ConstantWriter(model)))


@dataclass(frozen=True)
class _ConstantWriter:
    """Writer of an input as a constant, whose elements count up and are zero in the middle."""

    model: ModelWriter

    def input(self, name: str, shape: Sequence[int], dtype: str, *quantisation: Any) -> ModelTensor:
        size = math.prod(shape)
        values = (np.arange(size) - size // 2).reshape(shape).astype(dtype)
        return self.model.constant(name, values, *quantisation)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


class _CaseWriter(ModelWriter):
    """Model writer that puts the name of the case before the name of every tensor."""

    prefix = ""

    def tensor(self, name: str, *arguments: Any, **options: Any) -> ModelTensor:
        return super().tensor(f"{self.prefix}{name}", *arguments, **options)
