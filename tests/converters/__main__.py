"""PyTorch networks, exported by litert-torch or by onnx2tf: which build, and whether they equal
LiteRT.

    python3 -m venv LITERT && LITERT/bin/pip install litert-torch onnx
    python3 -m venv ONNX2TF && ONNX2TF/bin/pip install onnx2tf
    .venv/bin/python -m tests.converters litert-torch --litert-torch=LITERT/bin/python
    .venv/bin/python -m tests.converters onnx2tf --litert-torch=… --onnx2tf=ONNX2TF/bin/python

prints a verdict for each of 30 networks; the exit status is 1 where one differs or is refused.
Either converter wants packages of its own versions, 6.6 and 2.6 GB, so an interpreter of its own.
`--exports` keeps the model files in a folder and takes those that are there.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.keras.comparison import Verdict, compared

EXPORTERS = Path(__file__).parent / "exporters"
KINDS = ("litert-torch", "onnx2tf")
NOT_EXPORTED = "not exported"


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where a model does not give what LiteRT gives, 2 without a converter."""
    parser = argparse.ArgumentParser(prog="python -m tests.converters")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--litert-torch", default="", metavar="PYTHON")
    parser.add_argument("--onnx2tf", default="", metavar="PYTHON")
    parser.add_argument("--only", default="", help="names of networks, with commas")
    parser.add_argument("--compiled", action="store_true", help="compile for this machine, too")
    parser.add_argument("--exports", type=Path, help="the folder of the model files")
    options = parser.parse_args(arguments)
    wanted = {"litert-torch": options.litert_torch}
    wanted |= {"onnx2tf": options.onnx2tf} if options.kind == "onnx2tf" else {}
    for name, python in wanted.items():
        if not python:
            print(f"name an interpreter that has it: --{name}=PYTHON", file=sys.stderr)
            return 2
    names = options.only.split(",") if options.only else networks()
    if unknown := {*names} - {*networks()}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(networks())}")
    with tempfile.TemporaryDirectory(prefix="opsmith-converters-") as work:
        folder = (options.exports or Path(work)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            export(folder, names, *wanted.values())
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{error}\n{getattr(error, 'stderr', '')}", file=sys.stderr)
            return 2
        verdicts = judged(folder, names, Path(work), compiled=options.compiled)
    for name, verdict in verdicts.items():
        print(f"{name:20}{verdict.outcome:14}{verdict.remark}")
    counts = Counter(each.outcome for each in verdicts.values())
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    bad = [each for each in verdicts.values() if each.outcome != NOT_EXPORTED and not each.good]
    return 1 if bad else 0


def networks() -> list[str]:
    """Names of the networks, whose file needs PyTorch and so is not imported."""
    text = (EXPORTERS / "networks.py").read_text(encoding="utf-8")
    return re.findall(r"^@network\(.*\)\ndef (\w+)\(", text, re.MULTILINE)


def export(folder: Path, names: Sequence[str], torch: str, onnx2tf: str = "") -> None:
    """Export the networks that the folder lacks: to .tflite directly, or by way of ONNX."""
    absent = [name for name in names if not (folder / f"{name}.tflite").exists()]
    if not absent:
        return
    kind = "onnx" if onnx2tf else "litert-torch"
    _run(torch, "export.py", kind, str(folder), *absent)
    if onnx2tf:
        _run(onnx2tf, "from_onnx.py", str(folder), *absent)


def _run(python: str, script: str, *arguments: str) -> None:
    subprocess.run(
        [python, EXPORTERS / script, *arguments], check=True, capture_output=True, text=True
    )


def judged(folder: Path, names: Sequence[str], work: Path, *, compiled: bool) -> dict[str, Verdict]:
    """The verdict about each network."""
    paths = {name: folder / f"{name}.tflite" for name in names}
    made = [path for path in paths.values() if path.exists()]
    found = dict(zip(made, compared(made, work / "host", compiled=compiled), strict=True))
    return {
        name: found[path] if path in found else Verdict(NOT_EXPORTED, _failure(path))
        for name, path in paths.items()
    }


def _failure(path: Path) -> str:
    failure = path.with_suffix(".txt")
    return failure.read_text(encoding="utf-8") if failure.exists() else "its process died"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
