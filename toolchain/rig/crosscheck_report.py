"""The report of `crosscheck`: a line for each tensor written by a node, and the first wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolchain.errors import printable
from toolchain.rig.build import Tensor
from toolchain.rig.differences import Difference

HEAD = ("#", "op", "kernel", "tensor", "differ", "max abs", "max rel", "NaN/Inf", "")
SHOWN = 40  # characters of a name


@dataclass(frozen=True)
class Row:
    """A tensor that a node wrote, and how it differs; None where the reference lacks it."""

    node: Mapping[str, Any]  # as in model.json
    tensor: Tensor
    difference: Difference | None

    @property
    def diverges(self) -> bool:
        """Whether an element is beyond the tolerance."""
        return self.difference is not None and self.difference.beyond > 0


@dataclass(frozen=True)
class Check:
    """Everything that was compared."""

    target: str
    against: str
    remark: str
    atol: float
    rtol: float
    rows: tuple[Row, ...]

    @property
    def first(self) -> Row | None:
        """The first row that diverges."""
        return next((row for row in self.rows if row.diverges), None)


def check_text(check: Check) -> str:
    """The table and the verdict."""
    because = f" ({check.remark})" if check.remark else ""
    lines = [check.target, f"against {check.against}{because}", *_table(check)]
    alone = sum(row.difference is None for row in check.rows)
    if alone:
        lines.append(
            f"{alone} of {len(check.rows)} tensors have no counterpart and were not compared"
        )
    first = check.first
    within = f"atol={check.atol:g} rtol={check.rtol:g}"
    if first is None:
        return "\n".join([*lines, f"every node is within {within}: yes"])
    node = first.node
    lines.append(f"every node is within {within}: no")
    lines.append(f"first that diverges: node {node['index']}, {node['op']} by {node['kernel']}")
    lines.append(f"  {node['source']}, tensor '{_short(first.tensor.name)}'; {node['why']}")
    return "\n".join(lines)


def check_json(check: Check) -> dict[str, Any]:
    """The same as data for programs."""
    return {
        "target": check.target,
        "against": check.against,
        "remark": check.remark,
        "atol": check.atol,
        "rtol": check.rtol,
        "within_tolerance": check.first is None,
        "first_diverging_node": None if check.first is None else check.first.node["index"],
        "tensors": [_row_json(row) for row in check.rows],
    }


def _row_json(row: Row) -> dict[str, Any]:
    kept = ("index", "op", "name", "source", "kernel", "why", "remarks")
    return {
        "node": {key: row.node[key] for key in kept},
        "id": row.tensor.id,
        "name": row.tensor.name,
        "dtype": row.tensor.dtype,
        "shape": list(row.tensor.shape),
        "difference": None if row.difference is None else asdict(row.difference),
        "diverges": row.diverges,
    }


def _table(check: Check) -> list[str]:
    table = [HEAD, *map(_cells, check.rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    text = [column in (1, 2, 3, 8) for column in range(len(HEAD))]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, text, strict=True)
        ).rstrip()
        for row in table
    ]


def _cells(row: Row) -> tuple[str, ...]:
    node, found = row.node, row.difference
    head = (str(node["index"]), str(node["op"]), str(node["kernel"]), _short(row.tensor.name))
    remarks = "; ".join(node["remarks"])
    if found is None:
        return (*head, "-", "-", "-", "-", f"no counterpart; {remarks}".rstrip("; "))
    mark = "<- diverges" if row.diverges else ""
    return (
        *head,
        f"{found.differing} of {found.elements}",
        f"{found.max_abs:g}",
        f"{found.max_rel:.3g}",
        _not_finite(found),
        "; ".join(filter(None, (mark, remarks))),
    )


def _not_finite(found: Difference) -> str:
    ours, theirs = found.not_finite, found.right_not_finite
    return str(ours) if ours == theirs else f"{ours} (right: {theirs})"


def _short(name: str) -> str:
    plain = printable(name)
    return plain if len(plain) <= SHOWN else f"…{plain[1 - SHOWN :]}"
