"""Differences between results and those of an oracle, by case and element."""

from collections.abc import Sequence

import numpy as np

from opsmith.ir import Array
from opsmith.oracle.differences import beyond, unsigned_nan
from opsmith.oracle.litert import Detail

SHOWN = 4  # differing elements that a failure shows
Results = Sequence[Sequence[Array]]  # results by set of inputs, then by output


def assert_equal(
    by: str,
    details: Sequence[Detail],
    results: Results,
    wanted: Results,
    ulps: int = 0,
    ulps_at: float = 0.0,
    *,
    signs_of_nan: bool = True,
) -> None:
    """Fail with every output whose bytes differ: case, tensor, number of elements, and the first
    ones.

    Elements of float32 may differ by `ulps` units in the last place, of themselves or of `ulps_at`
    where that is larger; NaN then equals NaN. Without `signs_of_nan` a NaN equals that of the other
    sign: processors differ in the sign of zero times infinity.
    """
    if not signs_of_nan:
        results, wanted = (
            [[unsigned_nan(x) for x in each] for each in some] for some in (results, wanted)
        )
    problems = {}
    for number, (got, want) in enumerate(zip(results, wanted, strict=True)):
        for detail, one, other in zip(details, got, want, strict=True):
            different = _difference(one, other, ulps, ulps_at)
            if different and detail.name not in problems:
                case, _, tensor = detail.name.partition("/")
                problems[detail.name] = f"case {case}, {tensor}, input set {number}: {different}"
    text = "\n".join(problems.values())
    if problems:  # not assert, since pytest would extend its text
        raise AssertionError(f"{len(problems)} of {len(details)} outputs by {by} differ:\n{text}")


def _difference(got: Array, want: Array, ulps: int, ulps_at: float) -> str:
    """Text about the elements that differ by more than the bound, or about a wrong type or shape;
    empty when nothing differs.
    """
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)} where the oracle has {want.dtype}{list(want.shape)}"
    (where,) = np.nonzero(beyond(np.ravel(got), np.ravel(want), ulps, ulps_at))
    first = ", ".join(
        f"[{i}] {got.reshape(-1)[i]} instead of {want.reshape(-1)[i]}" for i in where[:SHOWN]
    )
    return f"{len(where)} of {want.size} elements differ: {first}" if len(where) else ""
