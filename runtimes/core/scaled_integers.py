"""Rows of float32 that are small integers times a scale per row, as dequantised weights are."""

from opsmith.op import *

LEAST, MOST = -128, 127
SOME = 16  # elements of a row, enough to rule out most wrong scales
_MAGNITUDES = np.arange(1, 129)


@dataclass(frozen=True)
class ScaledIntegers:
    """Integers and row scales whose products, rounded to float32, are given floats."""

    values: NDArray[np.int8]  # [rows][elements]
    scales: NDArray[np.float32]  # of each row
    bits: int  # that hold all values: 2, 4 or 8


def scaled_integers(rows: NDArray[np.float32]) -> ScaledIntegers | Refused:
    """Integers of fewest bits and their scales for rows of float32, or Refused for other floats."""
    values, scales = np.zeros(rows.shape, np.int8), np.ones(len(rows), np.float32)
    for number, row in enumerate(rows):
        found = _integers(row)
        if found is None:
            return Refused(f"channel {number} is no integers of 8 bits times a scale")
        values[number], scales[number] = found
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    held = (bits for bits in (2, 4) if -(1 << bits - 1) <= least and most < 1 << bits - 1)
    return ScaledIntegers(values, scales, next(held, 8))


def _integers(row: NDArray[np.float32]) -> tuple[NDArray[np.int8], np.float32] | None:
    largest = np.abs(row).max(initial=0)
    if not largest:
        return None if np.signbit(row).any() else (np.zeros(row.shape, np.int8), np.float32(1))
    if not np.isfinite(largest):
        return None
    some = row[np.argsort(-np.abs(row[: 8 * SOME]), kind="stable")[:SOME]]
    for scale in _scales(largest, some):
        values = np.clip(np.rint(row.astype(np.float64) / scale), LEAST, MOST).astype(np.int8)
        if (values.astype(np.float32) * scale).tobytes() == row.tobytes():
            return values, scale
    return None


def _scales(largest: np.float32, some: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scales at which `largest` and the elements `some` are small integers, the largest first."""
    near = (largest / _MAGNITUDES).astype(np.float32)
    around = [np.nextafter(near, np.float32(0)), near, np.nextafter(near, np.float32(np.inf))]
    scales = np.stack(around, axis=1).reshape(-1)
    scales = scales[scales > 0]
    with np.errstate(over="ignore"):
        values = np.rint(some / scales[:, np.newaxis].astype(np.float64)).astype(np.float32)
        fitting = values * scales[:, np.newaxis] == some
    found: NDArray[np.float32] = scales[fitting.all(axis=1)]
    return found
