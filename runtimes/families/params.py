"""Params by the names of their fields: sizes of x, quantisations, and attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar

from toolchain.op import NodeView

Params = TypeVar("Params")


@dataclass(frozen=True)
class Elements:
    """For kernels that take elements one by one."""

    elements: int


@dataclass(frozen=True)
class Rows:
    """Rows of x, along its last axis."""

    rows: int
    depth: int  # elements of a row


def row_count(node: NodeView) -> int:
    """How many rows x has."""
    return node["x"].elements // node["x"].shape[-1]


FACTS: dict[str, Callable[[NodeView], Any]] = {
    "elements": lambda node: node["x"].elements,
    "rows": row_count,
    "depth": lambda node: node["x"].shape[-1],
    "x_zero_point": lambda node: node["x"].zero_point,
    "x_scale": lambda node: node["x"].scale,
    "y_zero_point": lambda node: node["y"].zero_point,
    "y_scale": lambda node: node["y"].scale,
}


def by_name(
    params: Callable[..., Params], **others: Callable[[NodeView], Any]
) -> Callable[[NodeView], Params]:
    """A function that returns the params of a node.

    A field has its value from `others`, else from FACTS, else from the attribute of its name.
    """
    functions = FACTS | others

    def value(node: NodeView, name: str) -> Any:
        return functions[name](node) if name in functions else node.attributes[name]

    return lambda node: params(*(value(node, name) for name in signature(params).parameters))
