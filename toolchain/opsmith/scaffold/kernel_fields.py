"""Attributes in a kernel: as a member of Params, as a table, or not at all."""

from collections.abc import Iterator
from dataclasses import dataclass

from opsmith.ir import DType
from opsmith.ir.types import boolean, f64, i32
from opsmith.op.declare import ListOf
from opsmith.scaffold.spec import Parameter, Spec

_ELEMENTS = {int: i32, float: f64, bool: boolean}


@dataclass(frozen=True)
class ParamsMember:
    """A member of Params: its name, its Python type, and the expression of its value."""

    name: str
    type: str
    value: str
    remark: str = ""


def attribute_members(spec: Spec) -> Iterator[ParamsMember]:
    """Members of Params for the attributes."""
    for parameter in passed(spec):
        value = f'node.attributes["{parameter.name}"]'
        if parameter.type in (bool, int, float):
            kind = parameter.type.__name__ if isinstance(parameter.type, type) else ""
            yield ParamsMember(parameter.name, kind, value)
        elif table_dtype(parameter) is not None:
            size = f"len({value})" if isinstance(parameter.type, ListOf) else f"{value}.size"
            yield ParamsMember(f"{parameter.name}_elements", "int", size)


def passed(spec: Spec) -> list[Parameter]:
    """Attributes that kernels may need; the axis of a reduction is implied by their sizes."""
    gone = {"axis"} if spec.template == "reduction" else set()
    return [parameter for parameter in spec.parameters if parameter.name not in gone]


def tables(spec: Spec) -> list[Parameter]:
    """Attributes that kernels get by pointer."""
    return [parameter for parameter in spec.parameters if table_dtype(parameter) is not None]


def table_dtype(parameter: Parameter) -> DType | None:
    """Return the element type of an attribute's table; None if the attribute stays in Python."""
    if isinstance(parameter.type, ListOf):
        return _ELEMENTS.get(parameter.type.type)
    return parameter.type if isinstance(parameter.type, DType) else None
