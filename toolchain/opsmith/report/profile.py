"""Cost of each node of a model on some target, as a table for people and data for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from opsmith.report.energy import UNKNOWN, Energy

BAR = 24
MODELLED = "modelled_cycles"
OTHER_NODES = "none are modelled beside, since the firmware that ships has other nodes"
HEADINGS = {
    "instructions": "instructions",
    MODELLED: "modelled cycles",
    "cycles": "cycles",
    "nanoseconds": "nanoseconds",
    "device_nanoseconds": "on the device",
}


@dataclass(frozen=True)
class Profile:
    """Figures of one inference, by node, each for all runs of the node together.

    `meaning` names each figure and explains it; a figure that varies is the least of `samples`.
    """

    target: str  # board, emulator or other player, runtime and opt
    meaning: Mapping[str, str]
    nodes: Sequence[Mapping[str, Any]]  # as in model.json
    values: Sequence[Sequence[int]]  # of each node, in the order of `meaning`
    rest: Sequence[int]  # figures of invoke() after its last node
    runs: Sequence[int] = ()  # number of runs of each node; () if each ran once
    samples: Sequence[Sequence[int]] = ()  # last figure of each node in repeated inferences
    energy: Energy | None = None
    firmwares: Sequence[str] = ()  # digests of the measured firmwares
    microjoules: Sequence[float] = ()  # energy of each node; () if no meter separates nodes

    @property
    def totals(self) -> dict[str, int]:
        """Sum of each figure over the whole of invoke()."""
        rows = [*self.values, self.rest]
        return {name: sum(row[i] for row in rows) for i, name in enumerate(self.meaning)}

    @property
    def counts(self) -> Sequence[int]:
        """Number of runs of each node."""
        return self.runs or [1] * len(self.nodes)

    @property
    def main(self) -> str:
        """Name of the figure for bars and shares: the one closest to time."""
        return list(self.meaning)[-1]


def beside(modelled: Profile, measured: Profile) -> Profile:
    """Profile with modelled and measured cycles of equal nodes; with measured ones alone, and a
    statement of it, where the two firmwares have different nodes.
    """
    names = [[node["name"] for node in each.nodes] for each in (modelled, measured)]
    if names[0] != names[1]:
        meaning = {name: f"{text}; {OTHER_NODES}" for name, text in measured.meaning.items()}
        return replace(measured, meaning=meaning)
    kept = [name for name in modelled.meaning if name == MODELLED]
    at = [[*modelled.meaning].index(name) for name in kept]
    values = [
        [*(row[i] for i in at), *own]
        for row, own in zip(modelled.values, measured.values, strict=True)
    ]
    rest = [*(modelled.rest[i] for i in at), *measured.rest]
    meaning = {name: modelled.meaning[name] for name in kept} | dict(measured.meaning)
    return replace(measured, meaning=meaning, values=values, rest=rest)


def spread(samples: Sequence[int]) -> dict[str, float]:
    """Least, median, greatest value and number of samples of repeated inferences."""
    middle = median(samples)
    return {"least": min(samples), "median": middle, "most": max(samples), "of": len(samples)}


def model_errors(profile: Profile) -> dict[str, float]:
    """Relative error of modelled cycles against the board's, by op; {} where only one is known."""
    names = list(profile.meaning)
    if MODELLED not in names or "cycles" not in names:
        return {}
    sums: dict[str, list[int]] = {}
    for node, row in zip(profile.nodes, profile.values, strict=True):
        figures = dict(zip(names, row, strict=True))
        total = sums.setdefault(node["op"], [0, 0])
        total[0] += figures[MODELLED]
        total[1] += figures["cycles"]
    return {op: said / took - 1 for op, (said, took) in sums.items() if took}


def profile_json(profile: Profile) -> dict[str, Any]:
    """Profile as data for programs: totals by figure, and the figures of each node."""
    kept = ("index", "op", "name", "source", "kernel", "why", "remarks", "macs")
    names = list(profile.meaning)
    return {
        "target": profile.target,
        "firmwares": [*profile.firmwares],
        "meaning": dict(profile.meaning),
        **profile.totals,
        "nodes": [
            {key: node[key] for key in kept}
            | {"runs": count}
            | dict(zip(names, row, strict=True))
            | sampled
            for node, row, count, sampled in zip(
                profile.nodes, profile.values, profile.counts, _sampled(profile), strict=True
            )
        ],
        "rest": dict(zip(names, profile.rest, strict=True)),
        "model_errors": model_errors(profile),
        "energy": asdict(profile.energy) if profile.energy else None,
    }


def profile_text(profile: Profile) -> str:
    """Table of nodes with bars, the totals, and an explanation of the figures."""
    names, most = list(profile.meaning), max((row[-1] for row in profile.values), default=0)
    total = profile.totals
    more, cells = _more_cells(profile)
    headings = (*map(HEADINGS.__getitem__, names), *more)
    table = [("#", "op", "kernel", "runs", *headings, "per MAC", "share", "")]
    of = zip(profile.nodes, profile.counts, profile.values, cells, strict=True)
    for node, runs, row, shown in of:
        table.append(_cells(node, runs, row, shown, total[profile.main], most))
    rest = [f"{value:,}" for value in profile.rest]
    none = [""] * len(more)
    table.append(("", "", "after the last node", "", *rest, *none, "", "", ""))
    macs = sum((n["macs"] or 0) * c for n, c in zip(profile.nodes, profile.counts, strict=True))
    sums = [f"{total[name]:,}" for name in names]
    table.append(("", "", "total", "", *sums, *none, _per_mac(total[profile.main], macs), "", ""))
    if not profile.runs:
        table = [(*row[:3], *row[4:]) for row in table]
    lines = [profile.target, *_aligned(table, 3)]
    lines += [f"{HEADINGS[name]}: {text}" for name, text in profile.meaning.items()]
    if errors := model_errors(profile):
        said = ", ".join(f"{op} {error:+.1%}" for op, error in errors.items())
        lines.append(f"the model's error, of what was measured: {said}")
    lines.append(f"energy: {profile.energy.text if profile.energy else UNKNOWN}")
    return "\n".join(lines)


def _sampled(profile: Profile) -> list[dict[str, Any]]:
    """Spread of the samples and energy of each node, where measured."""
    found: list[dict[str, Any]] = [{} for _ in profile.nodes]
    for fields, samples in zip(found, profile.samples, strict=False):
        fields["samples"] = spread(samples)
    for fields, energy in zip(found, profile.microjoules, strict=False):
        fields["microjoules"] = energy
    return found


def _more_cells(profile: Profile) -> tuple[list[str], list[list[str]]]:
    """Headings of samples and energy, and the cells of each node."""
    headings, cells = list[str](), [list[str]() for _ in profile.nodes]
    if profile.samples:
        headings += ["median", "spread"]
        for row, taken in zip(cells, profile.samples, strict=True):
            row += [f"{round(median(taken)):,}", f"{max(taken) - min(taken):,}"]
    if profile.microjoules:
        headings.append("µJ")
        for row, energy in zip(cells, profile.microjoules, strict=True):
            row.append(f"{energy:,.3g}")
    return headings, cells


def _cells(
    node: Mapping[str, Any],
    runs: int,
    row: Sequence[int],
    more: Sequence[str],
    total: int,
    most: int,
) -> tuple[str, ...]:
    share = f"{row[-1] / total:.1%}" if total else ""
    bar = "#" * (-(-row[-1] * BAR // most) if most else 0)
    head = (str(node["index"]), str(node["op"]), str(node["kernel"]), f"{runs:,}")
    figures = [*(f"{value:,}" for value in row), *more]
    return (*head, *figures, _per_mac(row[-1], (node["macs"] or 0) * runs), share, bar)


def _per_mac(value: int, macs: int) -> str:
    return f"{value / macs:.3f}" if macs else ""


def _aligned(table: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Lines of a table: the first `texts` columns after the number and the last are left-aligned,
    the rest right-aligned.
    """
    last = len(table[0]) - 1
    widths = [max(len(row[column]) for row in table) for column in range(last + 1)]
    return [
        "  ".join(
            cell.rjust(widths[i]) if i == 0 or texts <= i < last else cell.ljust(widths[i])
            for i, cell in enumerate(row)
        ).rstrip()
        for row in table
    ]
