"""Program: a planned graph with everything that the emitted C++ needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opsmith.ir.graph import Array, Graph, Node
from opsmith.ir.types import DType


@dataclass(frozen=True, eq=False)
class ConstantTable:
    """A constant array. Tables with equal contents are emitted once."""

    symbol: str
    c: str  # the C++ type of its elements
    dtype: np.dtype[Any]
    elements: int
    make: Callable[[], Array]  # function that makes a large array when it is written
    sha256: bytes = b""  # digest of the array as first made, if it is made again
    memory: str = ""  # name of the board's memory, if not flash

    @classmethod
    def of(cls, symbol: str, c: str, array: Array) -> ConstantTable:
        """Table that holds its array in memory."""
        return cls(symbol, c, array.dtype, array.size, lambda: array)

    @property
    def bytes(self) -> int:
        """Size of the table in bytes."""
        return self.elements * self.dtype.itemsize

    @property
    def array(self) -> Array:
        """Elements of the table, read-only."""
        found = self.make()
        found.flags.writeable = False
        return found


@dataclass(frozen=True, eq=False)
class Struct:
    """Struct of constants in flash, which model.cc spells out. Equal structs are emitted once."""

    symbol: str
    c: str  # its C++ type
    value: Any  # a frozen dataclass


@dataclass(frozen=True, eq=False)
class Buffer:
    """Buffer of a node that survives invoke(): zero at first, or a copy of a table."""

    symbol: str
    dtype: DType
    elements: int
    initial: ConstantTable | None


@dataclass(frozen=True)
class Instance:
    """A kernel for one Params, or, with params None, for any Params passed at run time."""

    name: str  # the C++ function: 'conv_2d_0'
    op: str
    symbol: str  # C++ function of the kernel that it calls
    kernel: str  # name of that kernel
    index: int  # index of the kernel among those of the variant
    types: tuple[tuple[str, DType], ...]  # variant of its op
    params: Any | None  # a frozen dataclass


@dataclass(frozen=True)
class Step:
    """Call of a node in the program: its kernel instance and arguments."""

    node: Node
    instance: Instance
    params: Any  # a frozen dataclass with the params of this node
    tables: Mapping[str, str]  # field of Tables -> symbol of a Table or Struct
    in_place: bool = False  # a view, for which nothing is computed
    states: Mapping[str, Buffer] = field(default_factory=dict)  # state of the op -> buffer
    macs: int | None = None  # multiplications with weights, where the op counts them


@dataclass(frozen=True)
class Program:
    """A model that is ready to be written as C++: steps, kernel instances and constants."""

    graph: Graph
    steps: tuple[Step, ...]
    instances: tuple[Instance, ...]
    tables: tuple[ConstantTable, ...]
    structs: tuple[Struct, ...]
    constants: Mapping[str, str]  # constant tensor that is read at run time -> symbol of its table
    stepwise: bool = False  # each call of invoke() runs one node
    reentrant: bool = False  # the caller passes the arena, which includes states
    guards: bool = False  # invoke() checks for nodes that write outside of their outputs
