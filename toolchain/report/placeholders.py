"""Ops of a firmware that are scaffolded and not written yet: nobody is to ship one unawares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolchain.lower.select_kernels import PLACEHOLDER


def placeholder_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """A line for each node of a report.json whose op is a placeholder."""
    for node in report.get("nodes", ()):
        if PLACEHOLDER in node.get("remarks", ()):
            where = f"node {node['index']}, {node['op']} ({node['source']})"
            yield f"NOT FINISHED: {where} is a placeholder, its outputs mean nothing"
