"""Number of reads of a program's constants in one inference: a model, from the nodes' declarations.

A node that multiplies with weights reads all its constants, four bytes at a time, as often as it
multiplies by each: a convolution once for every pixel, a fully connected layer once for every row,
and less often where its kernel declares how many pixels it computes with a weight that it has read.
Any other node reads one element of each of its arrays for every element that it writes, like a
lookup, a gather or a broadcast.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from opsmith.ir import Graph
from opsmith.ir.program import Program, Step
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs

WORD = 4  # bytes


def words_read(programs: Sequence[Program], ops: OpIndex) -> Counter[str]:
    """Number of words that one run of each program reads of each array of constants, by symbol."""
    found: Counter[str] = Counter()
    for program in programs:
        tables = {table.symbol: table for table in program.tables}
        for step in (each for each in program.steps if not each.in_place):
            walks = _walks(program.graph, step, ops)
            outputs = _elements_written(program.graph, step)
            for symbol in _symbols(program, step, ops):
                if symbol not in tables:
                    continue  # a struct
                table = tables[symbol]
                each = -(-table.dtype.itemsize // WORD)
                found[symbol] += -(-table.bytes * walks // WORD) if walks else outputs * each
    return found


def _walks(graph: Graph, step: Step, ops: OpIndex) -> int:
    """Number of times a node reads each weight; 0 for a node without multiplications."""
    inputs = [graph.tensors[name] for name in step.node.inputs if name is not None]
    weights = (each for each in inputs if each.constant is not None and len(each.shape) > 1)
    elements = sum(tensor.elements for tensor in weights)  # plus the bias, once per pixel
    if not step.macs or not elements:
        return 0
    _, kernel = ops.kernel(step.node.op, step.instance.types, step.instance.index)
    return max(1, -(-step.macs // (elements * kernel.pixels))) if kernel.pixels else 1


def _elements_written(graph: Graph, step: Step) -> int:
    runs = 1 if graph.stream is None else graph.stream.runs(step.node)
    return runs * sum(graph.tensors[name].elements for name in step.node.outputs)


def _symbols(program: Program, step: Step, ops: OpIndex) -> Iterator[str]:
    """Yield symbols of the constants to which the node gets pointers, each once."""
    inputs = named_inputs(ops[step.node.op], step.node)
    read = (name for value, name in inputs if name is not None and not value.constant)
    named = (program.constants[name] for name in read if name in program.constants)
    yield from dict.fromkeys((*step.tables.values(), *named))
