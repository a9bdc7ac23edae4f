"""One page about a firmware, as HTML in one file that needs no network and no script.

It shows what report.json says, and what profile.json and run.json have beside it; what neither of
them has is 'not measured'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.report.plan_svg import plan_svg

TEMPLATE = "page.html.jinja"
OWNERS = 8  # tensors that are named at the peak
DRAWN = 400  # nodes of a memory plan; more would be one blur
Data = Mapping[str, Any]


def report_page(
    report: Data,
    record: Data | None = None,
    profile: Data | None = None,
    run: Data | None = None,
) -> str:
    """The page as HTML; every text in it is escaped. Raises LookupError where data are missing, and
    BLD114.
    """
    try:
        import jinja2
    except ImportError as error:
        what, fix = "the package Jinja2 is not installed", "pip install 'opsmith[report]'"
        raise ToolchainError.of("BLD114", what, where="opsmith report", fix=fix) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    models = [Model(each, profile) for each in report.get("models", [report])]
    given = {
        "report": report,
        "record": record or {},
        "models": models,
        "profile": profile,
        "run": run,
    }
    try:
        return environment.get_template(TEMPLATE).render(given)
    except jinja2.UndefinedError as error:
        raise LookupError(str(error)) from error


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


@dataclass(frozen=True)
class Layer:
    """A node, as the page shows it."""

    node: Data
    estimate: int | None  # as the kernel declares it, in instructions about
    measured: int | None  # by `profile`, by its figure that is nearest to time
    share: float  # of all nodes', 0 to 1


@dataclass(frozen=True)
class Model:
    """A model, as the page shows it."""

    data: Data
    profile: Data | None

    @property
    def layers(self) -> list[Layer]:
        """The nodes in their order."""
        nodes: Sequence[Data] = self.data["nodes"]
        rows = self._profiled(nodes)
        costs = [
            row if row is not None else _estimate(n) for n, row in zip(nodes, rows, strict=True)
        ]
        total = sum(filter(None, costs)) or 1
        return [
            Layer(node, _estimate(node), row, (cost or 0) / total)
            for node, row, cost in zip(nodes, rows, costs, strict=True)
        ]

    @property
    def slowest(self) -> list[Layer]:
        """The nodes, the most costly first."""
        return sorted(self.layers, key=lambda each: -each.share)

    @property
    def figure(self) -> str:
        """The figure that is measured of each node; "" where none is."""
        if self.profile is None or not any(self._profiled(self.data["nodes"])):
            return ""
        return str([*self.profile["meaning"]][-1]).replace("_", " ")

    @property
    def estimated(self) -> int | None:
        """The sum of the estimates; None where a kernel declares none."""
        found = [_estimate(node) for node in self.data["nodes"]]
        return None if None in found else sum(filter(None, found))

    @property
    def plan(self) -> str:
        """The picture of the memory plan, as SVG; "" of too many nodes."""
        few = len(self.data["nodes"]) <= DRAWN and bool(self.data["arena"])
        return plan_svg(self.data) if few else ""

    @property
    def peaks(self) -> Iterator[tuple[str, Data, list[Data]]]:
        """(memory, the node in which most bytes are in use, and the largest tensors then)."""
        for memory in self.data["arena"]:
            tensors = [each for each in self.data["tensors"] if each["memory"] == memory]
            used = [
                sum(t["bytes"] for t in tensors if t["first"] <= i <= t["last"])
                for i in range(len(self.data["nodes"]))
            ]
            if used:
                at = used.index(max(used))
                alive = [t for t in tensors if t["first"] <= at <= t["last"]]
                largest = sorted(alive, key=lambda each: -each["bytes"])[:OWNERS]
                yield memory, self.data["nodes"][at], largest

    @property
    def rules(self) -> Mapping[str, int]:
        """How many nodes have each rule of numerics."""
        found: dict[str, int] = {}
        for node in self.data["nodes"]:
            found[node["numerics"]] = found.get(node["numerics"], 0) + 1
        return found

    def _profiled(self, nodes: Sequence[Data]) -> list[int | None]:
        """The figure of each node in profile.json, where that is of these nodes."""
        rows = self.profile.get("nodes", []) if self.profile else []
        of_these = [(row["name"], row["kernel"]) for row in rows]
        if of_these != [(node["name"], node["kernel"]) for node in nodes]:
            return [None] * len(nodes)
        main = [*(self.profile or {})["meaning"]][-1]
        return [int(row[main]) for row in rows]


def _estimate(node: Data) -> int | None:
    taken = (each["cost"] for each in node["candidates"] if each["taken"])
    cost = next(taken, None)
    return None if cost is None else round(cost)
