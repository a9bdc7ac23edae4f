"""Turns a planned graph into a program: merges equal kernel instances, packs and merges constants.

Packed weights are as large as the model, whose file is in memory, too. So a large table is made to
be compared with others, forgotten, and made again when weights.bin is written: a model of 65 MB
takes 151 MB instead of 238. The price: packing takes twice the time, and tables must not change
from one call to the next (OPS070).
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from opsmith.contract.bind import element_type
from opsmith.contract.literals import initializer
from opsmith.ir import Array, DType, Graph, Node
from opsmith.ir.program import Buffer, ConstantTable, Instance, Program, Step, Struct
from opsmith.op.alias import left_in_place
from opsmith.op.constants import read_at_run_time
from opsmith.op.declare import State
from opsmith.op.fields import TableField, packed, table_fields
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView

FUNCTIONS = ("start", "run_in")  # names that tensors may have, but no constants
_KEPT = 1 << 16  # arrays up to this size are kept; larger ones are made again


def pack_weights(graph: Graph, ops: OpIndex) -> Program:
    """Program of a planned graph."""
    return pack_together([graph], ops)[0]


def pack_together(graphs: Sequence[Graph], ops: OpIndex) -> list[Program]:
    """Programs of planned graphs that share kernel instances and constants; the last program has
    all instances and constants.
    """
    tensors = [t.id for graph in graphs for t in graph.tensors.values() if t.constant is None]
    spaces = [graph.name for graph in graphs] if len(graphs) > 1 else []  # visible to each other
    names = _Names([*tensors, *spaces, *FUNCTIONS])
    pool, instances = _Pool(names), _Instances(names)
    return [_packed(graph, ops, names, pool, instances) for graph in graphs]


def _packed(
    graph: Graph, ops: OpIndex, names: _Names, pool: _Pool, instances: _Instances
) -> Program:
    read = read_at_run_time(graph, ops)
    constants = {
        name: pool.array(name, tensor.dtype.c, _elements(tensor.dtype, tensor.data))
        for name, tensor in graph.tensors.items()
        if tensor.constant is not None and name in read
    }
    steps = []
    for node in graph.nodes:
        op = ops.of(graph, node)
        seen = view(graph, node, op)
        assert node.kernel is not None
        plan = node.kernel.plan
        params = _walking(plan.params, node)
        tables = {} if plan.tables is None else _tables(node, op, plan.tables, pool)
        in_place = left_in_place(graph, node, op)
        states = {state.name: _buffer(state, op, seen, names, pool) for state in op.states}
        instance = instances.add(node, op, params, in_place)
        runs = 1 if graph.stream is None else graph.stream.runs(node)
        macs = None if op.hooks.macs is None else op.hooks.macs(seen) * runs
        steps.append(Step(node, instance, params, tables, in_place, states, macs))
    arrays, structs = tuple(pool.tables), tuple(pool.structs)
    return Program(graph, tuple(steps), tuple(instances.made), arrays, structs, constants)


def _walking(params: Any, node: Node) -> Any:
    """Return the params with member `reversed` set for the node's direction."""
    tells = any(field.name == "reversed" for field in dataclasses.fields(params))
    return dataclasses.replace(params, reversed=node.reversed) if tells else params


def _tables(node: Node, op: TypedOp, ask: Callable[[], Any], pool: _Pool) -> dict[str, str]:
    assert node.kernel is not None
    kernel, found, values = op.kernels[node.kernel.index], {}, _asked(ask)
    owner: type = type(values)
    for field in table_fields(owner):
        wanted, value = _symbol(node.name, field.name), getattr(values, field.name)
        c = element_type(op, kernel, field)
        if field.single:
            found[field.name] = pool.struct(wanted, c, value)
        else:
            again = partial(_table, ask, field)
            found[field.name] = pool.array(wanted, c, _content(field, value), again)
    return found


def _symbol(node: str, part: str) -> str:
    """Symbol of a part of a node, without trailing underscores, since C++ reserves names with two
    underscores in a row.
    """
    return f"{node.rstrip('_')}_{part}"


@lru_cache(maxsize=1)  # tables of a node are written in succession
def _asked(ask: Callable[[], Any]) -> Any:
    return ask()


def _table(ask: Callable[[], Any], field: TableField) -> Array:
    return _content(field, getattr(_asked(ask), field.name))


def _content(field: TableField, value: Any) -> Array:
    if isinstance(field.element, DType):
        return _elements(field.element, value)
    return packed(field.element, value)


def _elements(dtype: DType, array: Array) -> Array:
    return np.ascontiguousarray(array, dtype.numpy).reshape(-1)


def _buffer(state: State, op: TypedOp, seen: NodeView, names: _Names, pool: _Pool) -> Buffer:
    symbol = names.new(_symbol(seen.name, state.name))
    elements, initial = state.elements(seen), None
    dtype = op.state_type(state)
    if state.initial is not None:
        elements_at_first = _elements(dtype, state.initial(seen))
        table = pool.array(f"{symbol}_initial", dtype.c, elements_at_first)
        initial = next(made for made in pool.tables if made.symbol == table)
    return Buffer(symbol, dtype, elements, initial)


class _Names:
    """Generator of distinct names for the emitted namespace."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


class _Pool:
    """Pool of constants that stores equal ones once."""

    def __init__(self, names: _Names) -> None:
        self.tables: list[ConstantTable] = []
        self.structs: list[Struct] = []
        self._names = names
        self._by_content: dict[tuple[str, bytes], str] = {}

    def array(
        self, wanted: str, c: str, elements: Array, again: Callable[[], Array] | None = None
    ) -> str:
        """Symbol of a table with given elements and C++ type; `again` makes the elements anew."""
        sha256 = hashlib.sha256(elements.data).digest()
        symbol, new = self._symbol(wanted, f"{c}[]", sha256)
        large = elements.nbytes > _KEPT
        if new and large and again is not None:
            self.tables.append(
                ConstantTable(symbol, c, elements.dtype, elements.size, again, sha256)
            )
        elif new:
            self.tables.append(ConstantTable.of(symbol, c, elements))
        return symbol

    def struct(self, wanted: str, c: str, value: Any) -> str:
        """Symbol of a struct with given members and C++ type."""
        content = packed(type(value), (value,))
        symbol, new = self._symbol(wanted, c, hashlib.sha256(content.data).digest())
        if new:
            self.structs.append(Struct(symbol, c, value))
        return symbol

    def _symbol(self, wanted: str, kind: str, sha256: bytes) -> tuple[str, bool]:
        """Symbol of a constant, and whether the constant is new."""
        key = (kind, sha256)
        if key in self._by_content:
            return self._by_content[key], False
        self._by_content[key] = self._names.new(wanted)
        return self._by_content[key], True


class _Instances:
    """Kernel instances: for the Params of specialised nodes, or for any Params."""

    def __init__(self, names: _Names) -> None:
        self.made: list[Instance] = []
        self._names = names
        self._by_key: dict[Any, Instance] = {}

    def add(self, node: Node, op: TypedOp, params: Any, in_place: bool) -> Instance:
        """Return the instance of a node, new or shared. Instances never called are dropped."""
        choice = node.kernel
        assert choice is not None
        kept = params if choice.specialised else None
        # compared as text, since 0.0 equals -0.0
        values = None if kept is None else initializer(kept)
        # the symbol of a kernel that exists already does not tell its types apart
        called = (node.op, op.kernels[choice.index].home, choice.symbol, *op.c_types.values())
        # the calls that an emitter writes name their tensors
        own = node.name if op.kernels[choice.index].emitter else ""
        key = (called, values, type(params), own)
        if key in self._by_key:
            return self._by_key[key]
        same = [instance for instance in self.made if instance.op == node.op]
        name = f"{node.op}_{len(same)}" if in_place else self._names.new(f"{node.op}_{len(same)}")
        made = Instance(name, node.op, choice.symbol, choice.name, choice.index, choice.types, kept)
        if not in_place:
            self._by_key[key] = made
            self.made.append(made)
        return made
