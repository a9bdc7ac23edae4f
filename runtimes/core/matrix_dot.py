"""Dot products of float32 in the order of LiteRT's matrix product: matrix_dot.h in numpy."""

import numpy as np

from runtimes.core.lane_dot import LANES, Floats, paired_lane_dot

DEEPEST = 680  # of deeper products LiteRT adds up parts, whose sizes follow its machine's caches
SMALL, TILE, VECTORS = 20, 4, 4


def matrix_dots(x: Floats, weights: Floats) -> Floats:
    """Products [rows][columns] of x [rows][depth] and weights [columns][depth]."""
    (rows, depth), columns = x.shape, len(weights)
    with np.errstate(all="ignore"):
        products = x[:, np.newaxis] * weights
        if rows == columns == 1:
            return _by_vectors(products)
        if 1 in (rows, columns) or rows + columns + depth < SMALL:
            return paired_lane_dot(x[:, np.newaxis], weights)
        found = _interleaved(products, 1, 1)
        in_tile = rows // TILE * TILE
        for width, sums, block in ((2 * TILE, 2, 8), (TILE, 4, 4)):
            first = columns // width * width
            found[:in_tile, first:] = _interleaved(products[:in_tile, first:], sums, block)
    return found


def _interleaved(products: Floats, sums: int, block: int) -> Floats:
    """Sums of every `sums`-th product of whole blocks, added in pairs, plus the products left."""
    whole = products.shape[-1] // block * block
    parts = np.zeros((*products.shape[:-1], sums), np.float32)
    for start in range(0, whole, sums):
        parts = parts + products[..., start : start + sums]
    while parts.shape[-1] > 1:
        parts = parts[..., 0::2] + parts[..., 1::2]
    return _with_rest(parts[..., 0], products, whole)


def _by_vectors(products: Floats) -> Floats:
    """Sums in four vectors of lanes, of which the last is added to the third, and so on."""
    whole = products.shape[-1] // LANES * LANES
    lanes = np.zeros((VECTORS, *products.shape[:-1], LANES), np.float32)
    for start in range(0, whole, LANES):
        lanes[start // LANES % VECTORS] += products[..., start : start + LANES]
    total = ((lanes[3] + lanes[2]) + lanes[1]) + lanes[0]
    paired = (total[..., 0] + total[..., 2]) + (total[..., 1] + total[..., 3])
    return _with_rest(paired, products, whole)


def _with_rest(total: Floats, products: Floats, whole: int) -> Floats:
    for i in range(whole, products.shape[-1]):
        total = total + products[..., i]
    return np.asarray(total, np.float32)
