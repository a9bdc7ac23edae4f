"""Cases of an op given by their tensors, in the form that `opsmith new-op` writes into a test."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opsmith.ir import Array
from opsmith.scaffold.spec import Given
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter

__all__ = ["Given", "use"]

# Options that the reader of .tflite files makes of a node's intermediate tensors.
INNER = ("intermediate_scales", "intermediate_zero_points")


def use(
    op: str,
    inputs: Sequence[Given | None],
    outputs: Sequence[Given],
    options: Mapping[str, Any] | bytes | None = None,
    *,
    custom: str = "",
    version: int = 1,
) -> Callable[[ModelWriter], None]:
    """Builder of a node of given tensors, None for an absent one; `custom` names a CUSTOM op."""

    def build(m: ModelWriter) -> None:
        given = [None if t is None else _tensor(m, f"x{i}", t) for i, t in enumerate(inputs)]
        made = [_made(m, f"y{i}", tensor) for i, tensor in enumerate(outputs)]
        if custom:
            options_ = {} if options is None else options
            m.node(op, given, made, version=version, custom=custom, custom_options=options_)
        else:
            assert not isinstance(options, bytes), "only CUSTOM ops have options of bytes"
            own = {name: value for name, value in (options or {}).items() if name not in INNER}
            inner = _intermediates(m, options or {})
            m.node(op, given, made, own, version=version, intermediates=inner)
        m.output(*made)

    return build


def _intermediates(m: ModelWriter, options: Mapping[str, Any]) -> list[ModelTensor]:
    """Intermediate tensors with the quantisation that `options` state of them; scale 0: none."""
    pairs = zip(*(options.get(name, ()) for name in INNER), strict=True)
    return [
        m.tensor(f"i{i}", (0,), "int16", *(((scale,), (zero,)) if scale else ()))
        for i, (scale, zero) in enumerate(pairs)
    ]


def _tensor(m: ModelWriter, name: str, given: Given) -> ModelTensor:
    scale, zeros = _quantization(given)
    if given.constant:
        return m.constant(name, _values(given), scale, zeros, axis=given.axis)
    if given.variable:
        return m.tensor(name, given.shape, given.dtype, scale, zeros, variable=True)
    return m.input(name, given.shape, given.dtype, scale, zeros)


def _made(m: ModelWriter, name: str, given: Given) -> ModelTensor:
    scale, zeros = _quantization(given)
    return m.tensor(name, given.shape, given.dtype, scale, zeros, axis=given.axis)


def _quantization(given: Given) -> tuple[tuple[float, ...], tuple[int, ...]]:
    if given.scale is None:
        return (), ()
    scales = given.scale if isinstance(given.scale, tuple) else (given.scale,)
    return scales, (given.zero_point,) * len(scales)


def _values(given: Given) -> Array:
    """Data of a constant; random where there was too much data to be written down."""
    dtype = np.dtype(given.dtype)
    if given.data:
        return np.array(given.data, dtype).reshape(given.shape)
    random = np.random.default_rng(0)
    if dtype.kind == "f":
        return random.normal(0, 1, given.shape).astype(dtype)
    low, high = (0, 2) if dtype.kind in "bu" else (-100, 101)
    return np.asarray(random.integers(low, high, given.shape)).astype(dtype)
