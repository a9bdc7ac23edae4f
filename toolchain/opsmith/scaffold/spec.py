"""Spec: the description from which a new op folder is made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from opsmith.errors import Problem, did_you_mean
from opsmith.ir import DType
from opsmith.ir.types import BY_NAME, f32, f64, i8, i16, i32, u8, u16
from opsmith.op.declare import ListOf
from opsmith.scaffold.names import name_problem, op_name_problem

TEMPLATES = ("unary", "binary", "relation", "movement", "elementwise", "reduction", "empty")
NUMBERS = (i8, u8, i16, u16, i32, f32, f64)  # types whose results double arithmetic can give
VARIABLES = "TUVWXYZ"
_LOCALS = set("i s in out real found function node inputs tensors t".split())
Kind = type | ListOf | DType


@dataclass(frozen=True)
class SpecValue:
    """An input or output: its name and its possible element types."""

    name: str
    types: tuple[DType, ...]
    optional: bool = False
    state: bool = False


@dataclass(frozen=True)
class Parameter:
    """An attribute. An attribute without a default must be present."""

    name: str
    type: Kind
    default: Any = None
    option: str = ""  # name of the source's option, if it cannot be an attribute's name
    remark: str = ""
    own: bool = False  # always the default, since the source has no such option


@dataclass(frozen=True)
class Given:
    """A tensor in a use of the op."""

    dtype: str
    shape: tuple[int, ...]
    scale: float | tuple[float, ...] | None = None
    zero_point: int = 0
    axis: int = 0
    constant: bool = False
    data: tuple[Any, ...] = ()  # elements of a small constant
    variable: bool = False


@dataclass(frozen=True)
class ExampleUse:
    """A use of the op, as a node for its tests."""

    name: str
    inputs: tuple[Given | None, ...]
    outputs: tuple[Given, ...]
    options: Mapping[str, Any] | bytes = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True)
class Spec:
    """Facts about an op that is yet to be written."""

    name: str
    source: str  # 'tflite.CUSTOM.MyOp'
    inputs: tuple[SpecValue, ...]
    outputs: tuple[SpecValue, ...]
    parameters: tuple[Parameter, ...] = ()
    template: str = "empty"
    versions: tuple[int, int] = (1, 1)
    ignored: tuple[tuple[str, str], ...] = ()  # source options without an attribute, and why
    raw_options: bool = False  # options are bytes in an unknown format
    uses: tuple[ExampleUse, ...] = ()
    others: tuple[str, ...] = ()  # further sources with these options: 'onnx.MyOp'
    order: tuple[int, ...] = ()  # source input of each input, where the order differs

    @property
    def custom(self) -> str | None:
        """Name of the CUSTOM op that is the source, or None for a builtin one."""
        name = self.source.removeprefix("tflite.CUSTOM.")
        return name if name != self.source else None

    @property
    def types(self) -> dict[str, tuple[DType, ...]]:
        """Types of each type variable, those of the first input first."""
        first = self.inputs[0].types
        several = [value.types for value in (*self.inputs, *self.outputs) if len(value.types) > 1]
        return dict(zip(VARIABLES, dict.fromkeys([first, *several]), strict=False))

    @property
    def variants(self) -> list[dict[str, DType]]:
        """Combinations of element types that occur; an absent input counts with its first type."""
        found: list[dict[str, DType]] = []
        for bound in sorted(map(self._bound, self.uses), key=len, reverse=True):
            if not any(bound.items() <= other.items() for other in found):
                found.append({name: bound.get(name, each[0]) for name, each in self.types.items()})
        return found

    def given(self, use: ExampleUse) -> Iterator[tuple[SpecValue, Given]]:
        """Inputs and outputs that a use has, each with its tensor there."""
        for place, value in enumerate(self.inputs):
            source = self.order[place] if self.order else place
            given = use.inputs[source] if source < len(use.inputs) else None
            if given is not None:
                yield value, given
        yield from zip(self.outputs, use.outputs, strict=True)

    def _bound(self, use: ExampleUse) -> dict[str, DType]:
        """Type of each type variable in a use."""
        return {
            named: BY_NAME[given.dtype]
            for value, given in self.given(use)
            if isinstance(named := self.type_of(value), str)
        }

    def type_of(self, value: SpecValue) -> str | DType:
        """Type variable of a value, or its only type."""
        by_types = {types: name for name, types in self.types.items()}
        return by_types.get(value.types, value.types[0])


def spec_problems(spec: Spec, where: str) -> Iterator[Problem]:
    """Yield the problems of a spec. Codes OPS030, OPS032, OPS033 and OPS035."""
    wrong = op_name_problem(spec.name)
    if wrong:
        yield Problem("OPS030", wrong, where, "give a lower-case name like 'top_k'")
    groups = (
        ("OPS032", "tensor", [value.name for value in (*spec.inputs, *spec.outputs)]),
        ("OPS033", "attribute", [parameter.name for parameter in spec.parameters]),
    )
    for code, kind, names in groups:
        for name in dict.fromkeys(names):
            if wrong := name_problem(name):
                yield Problem(code, f"{kind} {wrong}", where, "give a lower-case name like 'x'")
            if names.count(name) > 1:
                yield Problem(code, f"two {kind}s are called '{name}'", where, "rename one")
    if not spec.inputs or not spec.outputs:
        yield Problem("OPS032", "an op needs an input and an output", where, "name them: x:i8")
        return
    if len({value.types for value in (*spec.inputs, *spec.outputs)}) > len(VARIABLES):
        yield Problem("OPS032", "too many sets of element types", where, "use fewer")
    for what in _template_problems(spec):
        yield Problem("OPS035", what, where, "change that, or take --template empty")


def _template_problems(spec: Spec) -> Iterator[str]:
    if spec.template not in TEMPLATES:
        yield (
            f"unknown template '{spec.template}'{did_you_mean(spec.template, TEMPLATES)}; "
            f"known are {', '.join(TEMPLATES)}"
        )
    if spec.template == "elementwise":
        for name in sorted({value.name for value in spec.inputs} & _LOCALS):
            yield f"template elementwise has a variable '{name}' of its own"
    if spec.template in ("elementwise", "reduction"):
        if len(spec.outputs) != 1 or (spec.template == "reduction" and len(spec.inputs) != 1):
            count = "one input and one output" if spec.template == "reduction" else "one output"
            yield f"template {spec.template} needs {count}"
        for value in (*spec.inputs, *spec.outputs):
            if value.optional or value.state:
                yield f"template {spec.template} always reads '{value.name}': it is not optional"
            strange = [dtype.short for dtype in value.types if dtype not in NUMBERS]
            if strange:
                known = ", ".join(dtype.short for dtype in NUMBERS)
                yield f"template {spec.template} computes {known}; not {', '.join(strange)}"
