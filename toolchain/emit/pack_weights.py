"""Turn a planned graph into a program: merge equal kernel instances, pack and merge constants."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from toolchain.ir import Array, DType, Graph, Node
from toolchain.ir.program import Buffer, Instance, Program, Step, Table
from toolchain.op.alias import aliases
from toolchain.op.declare import State
from toolchain.op.discover import OpIndex
from toolchain.op.fields import table_fields
from toolchain.op.node import named_inputs, view
from toolchain.op.typed import TypedOp
from toolchain.op.view import NodeView


def pack_weights(graph: Graph, ops: OpIndex) -> Program:
    """The program of a planned graph."""
    names = _Names(t.id for t in graph.tensors.values() if t.constant is None)
    pool = _Pool(names)
    instances = _Instances(names)
    read = _read_at_run_time(graph, ops)
    constants = {
        name: pool.add(name, tensor.dtype, tensor.data, f"tensor {name}")
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
        tables = {} if plan.tables is None else _tables(node, plan.tables(), pool)
        in_place = _in_place(graph, node, op)
        states = {state.name: _buffer(node, state, seen, names, pool) for state in op.states}
        instance = instances.add(node, op, params, in_place)
        runs = 1 if graph.stream is None else graph.stream.runs(node)
        macs = None if op.hooks.macs is None else op.hooks.macs(seen) * runs
        steps.append(Step(node, instance, params, tables, in_place, states, macs))
    return Program(graph, tuple(steps), tuple(instances.made), tuple(pool.tables), constants)


def _walking(params: Any, node: Node) -> Any:
    """Return the params; `reversed` is set as the plan says."""
    tells = any(field.name == "reversed" for field in dataclasses.fields(params))
    return dataclasses.replace(params, reversed=node.reversed) if tells else params


def _tables(node: Node, values: Any, pool: _Pool) -> dict[str, str]:
    owner: type = type(values)
    return {
        field.name: pool.add(
            f"{node.name}_{field.name}",
            field.dtype,
            getattr(values, field.name),
            f"{field.name} of {node.name}",
        )
        for field in table_fields(owner)
    }


def _buffer(node: Node, state: State, seen: NodeView, names: _Names, pool: _Pool) -> Buffer:
    symbol, elements, initial = names.new(f"{node.name}_{state.name}"), state.elements(seen), None
    if state.initial is not None:
        table = pool.add(f"{symbol}_initial", state.type, state.initial(seen), f"initial {symbol}")
        initial = next(made for made in pool.tables if made.symbol == table)
    return Buffer(symbol, state.type, elements, initial)


def _read_at_run_time(graph: Graph, ops: OpIndex) -> set[str]:
    """Return the constants that kernels or the application get a pointer to."""
    found = set(graph.outputs)
    for node in graph.nodes:
        for value, name in named_inputs(ops[node.op], node):
            if name is not None and not value.constant:
                found.add(name)
    return found


def _in_place(graph: Graph, node: Node, op: TypedOp) -> bool:
    """Whether the plan put the tensors into each other, so that nothing is left to do."""
    assert graph.plan is not None
    places, found = graph.plan.placements, aliases(graph, node, op)
    return bool(found) and all(
        places[each.inner].memory == places[each.outer].memory
        and places[each.inner].offset == places[each.outer].offset + each.offset
        for each in found
    )


class _Names:
    """Generates distinct names for the emitted namespace."""

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
    """Constants, equal ones once."""

    def __init__(self, names: _Names) -> None:
        self.tables: list[Table] = []
        self._names = names
        self._by_content: dict[tuple[str, bytes], str] = {}

    def add(self, wanted: str, dtype: DType, array: Array, of: str) -> str:
        """The symbol of a table with these elements."""
        flat = np.ascontiguousarray(array, dtype.numpy).reshape(-1)
        key = (dtype.name, hashlib.sha256(flat.data).digest())
        if key not in self._by_content:
            self._by_content[key] = self._names.new(wanted)
            self.tables.append(Table(self._by_content[key], dtype, flat, of))
        return self._by_content[key]


class _Instances:
    """Kernel instances: for Params where nodes have specialised ones, or for any Params."""

    def __init__(self, names: _Names) -> None:
        self.made: list[Instance] = []
        self._names = names
        self._by_key: dict[Any, Instance] = {}

    def add(self, node: Node, op: TypedOp, params: Any, in_place: bool) -> Instance:
        """Return the instance that computes this node; those that are never called are dropped."""
        choice = node.kernel
        assert choice is not None
        kept = params if choice.specialised else None
        values = None if kept is None else dataclasses.astuple(kept)
        # the symbol of a kernel that exists already does not tell its types apart
        called = (node.op, op.kernels[choice.index].home, choice.symbol, *op.c_types.values())
        key = (called, values, type(params))
        if key in self._by_key:
            return self._by_key[key]
        same = [instance for instance in self.made if instance.op == node.op]
        name = f"{node.op}_{len(same)}" if in_place else self._names.new(f"{node.op}_{len(same)}")
        made = Instance(name, node.op, choice.symbol, choice.name, choice.index, choice.types, kept)
        if not in_place:
            self._by_key[key] = made
            self.made.append(made)
        return made
