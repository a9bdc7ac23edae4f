"""Sums of weights times the elements under a window: their bounds, and the inputs that matter.

Convolutions and matrix products are, for every output channel and pixel,

    sum = bias + Σ over taps (row, column) inside the image, and over the input channels of the
          output channel's group, of weight * x

where x is lifted, that is without its zero point. A tap outside the image adds nothing.

The bounds are those of interval arithmetic, and exact: at any one pixel each x occurs once, so
that all of them can be at the worst end of their range at the same time. Which taps are inside
depends on the pixel alone, and a window meets few cases: `spans` lists them along both axes.
"""

from opsmith.op import *
from opsmith.op.channels import Mask
from runtimes.families.window import Spans

_AT_ONCE = 1 << 17  # weights that are in memory as 64-bit numbers at once
_FIRST = frozenset({(0, 1)})  # the first tap alone, as that of a window of one pixel


@dataclass(frozen=True)
class WeightedSums:
    """Weights, bias and window of one node's sums."""

    weights: Array  # [output channels, rows, columns, input channels of a group], signed
    zero_point: int  # of the weights
    bias: NDArray[np.int32]
    row_spans: Spans
    column_spans: Spans

    def bounds(self, x: Range) -> Range:
        """Bounds of the sum of each output channel for lifted x in this range."""
        low, high = (np.empty(len(self.bias), np.int64) for _ in range(2))
        for part, weights in self._parts():
            groups = self._groups(part, x)
            middle = _dot(weights, (x.low + x.high)[groups])  # twice, as the reach to both sides
            reach = _dot(np.abs(weights), (x.high - x.low)[groups])
            low[part] = self._over_cases((middle - reach) >> 1)[0]
            high[part] = self._over_cases((middle + reach) >> 1)[1]
        return Range(low + self.bias, high + self.bias)

    def needs(self, wanted: Mask, x: Range) -> Mask:
        """Mask of input channels on which the sums of the wanted output channels depend; for one
        group.

        A channel does not matter if all its weights are zero, or if it is constant and adds the
        same at every pixel: because it is zero, or because no tap with a weight lies outside the
        image.
        """
        found = np.zeros(len(x.low), np.bool_)
        for part, weights in self._parts():
            rows = weights[wanted[part]]
            found |= (rows != 0).any(axis=(0, 1, 2)) & ~x.constant
            for channel in np.flatnonzero(x.constant & (x.low != 0) & ~found):
                least, most = self._over_cases(rows[..., channel])
                found[channel] = bool((least != most).any())
        return found

    def folded(self, gone: Mask, x: Range) -> NDArray[np.int64]:
        """Share of each sum that comes from input channels outside of `needs`; for one group."""
        added = np.zeros(len(self.bias), np.int64)
        for part, weights in self._parts():
            lost = weights[..., gone]
            taps = _dot(lost, np.broadcast_to(x.low[gone], (len(lost), lost.shape[3])))
            added[part] = self._over_cases(taps)[0]
        return added

    def compacted(
        self, x: Range, kept_x: Mask, kept_y: Mask, constant: Mask
    ) -> tuple[Array, NDArray[np.int64]]:
        """Weights and bias that give the kept sums from the kept input channels; for one group.

        `kept_x` includes the channels of `needs`. The sum of an output channel that is constant
        only has to lie in its bounds, so that it needs no weights; rounding and clamping do the
        rest.
        """
        weights, bias = self.weights.copy(), self.bias + self.folded(~kept_x, x)
        weights[constant] = self.zero_point
        bias[constant] = self.bounds(x).low[constant]
        return weights[kept_y][..., kept_x], bias[kept_y]

    def _parts(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Weights less their zero point, for a slice of output channels at a time."""
        total = len(self.weights)
        step = max(_AT_ONCE // max(self.weights[:1].size, 1), 1)
        for start in range(0, total, step):
            part = slice(start, min(start + step, total))
            yield part, self.weights[part].astype(np.int64) - self.zero_point

    def _groups(self, part: slice, x: Range) -> NDArray[np.int64]:
        """Input channels of each of these output channels, a row for each."""
        depth = self.weights.shape[3]
        per_group = len(self.bias) // (len(x.low) // depth)
        group = np.arange(part.start, part.stop) // per_group
        return np.asarray(group[:, None] * depth + np.arange(depth), np.int64)

    def _over_cases(self, taps: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Smallest and largest sum of taps [channels, rows, columns] over all cases of a window."""
        if self.row_spans == self.column_spans == _FIRST:
            return taps[:, 0, 0], taps[:, 0, 0]
        strips = _over_spans(taps.transpose(1, 0, 2), self.row_spans)
        found = _over_spans(strips.transpose(2, 0, 1), self.column_spans)
        return found.min(axis=(0, 1)), found.max(axis=(0, 1))


def _over_spans(taps: NDArray[np.int64], spans: Spans) -> NDArray[np.int64]:
    """[span, ...]: sums of [tap, ...] over the taps of each span."""
    upto = np.zeros((len(taps) + 1, *taps.shape[1:]), np.int64)
    np.cumsum(taps, axis=0, out=upto[1:])
    first, end = np.array(sorted(spans)).T
    return np.asarray(upto[end] - upto[first])


def _dot(weights: NDArray[np.int64], x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over input channels: [n, rows, columns, channels] by [n, channels]."""
    return np.asarray(np.einsum("nrcd,nd->nrc", weights, x), np.int64)
