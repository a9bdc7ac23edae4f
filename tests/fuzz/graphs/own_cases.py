"""Nodes of operators that LiteRT does not have: those of the cases of the ops' own tests."""

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.builder import Builder, Quantisation, of
from tests.fuzz.graphs.kind import impossible_unless, kinds

LARGEST = 600  # elements of an input
NOT_IN_LITERT = "LiteRT does not have the op"
DETECTION = "LiteRT fails where a box is inside out, and orders equal scores as its sort does"


def case(build: Builder, op: str, dtype: str = "") -> None:
    """Add the node of a test case of the op; `dtype` is x's type, where several are possible."""
    build_case = build.one(*_cases(op, dtype))
    start = len(build.model.content.nodes)
    build_case(cast(ModelWriter, _Writer(build, f"{op}_{start}")))


@cache
def _cases(op: str, dtype: str) -> tuple[Any, ...]:
    """Builders of the small cases of one node of `op`, of the given type."""
    return tuple(each.build for each in _tests(op).cases if _suits(each, dtype))


def _suits(case: Case, dtype: str) -> bool:
    model = ModelWriter()
    case.build(model)
    tensors = model.content.tensors
    given = [tensors[index] for index in model.content.inputs]
    small = all(_elements(t) <= LARGEST for t in tensors)
    return len(model.content.nodes) == 1 and small and (not dtype or given[0].dtype == dtype)


def _elements(tensor: ModelTensor) -> int:
    count = 1
    for size in tensor.shape:
        count *= size
    return count


def _tests(op: str) -> type[OpTests]:
    """Class of the op's own tests."""
    module = importlib.import_module(f"ops.{op}.test_{op}")
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    return next(each for each in classes if issubclass(each, OpTests) and each is not OpTests)


class _Writer:
    """Adds the node of a case to a graph: an input is a tensor that is there, or a new one."""

    def __init__(self, build: Builder, prefix: str) -> None:
        self._build = build
        self._prefix = prefix

    def input(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str = "int8",
        scale: float | tuple[()] = (),
        zero_point: int | None = None,
    ) -> ModelTensor:
        wanted = Quantisation(scale, 0 if scale != () and zero_point is None else zero_point)
        found = [
            t
            for t in self._build.tensors
            if (t.dtype, t.shape) == (dtype, tuple(shape)) and (scale == () or of(t) == wanted)
        ]
        impossible_unless(len(shape) <= 5)
        new = None if scale == () else wanted  # which an op without one does not look at
        return self._build.one(*found) if found else self._build.input(dtype, shape, new)

    def tensor(self, name: str, *arguments: Any, **options: Any) -> ModelTensor:
        return self._build.model.tensor(f"{self._prefix}_{name}", *arguments, **options)

    def constant(self, name: str, *arguments: Any, **options: Any) -> ModelTensor:
        return self._build.model.constant(f"{self._prefix}_{name}", *arguments, **options)

    def node(
        self, op: str, inputs: Any, outputs: Sequence[ModelTensor], *more: Any, **rest: Any
    ) -> None:
        self._build.model.node(op, inputs, outputs, *more, **rest)
        self._build.tensors += outputs

    def output(self, *tensors: ModelTensor) -> None:
        """Do nothing: outputs of a case's node are outputs of the graph in any case."""


KINDS = (
    *kinds(
        case,
        apart=NOT_IN_LITERT,
        average_rows="int8",
        circular_buffer="int8",
        signal_delay="int16",
        signal_energy="int16",
        signal_fft_auto_scale="int16",
        signal_filter_bank="uint32",
        signal_filter_bank_log="uint32",
        signal_filter_bank_spectral_subtraction="uint32",
        signal_filter_bank_square_root="uint64",
        signal_framer="int16",
        signal_irfft="int16 int32 float32",
        signal_overlap_add="int16 float32",
        signal_pcan="uint32",
        signal_rfft="int16 int32 float32",
        signal_stacker="int16",
        signal_window="int16",
    ),
    *kinds(case, apart=DETECTION, detection_postprocess="float32 uint8"),
)
