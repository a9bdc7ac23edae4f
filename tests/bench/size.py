"""How much flash and RAM firmware needs: `.venv/bin/python -m tests.bench.size` prints a table.

Builds `app=bench` for each model and `opt`, and for models that are fed row by row, runs it in QEMU
for the stack it uses, and prints the figures beside the peer's. With --every, prints instead the
flash and RAM of all models at opt=size and opt=balanced. Exit status 1 where a limit is exceeded,
or where opt=size takes more of both together than opt=balanced.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.board.manifest import load_board
from opsmith.testing.firmware import BOARDS, products, scons
from tests.bench.measured import named_models
from tests.bench.peers import MLPERF_TINY, Figures, read_peers

MODELS = ("kws_int8", "vww_int8", "resnet_int8", "ad_int8", "sww_int8")
OPTS = ("speed", "balanced", "size")
# bytes: at opt=balanced, the whole firmware and all RAM that it touches
FLASH_LIMITS = dict(zip(MODELS, (42_000, 64_000, 96_000, 286_000, 66_000), strict=True))
RAM_LIMITS = dict(zip(MODELS, (11_000, 44_000, 37_000, 2_500, 6_500), strict=True))
# bytes of tensors and states of models that are fed row by row, besides a node's scratch
STREAMS = {
    ("kws_int8", "rows"): 4_452,
    ("vww_int8", "rows"): 13_648,
    ("resnet_int8", "rows"): 12_544,
    ("sww_int8", "frames"): 3_968,
}
HEAD = f"{'model':12} {'opt':9}" + "".join(
    f"{name:>10}" for name in ("arena", "other RAM", "stack", "RAM", "code", "constants", "flash")
)


@dataclass(frozen=True)
class Size:
    """Flash and RAM of one firmware, in bytes."""

    arena: int  # tensors and scratch
    other: int  # the rest of .data and .bss
    stack: int  # the most that was used, measured
    constants: int  # weights and tables of the model
    flash: int
    state: int = 0  # of `other`: what nodes keep
    scratch: int = 0  # of the node that has most

    @property
    def ram(self) -> int:
        """RAM that the firmware touches in all, in bytes."""
        return self.arena + self.other + self.stack

    @property
    def code(self) -> int:
        """Flash without the model's constants, in bytes."""
        return self.flash - self.constants


def main(argv: list[str]) -> int:
    """Measure everything and print the table; 0 when every limit holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.size", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--runtime", default="cmsis")
    parser.add_argument(
        "--every", action="store_true", help="flash and RAM of all models below DIR"
    )
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    if arguments.every:
        return int(any([*_larger(arguments.models, arguments.board, arguments.runtime)]))
    found = read_peers([MLPERF_TINY])
    peers = {name: found.models[name].figures["cortex-m4f"] for name in MODELS}
    print(f"{arguments.board}, runtime={arguments.runtime}, bytes; peer: {found.title}\n")
    print(f"{HEAD}{'peer RAM':>10}{'flash':>10}")
    problems = []
    for name in MODELS:
        model = next(Path(arguments.models).rglob(f"{name}.tflite"))
        flash: dict[str, int] = {}
        for opt in OPTS:
            size = measure(model, arguments.board, arguments.runtime, opt)
            print(_row(name, opt, size, peers[name]), flush=True)
            problems += _problems(name, opt, size, peers[name])
            flash[opt] = size.flash
        if flash["size"] > min(flash.values()):
            problems.append(f"{name}: opt=size is not the smallest")
    for (name, stream), limit in STREAMS.items():
        model = next(Path(arguments.models).rglob(f"{name}.tflite"))
        size = measure(model, arguments.board, arguments.runtime, "balanced", stream)
        print(_row(name, stream, size, peers[name]), flush=True)
        problems += _stream_problems(name, stream, size, limit)
    print("\n" + ("\n".join(problems) or "every limit holds"))
    return 1 if problems else 0


def measure(model: Path, board: str, runtime: str, opt: str, stream: str = "0") -> Size:
    """Build the firmware, run it in QEMU, and read what it needs."""
    settings = [f"board={board}", f"model={model}", f"runtime={runtime}", f"opt={opt}"]
    settings += [f"stream={stream}", "app=bench"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*settings)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    arena = sum(each["bytes"] for each in report["arena"].values())
    sections = {each["name"]: int(each["bytes"]) for each in report["sections"]}
    static = sum(size for name, size in sections.items() if name.startswith((".data", ".bss")))
    flash = int(report["memory"]["flash"]["used"])
    stack = _stack(folder / "firmware.elf", board)
    constants, state = int(report["constant_bytes"]), int(report["state_bytes"])
    return Size(arena, static - arena, stack, constants, flash, state, _scratch(report))


def _larger(models: Path, board: str, runtime: str) -> Iterator[str]:
    """Print flash and RAM of each model's firmware, and yield models of which opt=size takes more
    than opt=balanced. A model that does not fit the board has none.
    """
    for name, file in named_models(models).items():
        settings = [f"board={board}", f"model={file}", f"runtime={runtime}"]
        used = {}
        for opt in ("size", "balanced"):
            if scons(*settings, f"opt={opt}").returncode == 0:
                report = (products(*settings, f"opt={opt}") / "report.json").read_text("utf-8")
                memory = json.loads(report)["memory"]
                used[opt] = [int(memory[each]["used"]) for each in ("flash", "ram")]
        larger = len(used) == 2 and sum(used["size"]) > sum(used["balanced"])
        print(f"{name:24}{used}{' opt=size is larger' if larger else ''}", flush=True)
        if larger:
            yield name


def _scratch(report: dict[str, Any]) -> int:
    """Largest scratch of any node, in bytes."""
    nodes = dict.fromkeys((node["name"] for node in report["nodes"]), 0)
    for tensor in report["tensors"]:
        name = tensor["id"].partition(".")
        if name[1] and name[0] in nodes:
            nodes[name[0]] += int(tensor["bytes"])
    return max(nodes.values())


def _stack(elf: Path, board: str) -> int:
    """The most stack that the firmware used, as it says itself."""
    emulator = load_board(board, BOARDS).run.qemu
    assert emulator is not None, f"{board} has no QEMU"
    command = ["qemu-system-arm", "-M", emulator, "-nographic", "-monitor", "none"]
    command += ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
    done = subprocess.run(
        [*command, "-kernel", str(elf)], capture_output=True, text=True, timeout=300, check=False
    )
    found = re.search(r"^stack (\d+) of ", done.stdout + done.stderr, re.MULTILINE)
    assert found, f"{elf} did not tell its stack: {done.stdout}{done.stderr}"
    return int(found[1])


def _row(name: str, opt: str, size: Size, peer: Figures) -> str:
    figures = (size.arena, size.other, size.stack, size.ram, size.code, size.constants, size.flash)
    columns = "".join(f"{figure:10,}" for figure in (*figures, peer["ram"], peer["flash"]))
    return f"{name:12} {opt:9}{columns}"


def _problems(name: str, opt: str, size: Size, peer: Figures) -> list[str]:
    limits = [("RAM", size.ram, peer["ram"])]
    if opt != "speed":  # which buys speed with the board's flash
        limits += [("flash", size.flash, peer["flash"])]
    if opt == "balanced":
        limits += [("RAM", size.ram, RAM_LIMITS[name]), ("flash", size.flash, FLASH_LIMITS[name])]
    return [
        f"{name} opt={opt}: {used:,} bytes of {what}, over {limit:,}"
        for what, used, limit in limits
        if used > limit
    ]


def _stream_problems(name: str, stream: str, size: Size, limit: int) -> list[str]:
    used = size.arena + size.state
    over = used > limit + size.scratch
    return [f"{name} stream={stream}: {used:,} bytes, over {limit:,} and scratch"] if over else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
