"""Results of a run as data: run.json, from which the terminal's text and run.xml are made.

run.schema.json describes each field.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError, cannot_write, described
from opsmith.rig import arrays
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, PortTensor, load_report
from opsmith.rig.junit import junit
from opsmith.rig.metrics import metrics
from opsmith.rig.phases import Phases
from opsmith.rig.report import EXACT, Tolerance, difference_text, values_text
from opsmith.rig.tally import tally_text
from opsmith.text import escaped, escaped_lines
from opsmith.writing import replace_files

SCHEMA = 1
FILES = ("run.json", "run.xml")
Result = dict[str, Any]
_EMPTY = ("error", "model", "firmware", "toolchain", "runtime", "place", "stored", "showcase")

_LISTS = ("kernels", "phases", "inputs", "outputs", "took", "notes")


def new_result(board: Board, model: Path) -> Result:
    """Result of a run that begins now."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    found: Result = {"schema": SCHEMA, "outcome": None, "status": None, "started": started}
    found |= dict.fromkeys(_EMPTY)
    found["model"] = {"name": escaped(model.name), "sha256": None}
    found["board"] = {"name": board.name, "title": board.title, "core": board.core.name}
    found |= {"oracle": None, "data": None, "time": None, "energy": None, "stack": None}
    return found | {name: [] for name in _LISTS}


def add_build(result: Result, build: Build) -> None:
    """Record the firmware that is to run, and its sources."""
    report = load_report(build.folder)
    result["model"]["sha256"] = build.model_sha256
    result["firmware"] = {"digest": build.digest, "folder": escaped(str(build.folder))}
    compiler = str(report.get("toolchain", {}).get("compiler", ""))
    result["toolchain"] = {"opsmith": _version(), "compiler": escaped(compiler)}
    result["runtime"] = escaped(str(report.get("runtime", "")))
    nodes = report.get("nodes", [])
    result["kernels"] = sorted({escaped(f"{n.get('op')} {n.get('kernel')}") for n in nodes})


def add_arrays(result: Result, kind: str, build: Build, values: Sequence[Array]) -> None:
    """Record the arrays of 'inputs' or 'outputs'."""
    tensors = build.inputs if kind == "inputs" else build.outputs
    result[kind] = [_array(*each) for each in zip(tensors, values, strict=True)]
    if kind == "outputs":
        for row, tensor, array in zip(result[kind], tensors, values, strict=True):
            row |= {"shown": values_text(tensor, array), "right": None, "difference": None}
            row["metrics"] = None


def add_comparison(
    result: Result,
    build: Build,
    outputs: Sequence[Array],
    right: Sequence[Array],
    oracle: Mapping[str, Any],
    tolerance: Tolerance,
) -> None:
    """Record whether outputs are right by an oracle, which has `title`, `remark` and `sound`."""
    of = zip(result["outputs"], build.outputs, outputs, right, strict=True)
    for row, tensor, ours, theirs in of:
        row["right"] = tolerance.allows(ours, theirs)
        row["difference"] = None if EXACT.allows(ours, theirs) else difference_text(ours, theirs)
        row["metrics"] = metrics(tensor, ours, theirs)
    claim = tolerance.claim(oracle["title"])
    within = {"atol": tolerance.atol, "rtol": tolerance.rtol}
    result["oracle"] = {**oracle, "claim": claim, **within}


def finish(
    result: Result, outcome: str, status: int, phases: Phases, error: BaseException | None = None
) -> None:
    """Record how a run ended."""
    result["outcome"], result["status"] = outcome, status
    result["phases"] = [asdict(phase) for phase in phases]
    if error is not None:
        result["error"] = {"phase": phases.current or None, "problems": _problems(error)}


def write_result(result: Result, folder: Path) -> None:
    """Write run.json and run.xml from the result. Raises BLD002."""
    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    replace_files(folder, dict(zip(FILES, (text, junit(result, result_text(result))), strict=True)))


def remove_result(folder: Path) -> None:
    """Remove earlier results, so that no file claims success if a run is killed. Raises BLD002."""
    for name in FILES:
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(folder / name, error, "cannot be removed") from error


def result_text(result: Result) -> str:
    """Lines about a run for the terminal."""
    lines = []
    if result["outputs"]:
        board = f"{result['board']['title']} ({result['place']['title']})"
        lines += [escaped(f"{board}: {', '.join(result['took'])}")]
        lines += [f"{row['name']}: {row['shown']}" for row in result["outputs"]]
    if result["data"]:
        data = result["data"]
        lines += [f"{data['set']}: {tally_text(data)[0]}", *tally_text(data)[1:]]
        lines += [f"all outputs are right: {'yes' if data['exact'] == data['of'] else 'no'}"]
    lines += [result["showcase"]] if result["showcase"] else []
    lines += [f"outputs stored in {result['stored']}"] if result["stored"] else []
    if result["oracle"]:
        oracle = result["oracle"]
        right = oracle["sound"] and all(row["right"] for row in result["outputs"])
        because = f" ({oracle['remark']})" if oracle["remark"] else ""
        lines += [f"{oracle['claim']}: {'yes' if right else 'no'}{because}"]
        wrong = (row for row in result["outputs"] if row["difference"])
        lines += [f"  {row['name']}: {row['difference']}" for row in wrong]
    return escaped_lines("\n".join([*lines, *result["notes"]]))


def _array(tensor: PortTensor, array: Array) -> dict[str, Any]:
    digest = hashlib.sha256(arrays.to_bytes(array)).hexdigest()
    shape = list(tensor.shape)
    return {
        "name": escaped(tensor.name), "dtype": tensor.dtype, "shape": shape, "sha256": digest,
    }  # fmt: skip


def _problems(error: BaseException) -> list[dict[str, str]]:
    if isinstance(error, ToolchainError):
        return [asdict(problem) for problem in error.problems]
    return [{"code": "", "what": described(error), "where": "", "fix": ""}]


def _version() -> str:
    try:
        return version("opsmith")
    except PackageNotFoundError:
        return "not installed"
