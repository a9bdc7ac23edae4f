"""Any folder of models beside its peers: `.venv/bin/python -m tests.bench.zoo DIR` prints tables.

Builds every model below DIR, and runs it in QEMU: cycles or instructions of one invoke(), RAM and
flash of a whole firmware, each beside the peer's, geometric means of the ratios, and the layers
that are worst. Peers are the tables of comma-separated values in DIR and of --peers
(`peer_tables.py`), or where there are none the shipped ones. Exit status 2 where nothing was
measured.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.manifest import load_board
from opsmith.testing.firmware import BOARDS
from opsmith.text import escaped
from tests.bench.measured import Firmware, measure, named_models
from tests.bench.peer_tables import read_tables
from tests.bench.peers import DEFAULT, Unusable, read_peers
from tests.bench.size import measure as size_of
from tests.bench.speed_tables import OPTIONS, geometric_mean, summary, worst_lines

MEMORY = ("ram", "flash")
HEAD = f"{'model':22}" + "".join(
    f"{name:>13}{'peer':>13}{'ratio':>7}{'default':>7}" for name in ("time", *MEMORY)
)


def main(argv: Sequence[str]) -> int:
    """Measure all models and print the tables; 0 where one was measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.zoo", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--peers", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--board", default="mps2_an386")
    parser.add_argument("--opt", default="balanced", choices=("speed", "balanced", "size"))
    parser.add_argument("--only", nargs="+", metavar="MODEL", help="these models alone")
    parser.add_argument("--worst", type=int, default=10, help="how many layers; default: 10")
    arguments = parser.parse_args(argv)
    try:
        tables = [*sorted(arguments.folder.glob("*.csv")), *arguments.peers]
        peers = read_tables(tables) if tables else read_peers().models
        models = named_models(arguments.folder, arguments.only)
    except Unusable as error:
        parser.error(str(error))
    core = load_board(arguments.board, BOARDS).core.name
    print(f"{arguments.board} ({core}), runtime=cmsis opt={arguments.opt}, one invoke() in QEMU")
    print(f"time: modelled cycles, or instructions where a core has no model\n\n{HEAD}")
    found = []
    for name, file in models.items():
        firmware = measure(name, file, arguments.board, core, "cmsis", arguments.opt, peers)
        if not firmware.error:
            size = size_of(file, arguments.board, "cmsis", arguments.opt)
            ours = {**firmware.ours, "ram": size.ram, "flash": size.flash}
            firmware = replace(firmware, ours=ours)
        found.append(firmware)
        print(_line(firmware), flush=True)
    for block in (_means(found), worst_lines(found, arguments.worst), summary(found)):
        print("\n" + "\n".join(block))
    return 2 if all(each.error for each in found) else 0


def _line(firmware: Firmware) -> str:
    line = f"{escaped(firmware.model):22}"
    if firmware.error:
        return f"{line}  no firmware: {firmware.error}"
    for figure in (firmware.main, *MEMORY):
        line += f"{firmware.ours[figure]:13,}{firmware.ratios(figure)}"
    return f"{line}  {firmware.remark}".rstrip()


def _means(found: Iterable[Firmware]) -> list[str]:
    """Geometric mean and worst of the ratios of time, RAM and flash."""
    lines = []
    for title, options in (("time", ""), ("time", DEFAULT), *((name, "") for name in MEMORY)):
        ratios = {
            each.model: ratio
            for each in found
            if (ratio := each.ratio(each.main if title == "time" else title, options))
        }
        if ratios:
            worst = max(ratios, key=lambda name: ratios[name])
            mean = geometric_mean([*ratios.values()])
            lines.append(
                f"{title:6} geometric mean {mean:.3f} of {len(ratios)}, "
                f"worst {ratios[worst]:.2f} ({escaped(worst)}){OPTIONS[options]}"
            )
    return lines or ["no model has a peer"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
