"""Pairs, borders and reduced windows, which ops of StableHLO's operators share."""

import functools

from opsmith.op import *
from opsmith.runtimes.families.spread import SpreadAxis

# What a reduction is called, and its function of what was found so far and the next element.
REDUCTIONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "ADD": np.add,
    "MUL": np.multiply,
    "MINIMUM": lambda found, x: np.where(found <= x, found, x),
    "MAXIMUM": lambda found, x: np.where(found >= x, found, x),
    "ALL": lambda found, x: np.logical_and(found, x).astype(x.dtype),
    "ANY": lambda found, x: np.logical_or(found, x).astype(x.dtype),
}


def of_pairs(operator: str, *types: DType, turned: bool = False, extends: str = "") -> Rename:
    """StableHLO's operator of a and b, which have one shape and one of these types; b comes first
    where it is `turned`. An op that it `extends` takes the operator's other types.
    """

    def fits(node: NodeView) -> bool:
        return node["a"].dtype in types and node["a"].shape == node["b"].shape

    inputs = (1, 0) if turned else None
    return Rename(f"tflite.STABLEHLO_{operator}", inputs=inputs, when=fits, extends=extends)


def bordered(size: int, low: int, high: int, inner: int) -> SpreadAxis:
    """An axis of x with borders, which crop it where they are negative, and elements between."""
    if inner < 0:
        raise OpError(f"{inner} elements between others are too few")
    step = inner + 1
    length = low + (size - 1) * step + 1 + high
    if length < 1:
        raise OpError(f"an axis of {size} with borders of {low} and {high} has no elements left")
    start = max(0, -(low // step))
    end = min(size, -((low - length) // step))
    if start >= end:
        return SpreadAxis(length, 0)
    return SpreadAxis(length, end - start, start, low + start * step, step)


@dataclass(frozen=True)
class Windows:
    """Windows along an axis of x."""

    size: int  # of x
    window: int
    stride: int
    dilation: int

    @property
    def count(self) -> int:
        """Number of positions, all within x. Raises OpError where there is none."""
        left = self.size - (self.window - 1) * self.dilation - 1
        if left < 0:
            what = f"no window of {self.window} with dilation {self.dilation}"
            raise OpError(f"an axis of {self.size} has {what}")
        return left // self.stride + 1

    def at(self, position: int) -> slice:
        """The elements of x that all windows have at this position."""
        start = position * self.dilation
        return slice(start, start + (self.count - 1) * self.stride + 1, self.stride)


def reduction_problems(x: Tensor, reduction: str) -> Iterator[str]:
    """A sentence for sums of booleans, of which LiteRT makes bytes that are none."""
    if x.dtype == boolean and reduction == "ADD":
        yield "sums of bool are not supported; ANY and LOGICAL_OR are"


def reduced(reduction: str, axes: Sequence[Windows], x: Array, first: Array) -> Array:
    """The reduction of each window's elements, one after the other, in numpy."""
    found = np.full([axis.count for axis in axes], first.reshape(-1)[0])
    places = np.ndindex(*(axis.window for axis in axes))
    taken = (tuple(a.at(at) for a, at in zip(axes, place, strict=True)) for place in places)
    with np.errstate(all="ignore"):
        return functools.reduce(REDUCTIONS[reduction], (x[each] for each in taken), found)
