"""The output of `run`: results for a person, and whether they equal the reference's bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsmith.rig.arrays import Array
from opsmith.rig.build import Tensor
from opsmith.rig.text import escaped
from opsmith.testing.differences import place


def outputs_text(tensors: Sequence[Tensor], outputs: Sequence[Array]) -> str:
    """One line or two for each output: its best classes or its first values."""
    return "\n".join(map(_output, tensors, outputs))


def comparison_text(
    tensors: Sequence[Tensor],
    outputs: Sequence[Array],
    expected: Sequence[Array],
    claim: str = "bit-exact with LiteRT",
    remark: str = "",
) -> tuple[bool, str]:
    """Whether all bytes are equal, and the lines that say whether the claim holds."""
    wrong = [
        f"  {escaped(tensor.name)}: {_difference(output, reference)}"
        for tensor, output, reference in zip(tensors, outputs, expected, strict=True)
        if not _same(output, reference)
    ]
    verdict = f"{claim}: {'no' if wrong else 'yes'}{f' ({remark})' if remark else ''}"
    return not wrong, "\n".join([verdict, *wrong])


def _output(tensor: Tensor, values: Array) -> str:
    head = f"{escaped(tensor.name)}: {tensor.dtype}{list(tensor.shape)}"
    flat = values.reshape(-1)
    real = _real(tensor, flat)
    if 1 < flat.size <= 10_000 and flat.size == tensor.shape[-1]:
        best = np.argsort(-real, kind="stable")[:3]
        top = ", ".join(f"{index} ({real[index]:.4g})" for index in best)
        return f"{head}\n  highest: {top}"
    first = ", ".join(f"{value:.4g}" for value in real[:8])
    return f"{head}\n  values: {first}{', …' if flat.size > 8 else ''}"


def _real(tensor: Tensor, values: Array) -> Array:
    """The values dequantised, where there is a scale."""
    real = values.astype(np.float64)
    return real if tensor.scale is None else (real - (tensor.zero_point or 0)) * tensor.scale


def _same(output: Array, reference: Array) -> bool:
    alike = output.dtype == reference.dtype and output.shape == reference.shape
    return alike and output.tobytes() == reference.tobytes()


def _difference(output: Array, reference: Array) -> str:
    if output.dtype != reference.dtype or output.shape != reference.shape:
        what = f"{output.dtype}{list(output.shape)}"
        return f"{what} where {reference.dtype}{list(reference.shape)} is right"
    ours, theirs = output.astype(np.float64), reference.astype(np.float64)
    unequal = int(np.count_nonzero(output != reference))
    most = float(np.max(np.abs(ours - theirs))) if ours.size else 0.0
    return f"{unequal} of {output.size} values differ, by up to {most:g}{_units(output, reference)}"


def _units(output: Array, reference: Array) -> str:
    """The largest difference of floats in units in the last place."""
    if output.dtype != np.float32 or not (np.isfinite(output) & np.isfinite(reference)).all():
        return ""
    most = int(np.max(np.abs(place(output) - place(reference)), initial=0))
    return f" ({most} unit{'s' * (most != 1)} in the last place)"
