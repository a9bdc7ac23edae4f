"""Parser of the notation for tensors and attributes: `x:i8,f32`, `k:int=3`, `window:array[i16]`."""

import math
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError, did_you_mean
from opsmith.ir import DType
from opsmith.ir.types import ALL
from opsmith.op.attributes import type_name, typed
from opsmith.op.declare import Attribute, ListOf, OpError
from opsmith.scaffold.spec import Kind, Parameter, SpecValue

_DTYPES = {name: dtype for dtype in ALL for name in (dtype.short, dtype.name)}
_SCALARS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str, "bytes": bytes}
_KINDS = (*_SCALARS, "list[int]", "list[float]", "list[bool]", "list[str]", "array[i16]")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def parse_value(text: str, where: str) -> SpecValue:
    """Parse a tensor: `NAME:TYPE`, `NAME:TYPE,TYPE` or `NAME?:TYPE`. Raises OPS032."""
    name, colon, types = text.partition(":")
    fix = "write NAME:TYPE, like x:i8, or x:i8,f32 for several types, or bias?:i32"
    if not colon or not types.strip():
        raise ToolchainError.of("OPS032", f"'{text}' has no type", where=where, fix=fix)
    found = []
    for word in types.split(","):
        dtype = _DTYPES.get(word.strip())
        if dtype is None:
            what = f"'{text}': unknown type '{word.strip()}'{did_you_mean(word.strip(), _DTYPES)}"
            known = ", ".join(dtype.short for dtype in ALL)
            raise ToolchainError.of("OPS032", what, where=where, fix=f"one of {known}")
        if dtype in found:
            what = f"'{text}' lists {dtype.short} twice"
            raise ToolchainError.of("OPS032", what, where=where, fix="list it once")
        found.append(dtype)
    plain = name.strip()
    return SpecValue(plain.removesuffix("?"), tuple(found), optional=plain.endswith("?"))


def parse_parameter(text: str, where: str) -> Parameter:
    """Parse an attribute: `NAME:TYPE` or `NAME:TYPE=DEFAULT`. Raises OPS033."""
    head, equals, default = text.partition("=")
    name, colon, word = head.partition(":")
    if not colon or not word.strip():
        fix = "write NAME:TYPE or NAME:TYPE=DEFAULT, like k:int=3"
        raise ToolchainError.of("OPS033", f"'{text}' has no type", where=where, fix=fix)
    kind = _kind(word.strip())
    if kind is None:
        what = f"'{text}': unknown type '{word.strip()}'{did_you_mean(word.strip(), _KINDS)}"
        fix = f"one of {', '.join(_KINDS)}, or array of another element type"
        raise ToolchainError.of("OPS033", what, where=where, fix=fix)
    if not equals:
        return Parameter(name.strip(), kind)
    try:
        value = typed(Attribute(name, kind), _default(kind, default.strip()))
    except (OpError, ValueError, OverflowError):
        what = f"'{text}': '{default.strip()}' is no {type_name(kind)}"
        fix = "lists and arrays are written 1,2,3; every float is finite"
        raise ToolchainError.of("OPS033", what, where=where, fix=fix) from None
    return Parameter(name.strip(), kind, value)


def _kind(word: str) -> Kind | None:
    if word in _SCALARS:
        return _SCALARS[word]
    outer, bracket, rest = word.partition("[")
    inner = rest.removesuffix("]")
    if not bracket or not rest.endswith("]"):
        return None
    if outer == "array":
        return _DTYPES.get(inner)
    return ListOf(_SCALARS[inner]) if outer == "list" and inner in _SCALARS else None


def _default(kind: Kind, text: str) -> Any:
    parts = [part.strip() for part in text.split(",")] if text else []
    if isinstance(kind, ListOf):
        return [_scalar(kind.type, part) for part in parts]
    if isinstance(kind, DType):
        element = float if kind.short[0] == "f" else int
        return np.array([_scalar(element, part) for part in parts])
    return _scalar(kind, text)


def _scalar(kind: type, text: str) -> Any:
    if kind is bool:
        if text.lower() not in _TRUTH:
            raise ValueError(text)
        return _TRUTH[text.lower()]
    if kind is bytes:
        return text.encode()
    value = int(text, 0) if kind is int else kind(text)
    if kind is float and not math.isfinite(value):
        raise ValueError(text)  # its repr() is not valid Python
    return value
