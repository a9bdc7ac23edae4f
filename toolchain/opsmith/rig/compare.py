"""`opsmith compare A B`: shows what the firmware of one build folder takes more than another's, and
why.

It reads report.json of both, and profile.json where `profile` has measured both.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.rig.build import beside, load_report
from opsmith.text import escaped

FORMAT = 1  # of the JSON
SETTINGS = ("model", "sha256", "board", "runtime", "opt", "numerics", "prefer", "toolchain")
MEASURED = ("modelled_cycles", "instructions", "cycles")  # of profile.json

Report = Mapping[str, Any]


def main(argv: Sequence[str]) -> int:
    """Print the differences; returns 0. Raises RIG001 for a folder without a report."""
    parser = Parser(prog="opsmith compare", description=__doc__)
    for name in ("before", "after"):
        parser.add_argument(name, type=Path, metavar=name.upper(), help="build folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(argv)
    reports = [_report(folder) for folder in (given.before, given.after)]
    found = compared(*reports)
    print(json.dumps(found) if given.json else "\n".join(_lines(found)))
    return 0


def _report(folder: Path) -> Report:
    """Facts of a build that can be compared. Raises RIG001."""
    report, profile = load_report(folder), _profile(folder)
    try:
        figures = {f"{name} used": int(each["used"]) for name, each in report["memory"].items()}
        figures |= {f"arena in {name}": int(a["bytes"]) for name, a in report["arena"].items()}
        figures |= {f"section {each['name']}": int(each["bytes"]) for each in report["sections"]}
        figures["constants"] = int(report["constant_bytes"])
        models = report.get("models", [report])
        figures["multiplications"] = sum(int(model["macs"] or 0) for model in models)
        figures |= {name: int(profile[name]) for name in MEASURED if name in profile}
        kernels = {
            f"{node['source']}, {node['name']}": f"{node['op']}.{node['kernel']}"
            for model in models
            for node in model["nodes"]
        }
        settings = {name: report.get(name) for name in SETTINGS}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"report.json lacks or garbles {error}"
        raise ToolchainError.of("RIG001", what, where=str(folder), fix="build it again") from error
    return {"figures": figures, "kernels": kernels, "settings": settings}


def _profile(folder: Path) -> Report:
    """Figures that `profile` measured of the firmware; empty where it was linked again later."""
    files = folder / "report.json", folder / "profile.json"
    times = [file.stat().st_mtime if file.exists() else 0.0 for file in files]
    return (beside(folder, "profile.json") or {}) if times[1] >= times[0] else {}


def compared(before: Report, after: Report) -> dict[str, Any]:
    """Differences of two builds: settings, figures and kernels, each as [before, after]."""
    found = {title: _differing(before[title], after[title]) for title in before}
    return {"format": FORMAT, **found}


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Differences by name: both values, with None where one build lacks the entry."""
    pairs = {name: [before.get(name), after.get(name)] for name in {**before, **after}}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    if not any(found[title] for title in ("settings", "figures", "kernels")):
        yield "nothing differs"
    for name, (before, after) in found["settings"].items():
        yield escaped(f"{name}: {_shown(before)} -> {_shown(after)}")
    figures = found["figures"]
    width = max(map(len, figures), default=0)
    for name, (before, after) in figures.items():
        grown = (after or 0) - (before or 0)
        share = f" ({grown / before:+.1%})" if before else ""
        numbers = f"{_count(before):>12} -> {_count(after):>12}  {grown:+,}{share}"
        yield escaped(f"{name:{width}}  {numbers}")
    for name, (before, after) in found["kernels"].items():
        yield escaped(f"{name}: {before or 'not there'} -> {after or 'not there'}")


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _shown(value: object) -> str:
    """Setting on one line; only the beginning of a digest."""
    if isinstance(value, Mapping):
        return str(value.get("compiler", "unknown"))
    return str(value or "default")[:60]
