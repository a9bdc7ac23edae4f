"""Constants of a graph that firmware contains, and their sizes in bytes."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from opsmith.ir import DType, Graph
from opsmith.ir.flow import conditions
from opsmith.op.fields import layout, table_fields
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs, view


def read_at_run_time(graph: Graph, ops: OpIndex) -> set[str]:
    """Return names of constants to which kernels or the application get a pointer."""
    found = {*graph.outputs, *conditions(graph.flow)}
    found |= {tensor.initial for tensor in graph.tensors.values() if tensor.initial is not None}
    for node in graph.nodes:
        for value, name in named_inputs(ops[node.op], node):
            if name is not None and not value.constant:
                found.add(name)
    return found


def packed_bytes(graph: Graph, ops: OpIndex) -> int:
    """Return the bytes of the constants of a graph as its chosen kernels pack them.

    Tables are made to be measured and dropped. Constants that turn out to be equal count twice.
    """
    tensors = (graph.tensors[name] for name in sorted(read_at_run_time(graph, ops)))
    found = sum(tensor.bytes for tensor in tensors if tensor.constant is not None)
    for node in graph.nodes:
        op = ops.of(graph, node)
        assert node.kernel is not None
        if (tables := node.kernel.plan.tables) is not None:
            found += table_bytes(tables)
        for state in op.states:
            if state.initial is not None:
                elements = state.elements(view(graph, node, op))
                found += elements * op.state_type(state).size
    return found


@lru_cache(maxsize=4096)
def table_bytes(tables: Callable[[], Any]) -> int:
    """Return the bytes of a plan's tables; results are shared by graphs of one build."""
    values, found = tables(), 0
    owner: type = type(values)
    for field in table_fields(owner):
        value = getattr(values, field.name)
        if isinstance(field.element, DType):
            found += int(np.size(value)) * field.element.size
        else:
            found += layout(field.element).itemsize * (1 if field.single else len(value))
    return found
