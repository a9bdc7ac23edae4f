"""Parts that ops of StableHLO's operators share: pairs, borders and reduced windows."""

import functools

from opsmith.op import *
from runtimes.families.spread import SpreadAxis

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
    """StableHLO's operator of a and b of one shape and one of these types; `turned` puts b first.
    An op that it `extends` takes the operator's other types.
    """

    def fits(node: NodeView) -> bool:
        return node["a"].dtype in types and node["a"].shape == node["b"].shape

    inputs = (1, 0) if turned else None
    return Rename(f"tflite.STABLEHLO_{operator}", inputs=inputs, when=fits, extends=extends)


def bordered(size: int, low: int, high: int, inner: int) -> SpreadAxis:
    """Axis of x with borders, which crop if negative, and `inner` elements between its own."""
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
    """Windows that slide along an axis of x."""

    size: int  # of x
    window: int
    stride: int
    dilation: int

    @property
    def count(self) -> int:
        """Number of positions within x. Raises OpError where there is none."""
        left = self.size - (self.window - 1) * self.dilation - 1
        if left < 0:
            what = f"no window of {self.window} with dilation {self.dilation}"
            raise OpError(f"an axis of {self.size} has {what}")
        return left // self.stride + 1

    def at(self, position: int) -> slice:
        """Slice of the elements of x that windows have at this position within the window."""
        start = position * self.dilation
        return slice(start, start + (self.count - 1) * self.stride + 1, self.stride)


def reduction_problems(x: Tensor, reduction: str) -> Iterator[str]:
    """Sentence about sums of booleans, for which LiteRT gives bytes other than 0 and 1."""
    if x.dtype == boolean and reduction == "ADD":
        yield "sums of bool are not supported; ANY and LOGICAL_OR are"


def reduced(reduction: str, axes: Sequence[Windows], x: Array, first: Array) -> Array:
    """Reduction of each window's elements in order, in numpy."""
    found = np.full([axis.count for axis in axes], first.reshape(-1)[0])
    places = np.ndindex(*(axis.window for axis in axes))
    taken = (tuple(a.at(at) for a, at in zip(axes, place, strict=True)) for place in places)
    with np.errstate(all="ignore"):
        return functools.reduce(REDUCTIONS[reduction], (x[each] for each in taken), found)
