"""log(x) of float32: real_logarithm.h in numpy."""

import math

import numpy as np

from opsmith.ir import Array
from runtimes.core.formula import in_core

_LEAST = np.uint32(0x3F330000)  # the bits of 0.7
_DIGITS = """\
0x1.661ec79f8f3bep+0 0x1.571ed4aaf883dp+0 0x1.49539f0f010bp+0 0x1.3c995b0b80385p+0
0x1.30d190c8864a5p+0 0x1.25e227b0b8eap+0 0x1.1bb4a4a1a343fp+0 0x1.12358f08ae5bap+0
0x1.0953f419900a7p+0 0x1p+0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1
0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1"""
RECIPROCALS = np.array([*map(float.fromhex, _DIGITS.split())])
_LOGARITHMS = np.array([-math.log(each) for each in RECIPROCALS])
_LOG_2 = math.log(2)
_QUARTIC, _CUBIC, _SQUARE = map(
    float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")
)


@in_core
def real_logarithm(x: Array) -> Array:
    """log(x), rounded to float32; NaN for negative x."""
    with np.errstate(all="ignore"):
        near, rest, powers = reduced(x)
        r = rest * RECIPROCALS[near] - 1
        square = r * r
        high = _QUARTIC * square + (_CUBIC * r + _SQUARE)
        found = high * square + ((_LOGARITHMS[near] + powers * _LOG_2) + r)
        edges = (~(x > 0) & ~(x < 0) & (x != 0), x < 0, x == 0, x == np.inf)
        values = (x + x, np.float32(-math.nan), np.float32(-np.inf), x)
        return np.select(edges, values, found.astype(np.float32))


def reduced(x: Array) -> tuple[Array, Array, Array]:
    """(sixteenth of [0.7, 1.4) in which scaled x lies, scaled x, power of two) of positive x."""
    subnormal = x < np.float32(2.0**-126)
    normal = np.where(subnormal, x * np.float32(2**23), x)
    bits = np.ascontiguousarray(normal, np.float32).view(np.uint32).reshape(x.shape)
    from_least = bits - _LEAST
    near = from_least >> np.uint32(19) & np.uint32(15)
    rest = (bits - (from_least & np.uint32(0xFF800000))).view(np.float32).astype(np.float64)
    return near, rest, (from_least.view(np.int32) >> 23) - np.where(subnormal, 23, 0)
