"""Copy: variables of every type that are assigned and read in turns."""

from opsmith.testing.op_tests import *
from runtimes.families.movement_cases import EVERY_TYPE_NAME


def handle(m: ModelWriter, variable: str) -> ModelTensor:
    """Tensor that names a variable."""
    made = m.tensor("handle", (), "resource")
    m.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": variable})
    return made


def turns(*shape: int, dtype: str = "int8") -> Build:
    """Model to build in which a variable is set to x, read, set to y, and read again."""

    def build(m: ModelWriter) -> None:
        variable = handle(m, f"{dtype}_{'x'.join(map(str, shape))}")
        for name in ("x", "y"):
            m.node("ASSIGN_VARIABLE", [variable, m.input(name, shape, dtype)], [])
            m.output(m.value("READ_VARIABLE", [variable], m.tensor(f"{name}_read", shape, dtype)))

    return build


def other_type(m: ModelWriter) -> None:
    variable = handle(m, "odd")
    m.node("ASSIGN_VARIABLE", [variable, m.input("x", (4,))], [])
    m.output(m.value("READ_VARIABLE", [variable], m.tensor("read", (5,))))


class TestCopy(OpTests):
    cases = (
        *(Case(dtype, turns(3, 5, dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("fills_a_vector", turns(2, 16)),
        Case("one", turns(1)),
        Case("scalar", turns(dtype="float32")),
    )
    rejected = (
        refused("other_type", other_type, "variable 'odd' is i8[4], not i8[5] like", "MDL016"),
    )
