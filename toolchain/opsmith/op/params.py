"""Params filled by the names of their fields: sizes of x, quantisations, and attributes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any, TypeVar

from opsmith.op.channels import channels_of
from opsmith.op.view import NodeView

Params = TypeVar("Params")
Facts = Mapping[str, Callable[[NodeView], Any]]  # what is known of a node, by name


@dataclass(frozen=True)
class Elements:
    """Params of kernels that take elements one by one: their number."""

    elements: int


@dataclass(frozen=True)
class ScaledElements:
    """Number of elements, and the scales of x and y as float32."""

    elements: int
    x_scale: float
    y_scale: float


@dataclass(frozen=True)
class Rows:
    """Number and length of the rows of x, along its last axis."""

    rows: int
    depth: int  # elements of a row


def row_problems(node: NodeView) -> Iterator[str]:
    """Problem of a scalar x, which has no rows."""
    if not node["x"].shape:
        yield f"x {node['x'].type} must have at least one dimension"


def row_count(node: NodeView) -> int:
    """Number of rows of x; a scalar is one row of one element."""
    return node["x"].elements // channels_of(node["x"])


FACTS: Facts = {
    "elements": lambda node: node["x"].elements,
    "rows": row_count,
    "depth": lambda node: channels_of(node["x"]),
    "x_zero_point": lambda node: node["x"].zero_point,
    "x_scale": lambda node: node["x"].scale,
    "y_zero_point": lambda node: node["y"].zero_point,
    "y_scale": lambda node: node["y"].scale,
}


def by_name(
    params: Callable[..., Params], **others: Callable[[NodeView], Any]
) -> Callable[[NodeView], Params]:
    """Function that fills the params of a node; `others` are facts besides FACTS."""

    def filled(node: NodeView) -> Params:
        return of_facts(params, node, {**FACTS, **others})

    filled.__annotations__["return"] = params
    return filled


def of_facts(params: Callable[..., Params], node: NodeView, facts: Facts, **given: Any) -> Params:
    """Params of a node, filled by the names of their fields.

    A field has its value from `given`, else from the facts, else from the attribute of its name;
    without any, a default stays.
    """
    found = dict(given)
    for name, needed in _fields(params).items():
        if name not in given and name in facts:
            found[name] = node.once(facts[name])
        elif name not in given and needed:
            found[name] = node.attributes[name]
    return params(**found)


def part_of(geometry: type[Any], whole: Any) -> Mapping[str, Any]:
    """Fields of the dataclass `geometry`, with the values of `whole`."""
    return {field.name: getattr(whole, field.name) for field in fields(geometry)}


@lru_cache(maxsize=1024)
def _fields(params: Callable[..., Any]) -> Mapping[str, bool]:
    """Names of fields, and whether each must be given."""
    fields = signature(params).parameters
    return {name: field.default is Parameter.empty for name, field in fields.items()}
