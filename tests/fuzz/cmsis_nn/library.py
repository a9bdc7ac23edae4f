"""A shared library of CMSIS-NN for this machine, and the structs of it that hold pointers."""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from opsmith.ir import Array

SCRATCH = 1 << 20  # bytes, more than any function wants for graphs of the size of tests


class Context(ctypes.Structure):
    """A buffer that a function may use, or a bias and whether it is of int32."""

    _fields_ = [("buffer", ctypes.c_void_p), ("size", ctypes.c_int32)]


class Pointers(ctypes.Structure):
    """Multipliers and shifts by channel, or two tables; then whether they are by channel."""

    _fields_ = [
        ("first", ctypes.c_void_p),
        ("second", ctypes.c_void_p),
        ("flag", ctypes.c_int32),
    ]


class Library:
    """A shared library of CMSIS-NN for this machine."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))

    def call(self, name: str, *arguments: Any) -> int:
        """The result of a function; arrays and structs are given by their address."""
        function = getattr(self._library, name)
        return int(function(*map(_given, arguments)))

    def buffer(self) -> Context:
        """Context with a scratch buffer that is large enough for any call."""
        space = np.empty(SCRATCH, np.uint8)
        made = Context(space.ctypes.data, SCRATCH)
        made.kept = space
        return made


def _given(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data_as(ctypes.c_void_p)
    return argument if argument is None else _by_kind(argument)


def _by_kind(argument: Any) -> Any:
    return ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else int(argument)


def pointers(first: Array, second: Array, flag: int = 0) -> Pointers:
    """Struct of pointers to two arrays, which the struct keeps alive."""
    made = Pointers(first.ctypes.data, second.ctypes.data, flag)
    made.kept = first, second
    return made


def ints(*values: int) -> Array:
    """Struct or array of int32 as the library takes it."""
    return np.array(values, np.int32)


def done(status: int) -> None:
    """Raise ValueError where the library refuses a call."""
    if status:
        raise ValueError(f"the library refuses it with status {status}")
