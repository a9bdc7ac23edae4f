"""`tune`: measures every kernel that a node could have, and stores the figures beside the model.

Each build gives every node another of its candidates; nodes with fewer candidates keep their last.
The compared figures are those of `profile`: modelled cycles, or executed instructions where no
cycles are modelled, in QEMU, and the counter of a board. Kernels on a device are also tried with
other group sizes, where they declare that those give equal bytes.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.guard import tell
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import Deadline
from opsmith.progress import progress
from opsmith.report.profile import Profile
from opsmith.rig.build import check_current, load_build, load_report
from opsmith.rig.inputs import model_inputs
from opsmith.rig.measured import profile_on_board
from opsmith.rig.node_order import node_order
from opsmith.rig.place import OPTIONS, where_of
from opsmith.rig.profile import add_device_times, profile_in_qemu
from opsmith.select.tuning import Tuning, read_tuning, write_tuning
from opsmith.text import escaped
from opsmith.writing import replace_files


def main(argv: Sequence[str]) -> int:
    """Print the table and write the file; returns 0."""
    options = _parser().parse_args(argv)
    deadline = Deadline(options.timeout, len(options.builds))
    profiles = measured(options, deadline)
    report = load_report(options.builds[0])
    target = f"{report['board']}-{report['runtime']}-{report['opt']}"
    tuning = replace(tuned(profiles), sources=report["kernel_sources"])
    others = _others(options.out, str(report["sha256"]))
    text = write_tuning(str(report["sha256"]), {**others, target: tuning})
    replace_files(options.out.parent, {options.out.name: text})
    if options.json:
        print(json.dumps({"stored": str(options.out), "target": target, **asdict(tuning)}))
        return 0
    stored = f"stored in {options.out}: builds take the cheapest now"
    print("\n".join(map(escaped, [*_table(tuning), stored])))
    return 0


def tuned(profiles: Sequence[Profile]) -> Tuning:
    """Measurements of each node's candidates, for nodes that have several and ran."""
    found: dict[str, dict[str, int]] = {}
    for profile in profiles:
        place = list(profile.meaning).index(profile.main)
        for node, runs, values in zip(profile.nodes, profile.counts, profile.values, strict=True):
            if not runs:
                continue
            kernel = next(c["kernel"] for c in node["candidates"] if c["taken"])
            found.setdefault(str(node["name"]), {}).setdefault(kernel, values[place])
    several = {name: figures for name, figures in found.items() if len(figures) > 1}
    return Tuning(profiles[0].main, several)


def measured(options: argparse.Namespace, deadline: Deadline) -> list[Profile]:
    """Profiles of all builds, in their order."""
    profiles: list[Profile] = []
    with progress(len(options.builds)) as shown:
        for folder in options.builds:
            profiles.append(_profile(options, folder, deadline))
            shown.show(len(profiles))
    return profiles


def _profile(options: argparse.Namespace, folder: Path, deadline: Deadline) -> Profile:
    board = chosen_board(options)
    build = load_build(folder)
    check_current(build, options.model, board.name)
    inputs = model_inputs(build, options)
    if options.plugin:
        order = node_order(build, options.model, inputs, options.platforms, deadline)
        return profile_in_qemu(
            build, board, inputs, options.plugin, deadline, order, where_of(options)
        )
    return profile_on_board(build, board, inputs, where_of(options), deadline, options.device_times)


def _others(path: Path, sha256: str) -> dict[str, Tuning]:
    """Measurements of other targets in the file; none where it belongs to another model."""
    try:
        return read_tuning(path, sha256) if os.path.lexists(path) else {}
    except ToolchainError as error:
        tell(escaped(f"{path} is written anew: {error.problems[0].what}"))
        return {}


def _table(tuning: Tuning) -> list[str]:
    if not tuning.nodes:
        return ["each node has one kernel: there is nothing to choose"]
    width = max(map(len, tuning.nodes))
    return [f"{tuning.unit} of each node, by kernel:"] + [
        f"  {name:{width}}  "
        + ", ".join(f"{kernel} {figure:,}" for kernel, figure in sorted(figures.items(), key=_last))
        for name, figures in tuning.nodes.items()
    ]


def _last(item: tuple[str, int]) -> int:
    return item[1]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith tune", description=__doc__)
    parser.instead = "scons builds what it needs: scons board=… model=… tune"
    parser.add_argument(
        "--builds", required=True, action="append", type=Path, help="built firmware"
    )
    parser.add_argument("--out", required=True, type=Path, help="the file that is written")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite they are built from")
    add_board(parser)
    parser.add_argument("--plugin", type=Path, help="count in QEMU by this plugin")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_device_times(parser)
    add_named_flags(parser, BuildOptions, "input", *OPTIONS, "timeout")
    return parser
