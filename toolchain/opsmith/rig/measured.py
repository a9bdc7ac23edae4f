"""Figures of nodes by a counter: a board's own, this machine's clock, or that of a device.

A stepwise firmware runs one node a call. An inference is repeated, since interrupts, caches and
other programs disturb it: the least figure is the node's, the spread says how far to trust it.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from opsmith.board.device import PROCESSOR
from opsmith.board.manifest import Board
from opsmith.oracle.deadline import Deadline
from opsmith.oracle.flow import conditions, is_straight, node_runs
from opsmith.report.energy import measured
from opsmith.report.profile import Profile
from opsmith.rig.arrays import Array
from opsmith.rig.build import Build, load_report
from opsmith.rig.device_times import DeviceTimes, device_times, lost
from opsmith.rig.meter import open_meter, per_step
from opsmith.rig.place import Where
from opsmith.rig.rig import Rig, open_rig, require_stepwise
from opsmith.select.tuning import CLOCK, EVENTS
from opsmith.text import escaped

COUNTED = {
    "cycles": "of the board's own counter, node after node, each with the call of invoke() that "
    "runs it alone; the least of {runs}",
    CLOCK: "of this machine's clock, node after node, each with the call of invoke() that "
    "runs it alone; the least of {runs}",
}
AROUND = "; of a node on the device, with its copies and the wait for it"
ON_DEVICE = (
    "nanoseconds of nodes on the device by its own clock, the least of {runs}; of the others, "
    "those of this machine's"
)
RUNS = 5  # runs of the model, after one that starts drivers and fills caches
LONGEST = 30.0  # seconds after which no further one begins


def profile_on_board(
    build: Build,
    board: Board,
    inputs: Sequence[Array],
    where: Where,
    deadline: Deadline | None = None,
    variable: str = "",
    meter: str = "",
) -> Profile:
    """Return a profile by the firmware's own counter for each node of a stepwise build, over
    several runs.

    With the `times` of a runtime, times of nodes on its device by the device's clock are included;
    with a meter, the energy. Raises RIG069 where the meter sees other marks than the nodes'.
    """
    report = load_report(build.folder)
    require_stepwise(report, build.folder, "profile")
    deadline, rounds = deadline or Deadline(), list[list[tuple[int, ...]]]()
    order: list[int] = []
    energies = list[Sequence[float]]()
    with (
        open_meter(meter) as instrument,
        device_times(variable) as device,
        open_rig(
            build.folder,
            board,
            where=where,
            deadline=deadline,
            environment=None if device is None else device.environment,
        ) as rig,
    ):
        end = time.monotonic() + LONGEST
        while len(rounds) <= RUNS and (len(rounds) < 2 or time.monotonic() < end):
            if instrument:
                instrument.start()
            order, figures = _round(rig, build, report, inputs, device, deadline)
            rounds.append(figures)
            if instrument:
                energies.append(per_step(instrument.stop(), len(order)))
        title = rig.title
    kept = [*zip(*rounds[1:], strict=True)]  # by node, then by run
    name = CLOCK if board.core.hosted else "cycles"
    meaning = {name: COUNTED[name] + ("" if device is None else AROUND)}
    meaning |= {} if device is None else {EVENTS: ON_DEVICE}
    meaning = {key: text.format(runs=len(rounds) - 1) for key, text in meaning.items()}
    values = [[*map(min, zip(*each, strict=True))] for each in kept]
    samples = [[run[-1] for run in each] for each in kept]
    target = escaped(f"{board.title} ({title}), {settings(report)}")
    rest, runs = (0,) * len(meaning), run_counts(report, order)
    found = Profile(target, meaning, report["nodes"], values, rest, runs, samples)
    return with_energy(found, instrument.title, order, energies[1:]) if instrument else found


def with_energy(
    profile: Profile, by: str, order: Sequence[int], energies: Sequence[Sequence[float]]
) -> Profile:
    """Profile with the energy that a meter recorded for each step in several inferences; only the
    total where the meter is too slow to see single nodes.
    """
    whole = measured(by, [sum(each) for each in energies])
    if any(len(each) != len(order) for each in energies):
        return replace(profile, energy=whole)
    nodes = [[0.0] * len(energies) for _ in profile.nodes]
    for i, each in enumerate(energies):
        for index, energy in zip(order, each, strict=True):
            nodes[index][i] += energy
    return replace(profile, energy=whole, microjoules=[median(each) for each in nodes])


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
    """Return the nodes in the order in which they ran, and the counts of each in all its runs."""
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


def run_counts(report: Mapping[str, Any], order: Sequence[int]) -> list[int]:
    """Number of runs of each node; [] where each runs once."""
    count = Counter(order)
    once = is_straight(report["flow"]) and len(order) == len(count)
    return [] if once else [count[node["index"]] for node in report["nodes"]]


def settings(report: dict[str, Any]) -> str:
    """Name, runtime and opt of a firmware, for a title."""
    return f"{report['name']}, runtime {report['runtime']}, opt {report['opt']}"
