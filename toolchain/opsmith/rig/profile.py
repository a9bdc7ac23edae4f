"""`python -m opsmith profile`: what each node takes: instructions and modelled cycles in QEMU,
cycles on a board, and modelled ones beside where QEMU plays it, nanoseconds on the host."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.device import PROCESSOR
from opsmith.board.manifest import Board
from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.option import add_named_flags
from opsmith.oracle.deadline import Deadline
from opsmith.oracle.flow import conditions, is_straight, node_runs
from opsmith.report.profile import Profile, beside, profile_json, profile_text
from opsmith.report.profile_svg import profile_svg
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, check_current, load_build, load_report
from opsmith.rig.count import per_node, prepare_counter
from opsmith.rig.device_times import DeviceTimes, device_times, lost
from opsmith.rig.fill import Fill
from opsmith.rig.inputs import model_inputs
from opsmith.rig.node_order import node_order
from opsmith.rig.page import refresh
from opsmith.rig.place import ANYWHERE, OPTIONS, Where, where_of
from opsmith.rig.rig import Rig, open_rig, require_stepwise
from opsmith.select.tuning import CLOCK, EVENTS
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
COUNTED = {
    "cycles": "of the board's own counter, node after node, each with the call of invoke() that "
    "runs it alone",
    CLOCK: "of this machine's clock, node after node, each with the call of invoke() that "
    "runs it alone; the least of three",
}
AROUND = "; of a node on the device, with its copies and the wait for it"
ON_DEVICE = (
    "nanoseconds of nodes on the device by its own clock, the least of three; of the others, those "
    "of this machine's"
)
IN_QEMU = Where("qemu")
ROUNDS = 4  # on the host, of which the first starts drivers and fills caches


def main(argv: Sequence[str]) -> int:
    """Print the table, write profile.json and profile.svg; 0."""
    options = _parser().parse_args(argv)
    board = chosen_board(options)
    build = load_build(options.build)
    check_current(build, options.model, board.name)
    inputs = model_inputs(build, options)
    deadline = Deadline(options.timeout)
    found = list[Profile]()
    if options.plugin:
        counted = load_build(options.shipped) if options.shipped else build
        where = IN_QEMU if options.shipped else where_of(options)
        order = node_order(counted, options.model, inputs, options.platforms, deadline)
        of = counted, board, inputs, options.plugin, deadline, order, where
        found.append(profile_in_qemu(*of))
    if options.shipped or not options.plugin:
        at = where_of(options), deadline, options.device_times
        found.append(profile_on_board(build, board, inputs, *at))
    profile = beside(*found) if len(found) > 1 else found[0]
    print(escaped_lines(profile_text(profile)))
    text = json.dumps(profile_json(profile), indent=1, ensure_ascii=False) + "\n"
    replace_files(options.out, {"profile.json": text, "profile.svg": profile_svg(profile)})
    refresh(options.build)
    details, bars = options.out / "profile.json", options.out / "profile.svg"
    print(escaped(f"details in {details}, bars in {bars}"))
    return 0


def profile_in_qemu(
    build: Build,
    board: Board,
    inputs: Sequence[Array | Fill],
    plugin: Path,
    deadline: Deadline | None = None,
    order: Sequence[int] | None = None,
    where: Where = ANYWHERE,
) -> Profile:
    """Executed instructions, and modelled cycles where there is a model, of the firmware as it is.

    `order`, where nodes do not all run once, has their indices as they run. Raises RIG017 where the
    firmware's calls are not those.
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
    target = escaped(f"{board.title} ({title}), {_settings(report)}")
    left = rest[: len(meaning)]
    return Profile(target, meaning, _nodes(report, order), values, left, _runs(report, order))


def _nodes(report: Mapping[str, Any], order: Sequence[int]) -> list[dict[str, Any]]:
    """The nodes, each with the multiplications of one run; what runs row by row has all."""
    count = Counter(order)
    rows = {i for item in report["flow"] if "passes" in item for i in item["nodes"]}
    return [
        node | {"macs": node["macs"] // count[node["index"]]}
        if node["index"] in rows and node["macs"]
        else node
        for node in report["nodes"]
    ]


def _runs(report: Mapping[str, Any], order: Sequence[int]) -> list[int]:
    """How often each node runs; [] where each runs once."""
    count = Counter(order)
    once = is_straight(report["flow"]) and len(order) == len(count)
    return [] if once else [count[node["index"]] for node in report["nodes"]]


def profile_on_board(
    build: Build,
    board: Board,
    inputs: Sequence[Array],
    where: Where,
    deadline: Deadline | None = None,
    variable: str = "",
) -> Profile:
    """Return the firmware's own counter for each node of a stepwise build.

    With the `times` of a runtime, also what nodes took on its device, by the device's clock.
    """
    report = load_report(build.folder)
    require_stepwise(report, build.folder, "profile")
    deadline, rounds = deadline or Deadline(), list[list[tuple[int, ...]]]()
    order: list[int] = []
    with (
        device_times(variable) as device,
        open_rig(
            build.folder,
            board,
            where=where,
            deadline=deadline,
            environment=None if device is None else device.environment,
        ) as rig,
    ):
        for _ in range(ROUNDS if board.core.hosted else 1):
            order, figures = _round(rig, build, report, inputs, device, deadline)
            rounds.append(figures)
        title = rig.title
    name = CLOCK if board.core.hosted else "cycles"
    meaning = {name: COUNTED[name] + ("" if device is None else AROUND)}
    meaning |= {} if device is None else {EVENTS: ON_DEVICE}
    values = [[*map(min, zip(*each, strict=True))] for each in zip(*rounds[-3:], strict=True)]
    target = escaped(f"{board.title} ({title}), {_settings(report)}")
    runs = _runs(report, order)
    return Profile(target, meaning, report["nodes"], values, (0,) * len(meaning), runs)


def _round(
    rig: Rig,
    build: Build,
    report: Mapping[str, Any],
    inputs: Sequence[Array],
    device: DeviceTimes | None,
    deadline: Deadline,
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the nodes in the order in which they ran in one inference, and the figures of each in
    all its runs. Raises RIG017.
    """
    rig.write(inputs)
    order, took = _stepped(rig, build, report, inputs, deadline)
    nodes = report["nodes"]
    if device is None:
        return order, [(took[node["index"]],) for node in nodes]
    ran, on_device = {nodes[index]["name"] for index in order}, device.take()
    for node in report["placement"]["nodes"]:
        if node["side"] not in (None, PROCESSOR) and node["name"] in ran - on_device.keys():
            raise lost(f"the device reported no time of node {node['name']}", build.elf)
    own = ((took[node["index"]], node["name"]) for node in nodes)
    return order, [(ns, on_device.get(name, ns)) for ns, name in own]


def _stepped(
    rig: Rig,
    build: Build,
    report: Mapping[str, Any],
    inputs: Sequence[Array],
    deadline: Deadline,
) -> tuple[list[int], Counter[int]]:
    """Return the nodes in the order in which they ran, and what each took in all its runs."""
    flow, nodes = report["flow"], report["nodes"]
    deciding = conditions(flow)
    number = {tensor.id: index for index, tensor in enumerate(build.outputs)} if deciding else {}
    latest = {tensor.id: value for tensor, value in zip(build.inputs, inputs, strict=True)}
    order, took = [], Counter[int]()
    for index in node_runs(flow, latest, deadline.check):
        written = [name for name in nodes[index]["outputs"] if name in deciding]
        latest |= zip(written, rig.step([number[name] for name in written]), strict=True)
        order.append(index)
        took[index] += rig.cycles
    return order, took


def _settings(report: dict[str, Any]) -> str:
    return f"{report['name']}, runtime {report['runtime']}, opt {report['opt']}"


def add_device_times(parser: argparse.ArgumentParser) -> None:
    """Add --device-times."""
    parser.add_argument(
        "--device-times", default="", metavar="VARIABLE", help="`times` of the runtime, if any"
    )


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith profile", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the built firmware")
    parser.add_argument("--out", required=True, type=Path, help="folder of profile.json")
    parser.add_argument("--model", required=True, type=Path, help="the .tflite it was built from")
    add_board(parser)
    parser.add_argument("--plugin", type=Path, help="count in QEMU by this plugin")
    parser.add_argument(
        "--shipped", type=Path, help="folder of the firmware that QEMU counts beside a board"
    )
    add_device_times(parser)
    add_named_flags(parser, BuildOptions, "input", *OPTIONS, "timeout")
    return parser
