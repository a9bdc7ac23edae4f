"""The output of `run`: results for a person, and whether they equal the reference's bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.oracle.differences import difference, units
from opsmith.oracle.rules import TITLES
from opsmith.rig.arrays import Array
from opsmith.rig.build import PortTensor
from opsmith.text import escaped

LITERT = "LiteRT"
ORACLES = (LITERT, *TITLES.values())


def outputs_text(tensors: Sequence[PortTensor], outputs: Sequence[Array]) -> str:
    """One line or two for each output: its best classes or its first values."""
    return "\n".join(map(_output, tensors, outputs))


@dataclass(frozen=True)
class Tolerance:
    """By how much outputs may differ: |value - right| <= atol + rtol * |right|."""

    atol: float = 0.0
    rtol: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether bytes must be equal."""
        return not (self.atol or self.rtol)

    def allows(self, output: Array, reference: Array) -> bool:
        """Whether an output is right."""
        if not _alike(output, reference):
            return False
        if self.exact:
            return output.tobytes() == reference.tobytes()
        return not difference(output, reference, self.atol, self.rtol).beyond

    def claim(self, by: str) -> str:
        """Claim about outputs that are right by this reference: "bit-exact with …", or the
        tolerance.
        """
        if self.exact:
            return f"bit-exact with {by}" if by in ORACLES else f"equal to {by}"
        return f"within atol={self.atol:g} rtol={self.rtol:g} of {by}"


EXACT = Tolerance()


def comparison_text(
    tensors: Sequence[PortTensor],
    outputs: Sequence[Array],
    expected: Sequence[Array],
    by: str = LITERT,
    remark: str = "",
    tolerance: Tolerance = EXACT,
    sound: bool = True,
) -> tuple[bool, str]:
    """Whether all outputs are right, and the lines that say so and how they differ.

    `sound` says whether the reference itself is what it should be.
    """
    right = sound and all(map(tolerance.allows, outputs, expected))
    differences = [
        f"  {escaped(tensor.name)}: {_difference(output, reference)}"
        for tensor, output, reference in zip(tensors, outputs, expected, strict=True)
        if not EXACT.allows(output, reference)
    ]
    because = f" ({remark})" if remark else ""
    verdict = f"{tolerance.claim(by)}: {'yes' if right else 'no'}{because}"
    return right, "\n".join([verdict, *differences])


def _output(tensor: PortTensor, values: Array) -> str:
    head = f"{escaped(tensor.name)}: {tensor.dtype}{list(tensor.shape)}"
    flat = values.reshape(-1)
    real = _real(tensor, flat)
    if 1 < flat.size <= 10_000 and flat.size == tensor.shape[-1]:
        best = np.argsort(-real, kind="stable")[:3]
        top = ", ".join(f"{index} ({real[index]:.4g})" for index in best)
        return f"{head}\n  highest: {top}"
    first = ", ".join(f"{value:.4g}" for value in real[:8])
    return f"{head}\n  values: {first}{', …' if flat.size > 8 else ''}"


def _real(tensor: PortTensor, values: Array) -> Array:
    """The values dequantised, where there is a scale."""
    real = values.astype(np.float64)
    return real if tensor.scale is None else (real - (tensor.zero_point or 0)) * tensor.scale


def _alike(output: Array, reference: Array) -> bool:
    return output.dtype == reference.dtype and output.shape == reference.shape


def _difference(output: Array, reference: Array) -> str:
    if not _alike(output, reference):
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
    most = units(output, reference)
    return f" ({most} unit{'s' * (most != 1)} in the last place)"
