"""Numerical differences between two arrays of equal type."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from opsmith.ir import Array


@dataclass(frozen=True)
class Difference:
    """Difference of values from a reference. NaN equals NaN, and -0 equals 0."""

    elements: int
    differing: int
    beyond: int  # elements beyond the tolerance
    max_abs: float  # over finite elements
    max_rel: float  # relative to the larger of both values, over finite elements
    not_finite: int  # number of NaN and infinities in the values
    right_not_finite: int  # number of NaN and infinities in the reference


@dataclass(frozen=True)
class Comparison:
    """Comparison of the outputs of a node, run after run, with reference values."""

    runs: int
    right_runs: int
    difference: Difference | None  # over all runs; None if nothing could be compared
    first: int | None  # number of the first run that exceeds the tolerance, or is missing


def compared(
    values: Sequence[Array | None], right: Sequence[Array | None] | None, atol: float, rtol: float
) -> Comparison:
    """Comparison of all runs of a node; `right` is None where the node has no counterpart."""
    if right is None:
        return Comparison(len(values), len(values), None, None)
    each = [_comparable(*pair, atol, rtol) for pair in zip(values, right, strict=False)]
    beyond = [run for run, found in enumerate(each, start=1) if found is not None and found.beyond]
    beyond += [] if len(values) == len(right) else [len(each) + 1]
    known = [found for found in each if found is not None]
    together = reduce(_added, known) if known else None
    return Comparison(len(values), len(right), together, beyond[0] if beyond else None)


def _comparable(
    values: Array | None, right: Array | None, atol: float, rtol: float
) -> Difference | None:
    if values is None or right is None:
        return None
    if (_sizes(values), values.dtype) != (_sizes(right), right.dtype):
        return None
    return difference(values, right, atol, rtol)


def _sizes(array: Array) -> list[int]:
    """Return the shape without axes of size 1, whose places the compiler chooses."""
    return [size for size in array.shape if size != 1]


def _added(one: Difference, other: Difference) -> Difference:
    return Difference(
        one.elements + other.elements,
        one.differing + other.differing,
        one.beyond + other.beyond,
        max(one.max_abs, other.max_abs),
        max(one.max_rel, other.max_rel),
        one.not_finite + other.not_finite,
        one.right_not_finite + other.right_not_finite,
    )


def difference(values: Array, right: Array, atol: float, rtol: float) -> Difference:
    """Difference of values from right ones; too far if |value - right| > atol + rtol * |right|."""
    one, other = values.reshape(-1), right.reshape(-1)
    finite = np.isfinite(one) & np.isfinite(other)
    with np.errstate(all="ignore"):
        equal = (one == other) | (np.isnan(one) & np.isnan(other))
        distance = np.where(equal, 0.0, _distance(one, other))
        size = np.maximum(_size(one), _size(other))
        beyond = ~equal & ~(finite & (distance <= atol + rtol * _size(other)))
        relative = np.where(equal | (size == 0), 0.0, distance / np.where(size == 0, 1.0, size))
    return Difference(
        elements=one.size,
        differing=int(np.count_nonzero(~equal)),
        beyond=int(np.count_nonzero(beyond)),
        max_abs=float(np.max(distance, where=finite, initial=0.0)),
        max_rel=float(np.max(relative, where=finite, initial=0.0)),
        not_finite=int(np.count_nonzero(~np.isfinite(one))),
        right_not_finite=int(np.count_nonzero(~np.isfinite(other))),
    )


def _distance(one: Array, other: Array) -> Array:
    """|one - other|, computed exactly for integers of any width, then rounded to a float."""
    if one.dtype.kind in "iu":
        low, high = np.minimum(one, other), np.maximum(one, other)
        apart: Array = high.astype(np.uint64) - low.astype(np.uint64)  # modulo 2**64, so exact
        return apart.astype(np.float64)
    found: Array = np.abs(one.astype(np.float64) - other.astype(np.float64))
    return found


def _size(values: Array) -> Array:
    found: Array = np.abs(values.astype(np.float64))
    return found


def by_most(apart: Array) -> str:
    """Clause about distances of elements that differ, which are NaN where an element is."""
    numbers = apart[~np.isnan(apart)]
    said = []
    if numbers.size:
        most = float(np.max(numbers))
        said.append(f"by up to {most:.10g}" if most.is_integer() else f"by up to {most:g}")
    if numbers.size < apart.size:
        said.append("where one or both are NaN")
    return " and ".join(said)


def beyond(got: Array, want: Array, ulps: int, ulps_at: float = 0.0) -> Array:
    """Mask of elements that differ by more than `ulps` units in the last place, or at all if 0."""
    if ulps and want.dtype == np.float32:
        distance = np.abs(place(got) - place(want))
        within = (distance <= ulps) | (np.isnan(got) & np.isnan(want))
        if ulps_at:
            least = ulps * np.spacing(np.float32(ulps_at)).astype(np.float64)
            within |= np.abs(got.astype(np.float64) - want) <= least
        return np.asarray(~within)
    one, other = (each.view(f"u{want.dtype.itemsize}") for each in (got, want))
    return np.asarray(one != other)


def unsigned_nan(values: Array) -> Array:
    """Values in which every NaN is positive: processors differ in the sign of zero times infinity,
    and LiteRT's outputs with them.
    """
    if values.dtype.kind != "f":
        return values
    return np.where(np.isnan(values), np.copysign(values, values.dtype.type(1)), values)


def place(x: Array) -> Array:
    """Ordinal of each float32 among all float32 values; both zeros have 0."""
    bits = x.view(np.int32).astype(np.int64)
    return np.asarray(np.where(bits < 0, -(bits & 0x7FFFFFFF), bits))


def units(one: Array, other: Array) -> int:
    """Largest difference of float32 arrays in units in the last place; NaN equals NaN."""
    apart = np.abs(place(one) - place(other))
    return int(np.max(apart, where=~(np.isnan(one) & np.isnan(other)), initial=0))
