"""Report of `crosscheck`: a line for each tensor that a node writes, and the first wrong one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from opsmith.errors import printable
from opsmith.oracle.differences import Comparison, Difference
from opsmith.rig.build import PortTensor

HEAD = ("#", "op", "kernel", "tensor", "runs", "differ", "max abs", "max rel", "NaN/Inf", "")
RUNS = HEAD.index("runs")  # a column only if some nodes run several times
SHOWN = 40  # characters of a name


@dataclass(frozen=True)
class Row:
    """A tensor that a node writes, and its differences in all runs of the node."""

    node: Mapping[str, Any]  # as in model.json
    tensor: PortTensor
    comparison: Comparison

    @property
    def alone(self) -> bool:
        """True if the node ran, but the reference lacks the tensor."""
        return self.comparison.difference is None and self.comparison.runs > 0

    @property
    def diverges(self) -> bool:
        """True if an element is beyond the tolerance, or the node ran too often or too rarely."""
        return self.comparison.first is not None


@dataclass(frozen=True)
class Crosscheck:
    """Results of a crosscheck: rows of all tensors, with oracle and tolerance."""

    target: str
    against: str
    remark: str
    atol: float
    rtol: float
    rows: tuple[Row, ...]
    first: Row | None  # first row that diverges, in the order of nodes
    notes: tuple[str, ...] = ()  # about nodes with another reference than LiteRT's
    sound: bool = True  # the reference differs from LiteRT by no more than ops declare

    @property
    def right(self) -> bool:
        """True if no node diverges and the oracle is sound."""
        return self.first is None and self.sound

    @property
    def straight(self) -> bool:
        """True if each node ran once."""
        return all(row.comparison.runs == row.comparison.right_runs == 1 for row in self.rows)


def check_text(check: Crosscheck) -> str:
    """Table and verdict of a crosscheck, as text."""
    because = f" ({check.remark})" if check.remark else ""
    lines = [check.target, f"against {check.against}{because}", *_table(check), *check.notes]
    alone = sum(row.alone for row in check.rows)
    if alone:
        lines.append(
            f"{alone} of {len(check.rows)} tensors have no counterpart and were not compared"
        )
    first = check.first
    within = f"atol={check.atol:g} rtol={check.rtol:g}"
    if first is None:
        verdict = "yes" if check.sound else "no"
        return "\n".join([*lines, f"every node is within {within}: {verdict}"])
    node, run = first.node, "" if check.straight else f", in run {first.comparison.first} of it"
    who = f"node {node['index']}, {node['op']} by {node['kernel']}{run}"
    lines.append(f"every node is within {within}: no")
    lines.append(f"first that diverges: {who}")
    lines.append(f"  {node['source']}, tensor '{_short(first.tensor.name)}'; {node['why']}")
    return "\n".join(lines)


def check_json(check: Crosscheck) -> dict[str, Any]:
    """Result of a crosscheck as data for programs."""
    return {
        "target": check.target,
        "against": check.against,
        "remark": check.remark,
        "atol": check.atol,
        "rtol": check.rtol,
        "within_tolerance": check.right,
        "notes": [note.strip() for note in check.notes],
        "first_diverging_node": None if check.first is None else check.first.node["index"],
        "tensors": [_row_json(row) for row in check.rows],
    }


def _row_json(row: Row) -> dict[str, Any]:
    kept = ("index", "op", "name", "source", "kernel", "why", "remarks")
    difference = row.comparison.difference
    return {
        "node": {key: row.node[key] for key in kept},
        "id": row.tensor.id,
        "name": row.tensor.name,
        "dtype": row.tensor.dtype,
        "shape": list(row.tensor.shape),
        "runs": row.comparison.runs,
        "right_runs": row.comparison.right_runs,
        "difference": None if difference is None else asdict(difference),
        "diverges": row.diverges,
    }


def _table(check: Crosscheck) -> list[str]:
    table = [HEAD, *map(_cells, check.rows)]
    if check.straight:
        table = [(*row[:RUNS], *row[RUNS + 1 :]) for row in table]
    last = len(table[0]) - 1
    widths = [max(len(row[column]) for row in table) for column in range(last + 1)]
    text = [column in (1, 2, 3, last) for column in range(last + 1)]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, text, strict=True)
        ).rstrip()
        for row in table
    ]


def _cells(row: Row) -> tuple[str, ...]:
    node, found, comparison = row.node, row.comparison.difference, row.comparison
    head = (str(node["index"]), str(node["op"]), str(node["kernel"]), _short(row.tensor.name))
    runs = str(comparison.runs)
    if comparison.runs != comparison.right_runs:
        runs += f" (right: {comparison.right_runs})"
    mark, remarks = "<- diverges" if row.diverges else "", "; ".join(node["remarks"])
    if found is None:
        alone = "no counterpart" if row.alone else "did not run"
        return (*head, runs, *"----", "; ".join(filter(None, (mark, alone, remarks))))
    return (
        *head,
        runs,
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
