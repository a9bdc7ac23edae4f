"""A cell of a matrix as a function of files: it builds and runs a firmware, and returns figures."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.child import Finished, finished
from opsmith.matrix.jobs import SCONS, Job
from opsmith.rig.build import beside, load_report
from opsmith.rig.outcome import PASS

ERROR = "error"  # outcome of a cell that was not run
LONGEST = 6 * 3600.0  # seconds for a cell
RESULTS = ("run.json", "run.xml", "profile.json")
MODELLED = "modelled_cycles"
# Errors about a machine, not about a cell: disk, memory or missing programs.
OF_MACHINES = "BLD002 BLD010 BLD011 BLD012 BLD025 BLD091 BLD092 BLD094".split()
_CODED = re.compile(r"^error ([A-Z]{3}\d{3}): (.*)$", re.MULTILINE)

Row = dict[str, Any]


def computed(job: Job, root: Path, parallel: int = 1) -> Row:
    """Figures of a cell, built in the project in a folder with `parallel` steps at once. No figure
    depends on the folder, the machine or the time.
    """
    folder = root / job.folder
    for name in RESULTS:
        (folder / name).unlink(missing_ok=True)
    ended = finished([*SCONS, f"-j{parallel}", *job.words], LONGEST, folder=root)
    run = beside(folder, RESULTS[0])
    row: Row = {**job.cell.axes, "outcome": ERROR, "code": "", "what": ""}
    row |= _figures(folder, run) if run else dict.fromkeys(FIGURES)
    if run:
        row["outcome"] = str(run["outcome"])
    if ended.status != 0:
        code, what = _problem(run, ended)
        outcome = ERROR if row["outcome"] == PASS else row["outcome"]  # passed, but failed later
        row |= {"outcome": outcome, "code": code, "what": what.replace(f"{root}/", "")}
    return row


def _figures(folder: Path, run: Mapping[str, Any]) -> Row:
    report, profile = load_report(folder), beside(folder, RESULTS[2]) or {}
    memory = {name: int(each["used"]) for name, each in report["memory"].items()}
    time, data = run["time"] or {}, run["data"] or {}
    measured = time["value"] if time.get("unit") == "cycles" else None
    accuracy = data.get("accuracy")
    return {
        "firmware": str(report["firmware"]["sha256"]),
        "flash": memory.get("flash"),
        "ram": memory.get("ram", [*memory.values()][-1]),
        "instructions": profile.get("instructions"),
        "cycles": profile.get(MODELLED, measured),
        "exact": _exact(run, data),
        "accuracy": data.get("auc") if accuracy is None else accuracy,
    }


FIGURES = ("firmware", "flash", "ram", "instructions", "cycles", "exact", "accuracy")


def _exact(run: Mapping[str, Any], data: Mapping[str, Any]) -> bool | None:
    """True if all bytes equal the oracle's; None where nothing was compared."""
    if data:
        return bool(data["exact"] == data["of"])
    if not run["oracle"]:
        return None
    return bool(run["oracle"]["sound"]) and not any(each["difference"] for each in run["outputs"])


def _problem(run: Mapping[str, Any] | None, ended: Finished) -> tuple[str, str]:
    """Code and text of the error that ended a cell."""
    for problem in ((run or {}).get("error") or {}).get("problems", []):
        return problem["code"], problem["what"]
    if run and run["outcome"] != PASS:
        return "", "other outputs"
    found = _CODED.search(ended.said)
    return (found[1], found[2]) if found else ("", ended.how)
