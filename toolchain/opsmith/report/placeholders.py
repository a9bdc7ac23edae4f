"""Warnings of parts that must not ship unnoticed: placeholder ops, and inexact kernels."""

from collections.abc import Iterator, Mapping
from typing import Any

from opsmith.select.remarks import INEXACT, PLACEHOLDER


def placeholder_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Line for each node of a report.json whose op is a placeholder."""
    for node in report.get("nodes", ()):
        if PLACEHOLDER in node.get("remarks", ()):
            where = f"node {node['index']}, {node['op']} ({node['source']})"
            yield f"NOT FINISHED: {where} is a placeholder, its outputs mean nothing"


def inexact_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Line for each remark of a report.json that kernels are not exact, with the nodes."""
    nodes: dict[str, list[str]] = {}
    for node in report.get("nodes", ()):
        for remark in node.get("remarks", ()):
            if remark.startswith(INEXACT):
                nodes.setdefault(remark, []).append(str(node["index"]))
    for remark, indices in nodes.items():
        yield f"{remark} (nodes {', '.join(indices)})"
