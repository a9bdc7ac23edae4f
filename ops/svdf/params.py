"""Params of int8 kernels of SVDF."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.per_channel import bias_of


@dataclass(frozen=True, kw_only=True)
class SvdfSums:
    """Sizes, and requantisation of sums of features to the state, and of sums over time to y."""

    batches: int
    depth: int  # elements of x in a batch
    units: int  # elements of y in a batch
    rank: int  # filters of a unit
    memory: int  # elements of the state for a filter
    y_zero_point: int
    state_multiplier: int  # Q31
    state_shift: int
    y_multiplier: int
    y_shift: int


@dataclass(frozen=True, kw_only=True)
class Params(SvdfSums):
    """Sizes and requantisation, and zero points that other kernels keep in constants."""

    x_zero_point: int
    state_zero_point: int


def ratios(node: NodeView) -> tuple[tuple[int, int], tuple[int, int]]:
    """(multiplier, shift) of sums of features, and of sums over time, in single precision."""
    x, features, time, state, y = (
        np.float32(node[name].scale) for name in ("x", "features", "time", "state", "y")
    )
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = float(x * features / state), float(state * time / y)
    return quantize_multiplier(found[0]), quantize_multiplier(found[1])


FACTS: Facts = {
    "batches": lambda node: node["x"].shape[0],
    "depth": lambda node: node["x"].shape[1],
    "units": lambda node: node["y"].shape[1],
    "memory": lambda node: node["time"].shape[1],
    "x_zero_point": lambda node: node["x"].zero_point,
    "state_zero_point": lambda node: node["state"].zero_point,
    "y_zero_point": lambda node: node["y"].zero_point,
    "state_multiplier": lambda node: ratios(node)[0][0],
    "state_shift": lambda node: ratios(node)[0][1],
    "y_multiplier": lambda node: ratios(node)[1][0],
    "y_shift": lambda node: ratios(node)[1][1],
    "features": lambda node: node["features"].data,
    "time": lambda node: node["time"].data,
    "bias": bias_of,
}


def feature_bias(node: NodeView) -> NDArray[np.int64]:
    """Addend of each filter's sum, from the zero point of x."""
    sums = node["features"].data.sum(axis=1, dtype=np.int64)
    return np.asarray(-node["x"].zero_point * sums, np.int64)


def macs(node: NodeView) -> int:
    """Number of multiplications: by features, and over time."""
    return node["x"].shape[0] * (node["features"].elements + node["time"].elements)
