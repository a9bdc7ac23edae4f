"""Attribute values, checked and converted to their declared types."""

from typing import Any

import numpy as np

from opsmith.errors import shown
from opsmith.ir import Array, DType
from opsmith.op.declare import Attribute, ListOf, OpError

SCALARS = (bool, int, float, str, bytes)


def typed(attribute: Attribute, value: Any) -> Any:
    """Value converted to the type of an attribute. Raises OpError for a value that does not fit."""
    found = _typed(attribute, value)
    if attribute.choices and found not in attribute.choices:
        known = ", ".join(map(str, attribute.choices))
        raise OpError(f"attribute '{attribute.name}' is {shown(value)}; known are {known}")
    return found


def type_name(kind: type | ListOf | DType) -> str:
    """Type of an attribute in words, for messages."""
    if isinstance(kind, ListOf):
        return f"list of {kind.type.__name__}"
    return f"array of {kind.name}" if isinstance(kind, DType) else kind.__name__


def _typed(attribute: Attribute, value: Any) -> Any:
    kind = attribute.type
    wrong = OpError(f"attribute '{attribute.name}' is {shown(value)}, no {type_name(kind)}")
    if isinstance(kind, DType):
        made = _array(kind, value)
        if made is None:
            raise wrong
        return made
    if isinstance(kind, ListOf):
        if not isinstance(value, list | tuple | np.ndarray):
            raise wrong
        items = [_scalar(kind.type, item) for item in value]
    else:
        items = [_scalar(kind, value)]
    if any(item is None for item in items):
        raise wrong
    return tuple(items) if isinstance(kind, ListOf) else items[0]


def _array(kind: DType, value: Any) -> Array | None:
    """Value as an array of an element type, else None. Integers stay, floats are rounded."""
    try:
        given = np.asarray(value)
    except (ValueError, OverflowError):  # lists of unequal lengths
        return None
    if given.dtype.kind not in "biuf" or not np.all(np.isfinite(given)):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        made = given.astype(kind.numpy)
    same = np.isfinite(made) if kind.numpy.kind == "f" else made == given
    return made if np.all(same) else None


def _scalar(kind: type, value: Any) -> Any:
    """Value as a scalar type, else None. An int serves as float and, if 0 or 1, as bool."""
    if isinstance(value, np.generic):
        value = value.item()
    if kind is bool and type(value) in (bool, int) and value in (0, 1):
        return bool(value)
    if kind is float and type(value) in (int, float):
        return float(value)
    return value if type(value) is kind else None
