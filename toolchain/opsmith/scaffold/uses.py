"""Made-up uses of an op without a model: one for every combination of types."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from opsmith.ir import DType
from opsmith.op.declare import ListOf
from opsmith.scaffold.spec import ExampleUse, Given, Parameter, Spec, SpecValue

SHAPE = (2, 3, 4)
_SCALARS: dict[type, Any] = {bool: True, int: 2, float: 0.5, str: "text", bytes: b"bytes"}


def with_uses(spec: Spec) -> Spec:
    """Spec with uses of each combination of types, and, for optional inputs, a use without them."""
    spec = _with_axis(spec)
    each = [dict(zip(spec.types, types, strict=True)) for types in product(*spec.types.values())]
    uses = [_use(spec, types) for types in each]
    uses.append(replace(_use(spec, each[0], (1, 1, 1)), name="one_element"))
    if any(value.optional for value in spec.inputs):
        uses.append(_without_optional(spec, uses[0]))
    return replace(spec, uses=tuple(uses))


def _with_axis(spec: Spec) -> Spec:
    if spec.template != "reduction" or any(p.name == "axis" for p in spec.parameters):
        return spec
    axis = Parameter("axis", int, -1, own=spec.custom is None)
    return replace(spec, parameters=(*spec.parameters, axis))


def _use(spec: Spec, types: Mapping[str, DType], shape: tuple[int, ...] = SHAPE) -> ExampleUse:
    """Return a use in which type variables have given types."""

    def given(value: SpecValue, shape: tuple[int, ...], scale: float, zero_point: int) -> Given:
        named = spec.type_of(value)
        dtype = types[named] if isinstance(named, str) else named
        return _given(dtype, value.state, shape, scale, zero_point)

    name = "_".join(dtype.short for dtype in types.values())
    inputs = tuple(given(value, shape, 0.25, 3) for value in spec.inputs)
    made = shape[:-1] if spec.template == "reduction" else shape
    outputs = tuple(given(value, made, 0.0625, -1) for value in spec.outputs)
    options = {p.option or p.name: example_value(p) for p in spec.parameters if not p.own}
    return ExampleUse(name, inputs, outputs, options, spec.versions[1])


def _without_optional(spec: Spec, use: ExampleUse) -> ExampleUse:
    given = [
        None if value.optional else tensor
        for value, tensor in zip(spec.inputs, use.inputs, strict=True)
    ]
    return replace(use, name="without_optional", inputs=tuple(given))


def _given(
    dtype: DType, variable: bool, shape: tuple[int, ...], scale: float, zero_point: int
) -> Given:
    if dtype.short not in ("i8", "u8", "i16"):
        quantised = dtype.short == "i32"
        return Given(dtype.name, shape, scale if quantised else None, variable=variable)
    zero = abs(zero_point) if dtype.short == "u8" else 0 if dtype.short == "i16" else zero_point
    return Given(dtype.name, shape, scale, zero, variable=variable)


def example_value(parameter: Parameter) -> Any:
    """Return a value of the attribute: its default, or a made-up one."""
    if parameter.default is not None:
        default = parameter.default
        if isinstance(default, np.ndarray):
            return default.tolist()
        return list(default) if isinstance(default, tuple) else default
    return next(_examples(parameter))


def _examples(parameter: Parameter) -> Iterator[Any]:
    kind = parameter.type
    if isinstance(kind, ListOf):
        yield [_SCALARS[kind.type]] * 2
    elif isinstance(kind, DType):
        yield [0.5, 1.0] if kind.short[0] == "f" else [1, 0]
    else:
        yield _SCALARS[kind]
