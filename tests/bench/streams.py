"""Time that streaming costs: `.venv/bin/python -m tests.bench.streams --models=DIR`.

Counts in QEMU the modelled cycles of pushing a whole input row by row (stream=rows), or of one
frame of a signal without end (stream=frames), beside those of an inference that is given its whole
input.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.rig.count import prepare_counter
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import BOARDS, products, scons
from tests.bench.recorded import find, profiled
from tests.bench.size import STREAMS

APP = Path(__file__).parent / "stream_app"
COUNTED = {"rows": "invoke", "frames": "push_frame"}  # the function that is counted


def main(argv: Sequence[str]) -> int:
    """Count every stream and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.streams", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("--board", default="mps2_an386")
    arguments = parser.parse_args(argv)
    if arguments.models is None:
        parser.error("give --models=DIR or set OPSMITH_MODELS")
    print(f"{arguments.board}, runtime=cmsis, opt=balanced, modelled cycles\n")
    print(f"{'model':14}{'stream':8}{'streamed':>12}{'whole':>12}{'ratio':>7}")
    for name, stream in STREAMS:
        model = find(arguments.models, name)
        whole = int(profiled(model, arguments.board)["modelled_cycles"])
        streamed = cycles(model, arguments.board, stream)
        row = f"{name:14}{stream:8}{streamed:12,}{whole:12,}{streamed / whole:7.2f}"
        print(row, flush=True)
    return 0


def cycles(model: Path, board: str, stream: str) -> int:
    """Modelled cycles of pushing all rows of an input, or one frame. Needs QEMU's plugin."""
    settings = [f"board={board}", f"model={model}", "runtime=cmsis", f"stream={stream}"]
    settings += [f"app={APP}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    folder, emulated = products(*settings), load_board(board, BOARDS)
    elf = folder / "firmware.elf"
    name = json.loads((folder / "report.json").read_text(encoding="utf-8"))["name"]
    plugin = ROOT / "build" / f"count_nodes-{emulated.core.architecture.name}.so"
    told = {"name": name, "nodes": []}
    counter = prepare_counter(plugin, elf, told, emulated.core, folder, (), COUNTED[stream])
    command = ["qemu-system-arm", "-M", str(emulated.run.qemu), "-nographic", "-monitor", "none"]
    command += ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
    subprocess.run([*command, *counter.options, "-kernel", str(elf)], check=True, timeout=300)
    ((_, found),) = counter.counts()
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
