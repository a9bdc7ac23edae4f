"""The model of the Cortex-M0+ beside the cycle counter of rp2040js: `python -m tests.bench.m0plus
--models=DIR [MODEL …]`.

rp2040js plays the firmware of a Pico, QEMU that of an FPGA image whose core it takes for a
Cortex-M0+: the same code at other addresses, on the same input.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.cores import CORES
from opsmith.rig.build import load_report
from opsmith.rig.count import prepare_counter
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.bench.recorded import find

MODELS = (
    *("digits_int8", "hello_world_int8", "hello_world_float", "micro_speech_quantized"),
    *("kws_int8", "ad_int8", "sww_int8", "okay_nabu", "dsconv_b1_i16", "mlp512_i8"),
)
CORE, BOARD, MACHINE = "cortex-m0plus", "cortex_m0plus", "mps2_an385"


def main(arguments: Sequence[str]) -> int:
    """Print both figures of each model, and the median and largest error; 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.m0plus", description=__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("OPSMITH_MODELS"))
    parser.add_argument("names", nargs="*", metavar="MODEL", default=MODELS)
    given = parser.parse_args(arguments)
    errors = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in given.names:
            model = find(Path(given.models), name)
            counted, modelled = played(model), modelled_cycles(model, Path(scratch))
            errors.append(abs(modelled / counted - 1))
            error = modelled / counted - 1
            print(f"{name:24}{counted:14,}{modelled:14,}{error:+10.4%}", flush=True)
    median, most = statistics.median(errors), max(errors)
    print(f"{len(errors)} models: median error {median:.4%}, largest {most:.4%}")
    return 0


def played(model: Path) -> int:
    """Cycles of one invoke() by the counter of rp2040js."""
    said = _said("board=pico", f"model={model}", "app=bench", "timeout=300", "run")
    found = re.search(r"^cycles (\d+)$", said, re.MULTILINE)
    assert found, said
    return int(found[1])


def modelled_cycles(model: Path, scratch: Path) -> int:
    """Cycles of one invoke() of the same program by the model, as QEMU executes it."""
    settings = [f"boards={_boards(scratch)}", f"board={BOARD}", f"model={model}"]
    _said(*settings, "profile")
    bench = [*settings, "app=bench"]
    _said(*bench)
    folder, plugin = products(*bench), ROOT / "build" / "count_nodes-arm.so"
    elf, report = folder / "firmware.elf", load_report(folder)
    counter = prepare_counter(plugin, elf, {**report, "nodes": []}, CORES[CORE], folder, ())
    command = ["qemu-system-arm", "-M", MACHINE.replace("_", "-"), "-nographic", "-monitor", "none"]
    command += ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
    command += [*counter.options, "-kernel", str(elf)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    ((_, cycles),) = counter.counts()
    return cycles


def _boards(scratch: Path) -> Path:
    """Folder of a board that is the FPGA image of a Cortex-M3, declared as a Cortex-M0+."""
    folder = scratch / "boards" / BOARD
    if not folder.is_dir():
        shutil.copytree(ROOT / "boards" / MACHINE, folder)
        file = folder / "board.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("cortex-m3", CORE), encoding="utf-8")
    return folder.parent


def _said(*arguments: str) -> str:
    done = scons(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
