"""Operands of a node's kernel: place of each tensor, table and buffer on the device."""

from opsmith.contract.bind import runtime_inputs
from opsmith.op import *
from opsmith.op.fields import table_fields
from opsmith.op.node import named_inputs, named_outputs
from opsmith.schedule.memory.blocks import scratch_name

INPUT, OUTPUT, TABLES, SCRATCH = "in", "out", "tables", "scratch"


@dataclass(frozen=True)
class Operand:
    """Buffer that a kernel reads or writes."""

    struct: str  # the one that has it: 'in'
    member: str  # of that struct: 'x'
    name: str  # the parameter's: 'x', or 'x_2' of several
    c: str  # the type of its elements in OpenCL C
    written: bool
    symbol: str = ""  # of a constant
    offset: int = 0  # of other buffers, in the arena
    bytes: int = 0
    absent: bool = False  # an optional input that the node has not


def operands(part: BackendPart, call: Call) -> tuple[Operand, ...]:
    """Buffers of a node, in the order of the kernel's parameters."""
    return (*_tensors(part, call), *_tables(part, call), *_scratch(part, call))


def _tensors(part: BackendPart, call: Call) -> Iterator[Operand]:
    op, node = call.op, call.step.node
    wanted = {value.name for value in runtime_inputs(op)}
    counts: dict[str, int] = {}
    for value, tensor in named_inputs(op, node):
        if value.name in wanted:
            name = _numbered(value.name, counts)
            c = _element(call, value.type)
            yield _tensor(part, tensor, Operand(INPUT, value.name, name, c, value.state))
    for name in sorted(wanted - counts.keys()):
        yield Operand(INPUT, name, name, "void", False, absent=True)
    for output, tensor in named_outputs(op, node):
        name, c = _numbered(output.name, counts), _element(call, output.type)
        yield _tensor(part, tensor, Operand(OUTPUT, output.name, name, c, True))


def _tensor(part: BackendPart, tensor: str | None, made: Operand) -> Operand:
    found = vars(made)
    if tensor is None:
        return Operand(**{**found, "absent": True})
    size = part.program.graph.tensors[tensor].bytes
    if symbol := part.program.constants.get(tensor):
        return Operand(**{**found, "symbol": symbol, "bytes": size})
    return Operand(**{**found, "offset": _place(part, tensor), "bytes": size})


def _tables(part: BackendPart, call: Call) -> Iterator[Operand]:
    owner = call.kernel.tables
    sizes = {table.symbol: table.bytes for table in part.program.tables}
    for field in () if owner is None else table_fields(owner):
        symbol = call.step.tables[field.name]
        c = field.element.c if isinstance(field.element, DType) else field.element.__name__
        yield Operand(TABLES, field.name, field.name, c, False, symbol=symbol, bytes=sizes[symbol])


def _scratch(part: BackendPart, call: Call) -> Iterator[Operand]:
    plan = part.program.graph.plan
    assert plan is not None
    for name, dtype in call.kernel.scratch.items():
        at = plan.placements[scratch_name(call.step.node.name, name)]
        yield Operand(SCRATCH, name, name, dtype.c, True, offset=at.offset, bytes=at.bytes)


def _place(part: BackendPart, tensor: str) -> int:
    plan = part.program.graph.plan
    assert plan is not None
    return plan.placements[tensor].offset


def _element(call: Call, declared: DType | str) -> str:
    if not isinstance(declared, str):
        return declared.c
    return call.op.c_types[declared]


def _numbered(name: str, counts: dict[str, int]) -> str:
    """Name of the next parameter for an input or output."""
    counts[name] = counts.get(name, 0) + 1
    return name if counts[name] == 1 else f"{name}_{counts[name]}"
