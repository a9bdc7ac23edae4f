"""Page about a firmware, as HTML in one file that needs no network and no script.

The page shows report.json, and profile.json and run.json beside it; figures that none of them has
are 'not measured'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.home import with_our_pip
from opsmith.report.elf import SizedSymbol
from opsmith.report.energy import UNKNOWN, Energy
from opsmith.report.graph_picture import Picture, picture
from opsmith.report.peak import Peak, peaks
from opsmith.report.peers import peer_of
from opsmith.report.plan_svg import plan_svg
from opsmith.report.sized_symbols import owned_symbols
from opsmith.report.treemap import by_owner, tiles
from opsmith.text import escaped

PAGE = "report.html"
PACKAGES = ("jinja2", "squarify")  # of the extra `report`
TEMPLATE = "page.html.jinja"
DETAILED = 200  # layers with their other kernels, so that the page stays below 1 MB
DRAWN = 400  # nodes in a drawn memory plan; more would blur
Data = Mapping[str, Any]


def report_page(
    report: Data,
    record: Data | None = None,
    profile: Data | None = None,
    run: Data | None = None,
    symbols: Sequence[SizedSymbol] = (),
) -> str:
    """Page as HTML, with every text escaped. Raises LookupError for missing data, and BLD114."""
    if lacking := [each for each in PACKAGES if not find_spec(each)]:
        what = f"not installed: {', '.join(lacking)}"
        fix = with_our_pip("pip install 'opsmith[report]'")
        raise ToolchainError.of("BLD114", what, where="opsmith report", fix=fix)
    owned = owned_symbols(report, symbols) if symbols else []
    models = [PageModel(each, profile) for each in report.get("models", [report])]
    given = {
        "report": report,
        "record": record or {},
        "models": models,
        "profile": profile,
        "peer": peer_of(report, profile),
        "run": run,
        "energy": _energy(profile, run),
        "owners": by_owner(owned),
        "maps": {
            memory: tiles(inside)
            for memory in report["memory"]
            if (inside := [each for each in owned if each.memory == memory])
        },
    }
    from jinja2 import UndefinedError

    try:
        return str(template().render(given))
    except UndefinedError as error:
        raise LookupError(str(error)) from error


def _energy(profile: Data | None, run: Data | None) -> str:
    """Energy of one inference as text, from `profile` or else from `run`."""
    found = (profile or {}).get("energy") or (run or {}).get("energy")
    return Energy(**found).text if found else UNKNOWN


def page_file(report: Data, record: Data, symbols: Sequence[SizedSymbol]) -> dict[str, str]:
    """Page of a firmware that was just linked, by file name; none without the extra `report`."""
    return {PAGE: report_page(report, record, symbols=symbols)} if can_be_made() else {}


def can_be_made() -> bool:
    """True if the extra `report` is installed."""
    return all(map(find_spec, PACKAGES))


@cache
def template() -> Any:
    """Compiled template of the page, for `can_be_made`; it takes 0.1 s."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    return environment.get_template(TEMPLATE)


def _printable(value: object) -> object:
    """Text in which no character of a name reverses the words after it; other values unchanged."""
    return escaped(value) if type(value) is str else value


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


@dataclass(frozen=True)
class PageNode:
    """A node on the page."""

    node: Data
    estimate: int | None  # approximate cycles, as the kernel declares them
    measured: Sequence[int]  # figures by `profile`; the last is the nearest to time
    share: float  # share of all nodes, 0 to 1

    @property
    def others(self) -> list[str]:
        """Kernels that were not chosen, by reason."""
        found: dict[str, list[str]] = {}
        for each in self.node["candidates"]:
            if not each["taken"]:
                cost = each["cost"]
                declared = "no declared cost" if cost is None else f"costs {round(cost):,}"
                found.setdefault(each["refused"] or declared, []).append(each["kernel"])
        return [f"{', '.join(names)}: {why}" for why, names in found.items()]


@dataclass(frozen=True)
class PageModel:
    """A model on the page."""

    data: Data
    profile: Data | None

    @cached_property
    def layers(self) -> list[PageNode]:
        """Nodes in their order."""
        nodes: Sequence[Data] = self.data["nodes"]
        rows = self._profiled(nodes)
        costs = [row[-1] if row else _estimate(n) for n, row in zip(nodes, rows, strict=True)]
        total = sum(filter(None, costs)) or 1
        return [
            PageNode(node, _estimate(node), row, (cost or 0) / total)
            for node, row, cost in zip(nodes, rows, costs, strict=True)
        ]

    @property
    def slowest(self) -> list[PageNode]:
        """Nodes, the most costly first."""
        return sorted(self.layers, key=lambda each: -each.share)

    @cached_property
    def detailed(self) -> frozenset[int]:
        """Indices of the layers whose other kernels are listed: the slowest."""
        return frozenset(each.node["index"] for each in self.slowest[:DETAILED])

    @property
    def figures(self) -> list[str]:
        """Names of the figures that were measured of each node, the closest to time last."""
        if self.profile is None or not any(self._profiled(self.data["nodes"])):
            return []
        return [str(each).replace("_", " ") for each in self.profile["meaning"]]

    @property
    def estimated(self) -> int | None:
        """Sum of the estimates; None where a kernel declares none."""
        found = [_estimate(node) for node in self.data["nodes"]]
        return None if None in found else sum(filter(None, found))

    @property
    def plan(self) -> str:
        """Picture of the memory plan, as SVG; "" for too many nodes."""
        few = len(self.data["nodes"]) <= DRAWN and bool(self.data["arena"])
        return plan_svg(self.data) if few else ""

    @property
    def graph(self) -> Picture:
        """Picture of the graph of nodes."""
        return picture(self.data["nodes"])

    @property
    def peaks(self) -> list[Peak]:
        """Peak of each memory that has an arena."""
        return list(peaks(self.data))

    @property
    def rules(self) -> Mapping[str, int]:
        """Number of nodes by rule of numerics."""
        found: dict[str, int] = {}
        for node in self.data["nodes"]:
            found[node["numerics"]] = found.get(node["numerics"], 0) + 1
        return found

    def _profiled(self, nodes: Sequence[Data]) -> list[list[int]]:
        """Figures of each node in profile.json; empty where that file is about other nodes."""
        rows = self.profile.get("nodes", []) if self.profile else []
        of_these = [(row["name"], row["kernel"]) for row in rows]
        if of_these != [(node["name"], node["kernel"]) for node in nodes]:
            return [[]] * len(nodes)
        return [[int(row[each]) for each in (self.profile or {})["meaning"]] for row in rows]


def _estimate(node: Data) -> int | None:
    if node["kernel"] == "in place":  # in place nothing runs
        return 0
    taken = (each["cost"] for each in node["candidates"] if each["taken"])
    cost = next(taken, None)
    return None if cost is None else round(cost)
