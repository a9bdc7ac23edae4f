"""Figures of models on a GPU: `.venv/bin/python -m tests.bench.gpu [--models=DIR] [--into=FOLDER]`.

Builds MobileNetV1 224 of int8, and the models of MLPerf Tiny in DIR, for host_gpu; prints what
depends on no device (figures.py), which --record writes to figures.toml instead; then runs
measure.py of FOLDER, which can as well be done on another machine.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from opsmith.oracle.litert import Reference
from opsmith.testing.firmware import build
from opsmith.testing.inputs import seeded_inputs
from tests.bench.gpu.figures import (
    REAL,
    SHIPPED,
    figures,
    shipped,
    told,
    write_records,
    written_network,
)
from tests.bench.recorded import find
from tests.gpu.two_kernels import CXXFLAGS, compiled, make_ptx, raw_literal

HERE = Path(__file__).parent
APP = "tests/bench/gpu/app"


def main(argv: list[str]) -> int:
    """Build the programs of all models, print their figures, and measure their times."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gpu", description=__doc__)
    parser.add_argument("--models", type=Path, help="the folder of the models of MLPerf Tiny")
    parser.add_argument("--into", type=Path, help="where to build (default: a temporary folder)")
    parser.add_argument("--record", action="store_true", help="write figures.toml instead")
    arguments = parser.parse_args(argv)
    if arguments.record and not arguments.models:
        parser.error("--record needs --models")
    with tempfile.TemporaryDirectory() as scratch:
        into = arguments.into or Path(scratch, "gpu")
        into.mkdir(parents=True, exist_ok=True)
        network = written_network(Path(scratch))
        given = [find(arguments.models, name) for name in REAL] if arguments.models else []
        found = {model.stem: figures(model) for model in (network, *given)}
        if arguments.record:
            write_records({SHIPPED: figures(shipped()), **found})
            return 0
        for name, values in found.items():
            print(f"{name}: {told(values)}")
        rows = [
            {"name": model.stem, "launches": _prepared(model, into)} for model in (network, *given)
        ]
        (into / "models.json").write_text(json.dumps(rows), encoding="utf-8")
        _floor(into)
        shutil.copy(HERE / "measure.py", into)
        return subprocess.run([sys.executable, into / "measure.py"], check=False).returncode


def _prepared(model: Path, into: Path) -> int:
    """Build the program, an input and LiteRT's output in a folder of its own; its launches."""
    folder = into / model.stem
    folder.mkdir(exist_ok=True)
    reference = Reference(model)
    inputs = seeded_inputs(reference.inputs, 1)[-1]
    (folder / "in.bin").write_bytes(b"".join(each.tobytes() for each in inputs))
    outputs = reference.run(inputs)
    (folder / "want.bin").write_bytes(b"".join(each.tobytes() for each in outputs))
    shutil.copy(model, folder / "model.tflite")
    with tempfile.TemporaryDirectory() as scratch:
        built = build("host_gpu", model, Path(scratch), app=APP)
        shutil.copy(built / "firmware.elf", folder)
        report = json.loads((built / "report.json").read_text(encoding="utf-8"))
    return len(report["emitted"]["launches"])


def _floor(into: Path) -> None:
    """Build the program of empty kernels, whose time is the least that launches take."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ptx = make_ptx(folder, HERE / "empty.cl")
        given = "nullptr" if ptx is None else raw_literal(ptx)
        text = (HERE / "empty.cl").read_text(encoding="utf-8")
        lines = [
            f"constexpr const char* source = {raw_literal(text)};",
            f"constexpr const char* ptx = {given};",
            f"constexpr size_t ptx_bytes = {len((ptx or '').encode())};",
        ]
        (folder / "kernels.inc").write_text("\n".join(lines), encoding="utf-8")
        compiled(HERE / "floor.cc", into / "floor", *CXXFLAGS, "-O2", f"-I{folder}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
