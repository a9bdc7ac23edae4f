"""Order in which the nodes of a build run, from LiteRT or the numpy models."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.oracle.deadline import Deadline
from opsmith.oracle.flow import conditions, counterparts, is_straight, node_runs, places_of
from opsmith.rig.build import Build, load_report
from opsmith.text import escaped


def node_order(
    build: Build,
    model: Path,
    inputs: Sequence[Array],
    platforms: Sequence[Path],
    deadline: Deadline,
) -> list[int]:
    """Indices of the nodes in the order in which they run on given inputs. Raises RIG017 where no
    oracle knows.
    """
    report = load_report(build.folder)
    flow, of = report["flow"], places_of(report)
    if is_straight(flow):
        return [*node_runs(flow, {}, deadline.check)]
    # imported here since it is slow, and most models do without
    from opsmith.oracle.expected import recorded
    from opsmith.oracle.question import Question

    deciding = conditions(flow)
    of_build = build.folder, report, model
    right = recorded(Question.of_build(*of_build, inputs, [*deciding], platforms, deadline))
    known = counterparts([place for each in of for place in each], right.values, straight=False)
    left = {place: iter(values) for place, values in known.items()}
    latest = {tensor.id: value for tensor, value in zip(build.inputs, inputs, strict=True)}
    order = []
    for index in node_runs(flow, latest, deadline.check):
        order.append(index)
        for place in of[index]:
            if place[1] in deciding:
                latest[place[1]] = _next(build, left.get(place, iter(())), place[1])
    return order


def _next(build: Build, values: Iterator[Array | None], condition: str) -> Array:
    value = next(values, None)
    if value is None:
        what = f"neither LiteRT nor numpy tells the condition '{condition}'"
        where, fix = escaped(str(build.folder)), "profile it on a board, or on the host"
        raise ToolchainError.of("RIG017", what, where=where, fix=fix)
    return value
