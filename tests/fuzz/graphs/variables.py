"""Variables that nodes name by a handle: assigned and read, twice, so that the order counts."""

from opsmith.tflite.emitter import ModelTensor
from tests.fuzz.graphs.builder import Builder, Variable, of
from tests.fuzz.graphs.calls import call
from tests.fuzz.graphs.kind import ANY, kinds


def turns(build: Builder, op: str, dtype: str) -> None:
    """Add a variable that is assigned x and read, then assigned a tensor like x and read again."""
    variable = _variable(build, build.pick(dtype, scalars=True))
    handle = _handle(build, variable)
    for value in (variable.like, build.one(*_alike(build, variable))):
        build.model.node("ASSIGN_VARIABLE", [handle, value], [])
        _read(build, handle, variable)
    build.variables.append(variable)


def initialised(build: Builder, op: str, dtype: str) -> None:
    """Add a variable that is read with its initial constant, and is then assigned x."""
    variable = _variable(build, build.pick(dtype, scalars=True))
    x, first = variable.like, Builder(build.chance)
    value = first.constant(first.values(dtype, x.shape), of(x))
    first.model.node("ASSIGN_VARIABLE", [_handle(first, variable), value], [])
    build.model.content.nodes.append(call(op, (), (), {"init_subgraph_index": first.model.content}))
    handle = _handle(build, variable)
    _read(build, handle, variable)
    build.model.node("ASSIGN_VARIABLE", [handle, x], [])
    build.variables.append(variable)


def access(build: Builder, variable: Variable) -> None:
    """Read the variable, or assign it a tensor of its type, if the graph has one."""
    handle, values = _handle(build, variable), _alike(build, variable)
    if values and build.one(True, False):
        build.model.node("ASSIGN_VARIABLE", [handle, build.one(*values)], [])
    else:
        _read(build, handle, variable)


def _variable(build: Builder, like: ModelTensor) -> Variable:
    """New variable, whose name is unique also among graphs side by side."""
    return Variable(f"v{build.chance.getrandbits(60):x}", like)


def _alike(build: Builder, variable: Variable) -> list[ModelTensor]:
    x = variable.like
    wanted = x.dtype, x.shape, of(x)
    return [each for each in build.tensors if (each.dtype, each.shape, of(each)) == wanted]


def _handle(build: Builder, variable: Variable) -> ModelTensor:
    made = build.tensor("handle", (), "resource")
    options = {"container": "", "shared_name": variable.name}
    build.model.node("VAR_HANDLE", [], [made], options)
    return made


def _read(build: Builder, handle: ModelTensor, variable: Variable) -> None:
    x = variable.like
    build.node("READ_VARIABLE", [handle], x.shape, x.dtype, of(x))


KINDS = (*kinds(turns, VAR_HANDLE=ANY), *kinds(initialised, CALL_ONCE=ANY))
