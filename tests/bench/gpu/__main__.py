"""What models take on a GPU: `.venv/bin/python -m tests.bench.gpu [--models=DIR] [--into=FOLDER]`.

Builds MobileNetV1 224 of int8, and the models of MLPerf Tiny in DIR, for host_gpu; prints what
depends on no device; then runs measure.py of FOLDER, which can as well be done on another machine.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.bench.gpu.networks import mobilenet_v1
from tests.gpu.two_kernels import CXXFLAGS, compiled, make_ptx, raw_literal
from toolchain.testing.firmware import build, products
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Reference

HERE = Path(__file__).parent
APP = "tests/bench/gpu/app"
MODELS = ("vww_int8", "resnet_int8", "kws_int8", "ad_int8")
LAUNCH = re.compile(r'\{"(\w+)", "(\w+)", \{(\d+), (\d+), (\d+)\}, \{\d+, \d+, \d+\}, (\w+)')
TABLE = re.compile(r"Argument (\w+)\[\] = \{(.*?)\n\};", re.DOTALL)
ARGUMENT = re.compile(r"\{Memory::(\w+), (\d+), (\d+)\}")


@dataclass(frozen=True)
class Facts:
    """What a program launches, from its tables."""

    launches: int
    items: int  # work-items
    moved: int  # bytes of the arguments of all launches
    constants: int  # bytes
    arena: int  # bytes of both plans: the device's has the CPU's layout

    def __str__(self) -> str:
        return (
            f"{self.launches} launches, {self.items:,} work-items, "
            f"{self.moved // self.launches:,} B moved per launch; on the device "
            f"{self.arena + self.constants:,} B, of which {self.arena:,} B are the CPU's arena"
        )


def main(argv: list[str]) -> int:
    """Build, print, measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gpu", description=__doc__)
    parser.add_argument("--models", type=Path, help="the folder of the models of MLPerf Tiny")
    parser.add_argument("--into", type=Path, help="where to build (default: a temporary folder)")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        into = arguments.into or Path(scratch, "gpu")
        into.mkdir(parents=True, exist_ok=True)
        network = Path(scratch, "mobilenet_v1_224.tflite")
        network.write_bytes(mobilenet_v1())
        given = [arguments.models / f"{name}.tflite" for name in MODELS] if arguments.models else []
        made = [_prepared(model, into) for model in (network, *given)]
        rows = [{"name": name, "launches": facts.launches} for name, facts in made]
        (into / "models.json").write_text(json.dumps(rows), encoding="utf-8")
        for name, facts in made:
            print(f"{name}: {facts}")
        _floor(into)
        shutil.copy(HERE / "measure.py", into)
        return subprocess.run([sys.executable, into / "measure.py"], check=False).returncode


def _prepared(model: Path, into: Path) -> tuple[str, Facts]:
    """The program of a model, an input and LiteRT's output, in a folder of its own."""
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
    calls = products("board=host_gpu", f"model={model}", f"app={APP}") / "gpu/calls.cc"
    return model.stem, facts_of(calls.read_text(encoding="utf-8"))


def facts_of(calls: str) -> Facts:
    """What calls.cc of a program says."""
    rows = [tuple(map(int, found.group(3, 4, 5))) for found in LAUNCH.finditer(calls)]
    arguments = [each for _, table in TABLE.findall(calls) for each in ARGUMENT.findall(table)]
    ends = {
        memory: max(
            (int(at) + int(size) for kind, at, size in arguments if kind == memory), default=0
        )
        for memory in ("arena", "constants")
    }
    return Facts(
        launches=len(rows),
        items=sum(x * y * z for x, y, z in rows),
        moved=sum(int(size) for _, _, size in arguments),
        constants=ends["constants"],
        arena=ends["arena"],
    )


def _floor(into: Path) -> None:
    """A program of empty kernels, as the session runs it."""
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
