"""`python -m opsmith profile`: figures of each node: instructions and modelled cycles in QEMU,
cycles on a board, with modelled ones if QEMU can emulate it, nanoseconds on the host.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.current import current_of
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import Deadline
from opsmith.report.energy import Energy, estimated
from opsmith.report.profile import MODELLED as MODELLED_CYCLES
from opsmith.report.profile import Profile, beside, profile_json, profile_text
from opsmith.report.profile_svg import profile_svg
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, check_current, load_build, load_report
from opsmith.rig.count import per_node, prepare_counter
from opsmith.rig.fill import Fill
from opsmith.rig.inputs import model_inputs
from opsmith.rig.measured import profile_on_board, run_counts, settings
from opsmith.rig.node_order import node_order
from opsmith.rig.page import refresh
from opsmith.rig.place import ANYWHERE, OPTIONS, Where, where_of
from opsmith.rig.rig import open_rig
from opsmith.text import escaped, escaped_lines
from opsmith.writing import replace_files

INSTRUCTIONS = (
    "executed in one invoke() in QEMU, from its first instruction to its return; a node's are "
    "those of its call and all that is called there; without interrupt handlers"
)
MODELLED = (
    "these instructions by {timings}, from memory without wait states; "
    "a model, not a board's cycles"
)
NOT_MODELLED = ". No cycles are modelled for this core"
IN_QEMU = Where("qemu")


def main(argv: Sequence[str]) -> int:
    """Print the table, write profile.json and profile.svg; returns 0."""
    options = _parser().parse_args(argv)
    board = chosen_board(options)
    build = load_build(options.build)
    check_current(build, options.model, board.name)
    inputs = model_inputs(build, options)
    deadline = Deadline(options.timeout)
    found = list[Profile]()
    counted = load_build(options.shipped) if options.shipped else build
    if options.plugin:
        where = IN_QEMU if options.shipped else where_of(options)
        order = node_order(counted, options.model, inputs, options.platforms, deadline)
        of = counted, board, inputs, options.plugin, deadline, order, where
        found.append(profile_in_qemu(*of))
    if options.shipped or not options.plugin:
        at = where_of(options), deadline, options.device_times, options.meter
        found.append(profile_on_board(build, board, inputs, *at))
    profile = beside(*found) if len(found) > 1 else found[0]
    firmwares = dict.fromkeys([counted.digest, build.digest])
    energy = profile.energy or _energy(board, profile)
    profile = replace(profile, energy=energy, firmwares=[*firmwares])
    print(escaped_lines(profile_text(profile)))
    text = json.dumps(profile_json(profile), indent=1, ensure_ascii=False) + "\n"
    replace_files(options.out, {"profile.json": text, "profile.svg": profile_svg(profile)})
    refresh(options.build)
    details, bars = options.out / "profile.json", options.out / "profile.svg"
    print(escaped(f"details in {details}, bars in {bars}"))
    return 0


def _energy(board: Board, profile: Profile) -> Energy | None:
    """Estimated energy, by a board's cycles or else by modelled ones."""
    for name, modelled in (("cycles", False), (MODELLED_CYCLES, True)):
        if name in profile.meaning:
            return estimated(profile.totals[name], current_of(board), modelled=modelled)
    return None


def profile_in_qemu(
    build: Build,
    board: Board,
    inputs: Sequence[Array | Fill],
    plugin: Path,
    deadline: Deadline | None = None,
    order: Sequence[int] | None = None,
    where: Where = ANYWHERE,
) -> Profile:
    """Profile in QEMU of an unchanged firmware: executed instructions, and modelled cycles where
    there is a model.

    `order`, where nodes do not all run once, has their indices as they run. Raises RIG017 where the
    firmware's calls differ from it.
    """
    report = load_report(build.folder)
    core = board.core
    order = range(len(report["nodes"])) if order is None else order
    counter = prepare_counter(plugin, build.elf, report, core, build.folder, order)
    of, more = (build.folder, board), counter.options
    with open_rig(*of, where=where, deadline=deadline, emulator_options=more) as rig:
        rig.invoke(inputs)
        title = rig.title
    *counts, rest = counter.counts()
    meaning = {"instructions": INSTRUCTIONS + ("" if core.timings else NOT_MODELLED)}
    if core.timings:
        meaning["modelled_cycles"] = MODELLED.format(timings=core.timings.title)
    values = [row[: len(meaning)] for row in per_node(report["nodes"], order, counts)]
    target = escaped(f"{board.title} ({title}), {settings(report)}")
    left = rest[: len(meaning)]
    return Profile(target, meaning, _nodes(report, order), values, left, run_counts(report, order))


def _nodes(report: Mapping[str, Any], order: Sequence[int]) -> list[dict[str, Any]]:
    """Nodes with the multiplications of one run; a node that runs row by row keeps its total."""
    count = Counter(order)
    rows = {i for item in report["flow"] if "passes" in item for i in item["nodes"]}
    return [
        node | {"macs": node["macs"] // count[node["index"]]}
        if node["index"] in rows and node["macs"]
        else node
        for node in report["nodes"]
    ]


def add_device_times(parser: argparse.ArgumentParser) -> None:
    """Add the option --device-times to a parser."""
    parser.add_argument(
        "--device-times", default="", metavar="VARIABLE", help="`times` of the runtime, if any"
    )


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith profile", description=__doc__)
    parser.instead = "scons builds what it needs: scons board=… model=… profile"
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    parser.add_argument("--out", required=True, type=Path, help="folder of profile.json")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    parser.add_argument("--plugin", type=Path, help="count in QEMU by this plugin")
    parser.add_argument(
        "--shipped",
        type=Path,
        help="folder of the firmware as it ships, where build's stops at nodes",
    )
    add_device_times(parser)
    add_named_flags(parser, BuildOptions, "input", *OPTIONS, "timeout", "meter")
    return parser
