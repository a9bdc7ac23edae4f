"""Data about a firmware's nodes for other programs: a trace, an overlay of a graph, a table."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opsmith.report.peak import used_bytes
from opsmith.text import escaped

TRACE, NODE_DATA, TABLE = "profile.trace.json", "nodedata.json", "nodes.csv"
_OPERATOR = re.compile(r"operator (\d+)\b(?!.* of subgraph )")  # of the first subgraph
_FORMULA = tuple("=+-@")  # first characters of cells that a spreadsheet would compute
Data = Mapping[str, Any]


def for_others(report: Data, profile: Data | None) -> dict[str, str]:
    """Contents of the files by name. Several models share one file of node data, in which each
    model's graph has its file's name. Raises LookupError where data are missing.
    """
    models = report.get("models", [report])
    found = {TABLE: "".join(_table(models, profile)), NODE_DATA: _text(_node_data(models, profile))}
    return found if profile is None else {**found, TRACE: _text(_trace(report, profile))}


def _text(found: object) -> str:
    return json.dumps(found, indent=1, ensure_ascii=True) + "\n"


def _trace(report: Data, profile: Data) -> dict[str, Any]:
    """Trace of one inference for Perfetto and chrome://tracing. A figure other than time counts as
    microseconds.
    """
    main = [*profile["meaning"]][-1]
    factor = 1e-3 if main.endswith("nanoseconds") else 1
    title = {"name": profile["target"]}
    names = {"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": title}
    events: list[dict[str, Any]] = [names]
    at = 0
    for node in profile["nodes"]:
        arguments = {key: node[key] for key in ("op", "kernel", "source", "macs", "runs")}
        arguments |= {key: node[key] for key in profile["meaning"]}
        span = {"ts": at * factor, "dur": node[main] * factor}
        events.append(
            {"name": node["name"], "cat": node["op"], "ph": "X", **span, "pid": 1, "tid": 1}
            | {"args": arguments}
        )
        at += node[main]
    unit = "ns" if factor != 1 else f"1 us is one of {main}"
    return {"traceEvents": events, "otherData": {"board": report["board"], "unit": unit}}


def _node_data(models: Sequence[Data], profile: Data | None) -> dict[str, Any]:
    """Values of operators, which Model Explorer overlays on the graph of a `.tflite` file."""
    found: dict[str, Any] = {}
    for model in models:
        results: dict[str, float] = {}
        for node, value in _values(model, profile):
            if (operator := _OPERATOR.match(node["source"])) and value is not None:
                results[operator[1]] = results.get(operator[1], 0) + value
        graph = (model.get("subgraphs") or ["main"])[0] or "main"
        name = graph if len(models) == 1 else f"{model['model']}/{graph}"
        found[name] = {"results": {key: {"value": each} for key, each in results.items()}}
    return found


def _values(model: Data, profile: Data | None) -> Iterator[tuple[Data, float | None]]:
    """Nodes, each with its measured figure, or else its kernel's declared cost."""
    rows = {row["index"]: row for row in profile["nodes"]} if profile else {}
    for node in model["nodes"]:
        row = rows.get(node["index"])
        if profile and row and (row["name"], row["kernel"]) == (node["name"], node["kernel"]):
            yield node, row[[*profile["meaning"]][-1]]
        else:
            yield node, next((each["cost"] for each in node["candidates"] if each["taken"]), None)


def _table(models: Sequence[Data], profile: Data | None) -> Iterator[str]:
    """Lines of a table of nodes: identity, cost, and bytes of arenas in use."""
    figure = [*profile["meaning"]][-1] if profile else "estimated_cycles"
    of_node = ("model", "node", "source", "op", "kernel", "why", "macs")
    yield _line((*of_node, figure, "share_percent", "output_shape", "arena_bytes", "stack_bytes"))
    for model in models:
        rows = list(_values(model, profile))
        total = sum(value or 0 for _, value in rows) or 1
        used = _used(model)
        for (node, value), taken in zip(rows, used, strict=True):
            share = "" if value is None else f"{100 * value / total:.2f}"
            shape = "x".join(map(str, node["shapes"][0])) if node["shapes"] else ""
            of = (model["name"], node["name"], node["source"], node["op"], node["kernel"])
            took = (node["why"], node["macs"], value, share, shape, taken)
            yield _line((*of, *took, (node.get("stack") or {}).get("bytes")))


def _used(model: Data) -> list[int]:
    """Bytes of arenas that are in use while each node runs."""
    found = [0] * len(model["nodes"])
    for memory in model["arena"]:
        tensors = [each for each in model["tensors"] if each["memory"] == memory]
        found = [a + b for a, b in zip(found, used_bytes(tensors, len(found)), strict=True)]
    return found


def _line(cells: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(["" if c is None else _cell(c) for c in cells])
    return line.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = escaped(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
