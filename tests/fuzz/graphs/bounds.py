"""By how much an op's floats may differ from LiteRT's."""

from dataclasses import dataclass

from opsmith.testing.known_ops import shipped_ops


@dataclass(frozen=True)
class Bound:
    """Error bound in units in the last place of an element, or of `at` where that is larger."""

    ulps: int = 0
    at: float = 0.0


def bound(op: str, dtype: str) -> Bound:
    """Error bound of TFLite's operator `op` for elements of type `dtype`."""
    found = shipped_ops().by_name.get(op.lower())
    variants = found.op.variants if found is not None and dtype == "float32" else ()
    return max((Bound(v.ulps, v.ulps_at) for v in variants), key=_size, default=Bound())


def _size(bound: Bound) -> tuple[int, float]:
    return bound.ulps, bound.at
