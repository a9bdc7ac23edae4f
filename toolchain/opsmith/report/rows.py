"""Lines about nodes that run row by row within invoke(): savings, costs, and alternatives."""

from collections.abc import Iterator, Mapping
from typing import Any


def rows_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Lines about all models of a firmware."""
    for model in report.get("models", [report]):
        of = f", {model['name']}" if "models" in report else ""
        yield from (f"{line}{of}" for line in _lines(model))


def _lines(model: Mapping[str, Any]) -> Iterator[str]:
    """Lines about one model; none where RAM was not weighed against cycles."""
    curve, rows = model["ram"]["curve"], model["ram"]["rows"]
    if not curve:
        return
    whole, (taken,) = curve[0], (each for each in curve if each["taken"])
    if rows is not None:
        who = f"{rows['first']} runs" if rows["nodes"] == 1 else _span(rows)
        yield f"  {who} row by row: {_figures(taken, whole)}; whole tensors take {_size(whole)}"
    others = [_figures(each, whole) for each in curve[1:] if each is not taken]
    if others:
        yield f"  ram_budget= could have, row by row: {'; '.join(others)}"


def _span(rows: Mapping[str, Any]) -> str:
    return f"{rows['nodes']} nodes, {rows['first']} to {rows['last']}, run"


def _figures(trade: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    more = trade["instructions"] / whole["instructions"] - 1 if whole["instructions"] else 0
    return f"{_size(trade)} with about {more:+.1%} cycles"


def _size(trade: Mapping[str, Any]) -> str:
    return f"{trade['bytes']:,} B"
