"""Words for outputs and their differences, and the tolerance by which outputs are right."""

from dataclasses import dataclass

import numpy as np

from opsmith.oracle.differences import beyond, by_most, difference, units, unsigned_nan
from opsmith.oracle.rules import TITLES
from opsmith.rig.arrays import Array
from opsmith.rig.build import PortTensor
from opsmith.rig.metrics import is_vector, real_values

LITERT = "LiteRT"
ORACLES = (LITERT, *TITLES.values())


@dataclass(frozen=True)
class Tolerance:
    """Bound on the difference of outputs: |value - right| <= atol + rtol * |right|."""

    atol: float = 0.0
    rtol: float = 0.0

    @property
    def exact(self) -> bool:
        """True if outputs must have equal bytes, but for signs of NaN."""
        return not (self.atol or self.rtol)

    def allows(self, output: Array, reference: Array) -> bool:
        """True if an output is within the tolerance of its reference."""
        if not _alike(output, reference):
            return False
        if self.exact:
            return not _unequal(output, reference).any()
        return not difference(output, reference, self.atol, self.rtol).beyond

    def claim(self, by: str) -> str:
        """Claim about outputs right by a reference: "bit-exact with …", or the tolerance."""
        if self.exact:
            return f"bit-exact with {by}" if by in ORACLES else f"equal to {by}"
        return f"within atol={self.atol:g} rtol={self.rtol:g} of {by}"


EXACT = Tolerance()


def values_text(tensor: PortTensor, values: Array) -> str:
    """Type and shape of an output, and below it its best classes or its first values."""
    head, real = f"{tensor.dtype}{list(tensor.shape)}", real_values(tensor, values)
    if is_vector(tensor) and real.size <= 10_000:
        best = np.argsort(-real, kind="stable")[:3]
        top = ", ".join(f"{index} ({real[index]:.4g})" for index in best)
        return f"{head}\n  highest: {top}"
    first = ", ".join(f"{value:.4g}" for value in real[:8])
    return f"{head}\n  values: {first}{', …' if real.size > 8 else ''}"


def _alike(output: Array, reference: Array) -> bool:
    return output.dtype == reference.dtype and output.shape == reference.shape


def difference_text(output: Array, reference: Array) -> str:
    """Difference of two arrays in words."""
    if not _alike(output, reference):
        what = f"{output.dtype}{list(output.shape)}"
        return f"{what} where {reference.dtype}{list(reference.shape)} is right"
    unequal = _unequal(output, reference)
    ours, theirs = (each[unequal].astype(np.float64) for each in (output, reference))
    with np.errstate(invalid="ignore"):
        apart = np.abs(ours - theirs)
    differ = f"{ours.size} of {output.size} values differ"
    return f"{differ}, {by_most(apart)}{_units(output, reference)}"


def _unequal(output: Array, reference: Array) -> Array:
    """Mask of elements whose bytes differ, but for signs of NaN."""
    return beyond(unsigned_nan(output), unsigned_nan(reference), 0)


def _units(output: Array, reference: Array) -> str:
    """Largest difference of floats in units in the last place, as text."""
    if output.dtype != np.float32 or not (np.isfinite(output) & np.isfinite(reference)).all():
        return ""
    most = units(output, reference)
    return f" ({most} unit{'s' * (most != 1)} in the last place)"
