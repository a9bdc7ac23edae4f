"""Uses of an op that nobody has a model of: one for every element type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from toolchain.ir import DType
from toolchain.op.describe import ListOf
from toolchain.scaffold.spec import Given, Parameter, Spec, Use, Value

SHAPE = (2, 3, 4)
_SCALARS: dict[type, Any] = {bool: True, int: 2, float: 0.5, str: "text", bytes: b"bytes"}


def with_uses(spec: Spec) -> Spec:
    """The spec with uses of every element type, and of an op without its optional inputs."""
    spec = _with_axis(spec)
    count = max(len(value.types) for value in (*spec.inputs, *spec.outputs))
    uses = [_use(spec, number) for number in range(count)]
    uses.append(replace(_use(spec, 0, (1, 1, 1)), name="one_element"))
    if any(value.optional for value in spec.inputs):
        uses.append(_without_optional(spec, uses[0]))
    return replace(spec, uses=tuple(uses))


def _with_axis(spec: Spec) -> Spec:
    if spec.template != "reduction" or any(p.name == "axis" for p in spec.parameters):
        return spec
    axis = Parameter("axis", int, -1, own=spec.custom is None)
    return replace(spec, parameters=(*spec.parameters, axis))


def _use(spec: Spec, number: int, shape: tuple[int, ...] = SHAPE) -> Use:
    first = spec.inputs[0].types
    name = "_".join(_type(value, number).short for value in (*spec.inputs, *spec.outputs)[:1])
    name = name if number < len(first) else f"{name}_{number}"
    inputs = tuple(_given(value, number, shape, 0.25, 3) for value in spec.inputs)
    made = shape[:-1] if spec.template == "reduction" else shape
    outputs = tuple(_given(value, number, made, 0.0625, -1) for value in spec.outputs)
    options = {p.option or p.name: example_value(p) for p in spec.parameters if not p.own}
    return Use(name, inputs, outputs, options, spec.versions[1])


def _without_optional(spec: Spec, use: Use) -> Use:
    given = [
        None if value.optional else tensor
        for value, tensor in zip(spec.inputs, use.inputs, strict=True)
    ]
    return replace(use, name="without_optional", inputs=tuple(given))


def _type(value: Value, number: int) -> DType:
    return value.types[number % len(value.types)]


def _given(
    value: Value, number: int, shape: tuple[int, ...], scale: float, zero_point: int
) -> Given:
    dtype = _type(value, number)
    if dtype.short not in ("i8", "u8", "i16"):
        quantised = dtype.short == "i32"
        return Given(dtype.name, shape, scale if quantised else None, variable=value.state)
    zero = abs(zero_point) if dtype.short == "u8" else 0 if dtype.short == "i16" else zero_point
    return Given(dtype.name, shape, scale, zero, variable=value.state)


def example_value(parameter: Parameter) -> Any:
    """A value that the attribute can have: its default, or one that is made up."""
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
