"""Places in x of the pixels of a resized image, and interpolation between neighbours."""

from opsmith.op import *
from runtimes.families.resize import scale

UNIT = 1024  # of a pixel, for integers
FINE = 2048  # of a pixel, for int8 by XNNPACK


@dataclass(frozen=True)
class Places:
    """Places in x of the pixels of y along an axis, each between two pixels."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    beyond: NDArray[Any]  # the first of them: pixels, or 1/1024 pixels for integers


def integer_scale(node: NodeView, before: int, after: int) -> int:
    """Distance in x of neighbouring pixels of y, in 1/1024 pixels."""
    corners = int(node.attributes["align_corners"] and after > 1)
    return (UNIT * (before - corners) + (after - corners) // 2) // (after - corners)


def integer_places(node: NodeView, before: int, after: int) -> Places:
    """Places for int8 and int16 along an axis, in 1/1024 pixels."""
    step = integer_scale(node, before, after)
    first = step // 2 - UNIT // 2 if node.attributes["half_pixel_centers"] else 0
    at = np.arange(after, dtype=np.int64) * step + first
    low = np.maximum(at, 0) // UNIT
    return Places(low, np.minimum(-(-at // UNIT), before - 1), at - low * UNIT)


def real_places(node: NodeView, before: int, after: int) -> Places:
    """Places for float32 and uint8 along an axis, in float."""
    at = np.arange(after).astype(np.float32)
    if node.attributes["half_pixel_centers"]:
        at = (at + np.float32(0.5)) * scale(node, before, after) - np.float32(0.5)
    else:
        at = at * scale(node, before, after)
    low = np.maximum(np.floor(at).astype(np.int64), 0)
    high = np.minimum(np.ceil(at).astype(np.int64), before - 1)
    return Places(low, high, at - low.astype(np.float32))


def fine_places(node: NodeView, before: int, after: int) -> Places:
    """XNNPACK's places for int8 along an axis, in 1/2048 pixels, computed in float."""
    one, corners = np.float32(1), int(node.attributes["align_corners"] and after != 1)
    step = np.float32(before - corners) / np.float32(after - corners)
    at = np.arange(after).astype(np.float32) * step
    if node.attributes["half_pixel_centers"]:
        at = np.maximum(at + (np.float32(0.5) * step - np.float32(0.5) * one), np.float32(0))
    at = np.minimum(at, np.float32(before - 1))
    low = at.astype(np.int64)
    beyond = np.rint((at - low.astype(np.float32)) * np.float32(FINE)).astype(np.int64)
    return Places(low, np.minimum(low + 1, before - 1), beyond)


def interpolated(x: Array, rows: Places, columns: Places, one: int | np.float32) -> Array:
    """Sums of weighted pixels, in TFLite's order."""
    down, right = rows.beyond[:, None, None], columns.beyond[:, None]
    up, left = one - down, one - right
    low, high = x[:, rows.low], x[:, rows.high]
    sums: Array = (
        low[:, :, columns.low] * up * left
        + high[:, :, columns.low] * down * left
        + low[:, :, columns.high] * up * right
        + high[:, :, columns.high] * down * right
    )
    return sums
