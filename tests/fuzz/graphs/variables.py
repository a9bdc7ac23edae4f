"""Variables that nodes name by a handle: assigned and read, twice, so that the order counts."""

from __future__ import annotations

from tests.fuzz.graphs.builder import Builder, of
from tests.fuzz.graphs.kind import ANY, kinds


def turns(build: Builder, op: str, dtype: str) -> None:
    """A variable that is x, is read, is what else has its type, and is read again."""
    x = build.pick(dtype, scalars=True)
    alike = [t for t in build.tensors if (t.dtype, t.shape, of(t)) == (dtype, x.shape, of(x))]
    variable = build.tensor("handle", (), "resource")
    name = f"v{build.chance.getrandbits(60):x}"  # also unlike those of graphs side by side
    build.model.node(op, [], [variable], {"container": "", "shared_name": name})
    for value in (x, build.one(*alike)):
        build.model.node("ASSIGN_VARIABLE", [variable, value], [])
        build.node("READ_VARIABLE", [variable], x.shape, dtype, of(x))


KINDS = kinds(turns, VAR_HANDLE=ANY)
