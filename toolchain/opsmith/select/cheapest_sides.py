"""Assignment of tasks to sides that minimises total time.

Dynamic programming over the order of the tasks: of all partial assignments that lead to the same
state, only the quickest is continued, and a partial assignment is dropped if another one is better
whatever follows. Both keep the result exact. While many tensors are alive at once, there may be
more states than the limit `states`; then only the quickest are continued.
"""

from opsmith.select.sides import SideWalk, SideWork, State

STATES = 4096
Path = tuple[int, "Path"] | None  # list of sides, the last first
Ways = dict[State, tuple[int, Path]]  # state -> nanoseconds, and the path to it


def cheapest_sides(work: SideWork, states: int = STATES) -> tuple[int, ...]:
    """Side for each task; among equal ways the first, which prefers the processor."""
    walk = SideWalk(work)
    ways: Ways = {walk.start: (0, None)}
    for i, task in enumerate(work.tasks):
        found: Ways = {}
        for state, (ns, path) in ways.items():
            for side in task.sides:
                after, more = walk.step(i, state, side)
                if after not in found or ns + more < found[after][0]:
                    found[after] = (ns + more, (side, path))
        ways = _promising(_late_copies(found, walk, i), walk.slack(i), states)
    _, path = min(
        ((ns + walk.finish(state), path) for state, (ns, path) in ways.items()),
        key=lambda way: way[0],
    )
    return _forward(path)


def _late_copies(ways: Ways, walk: SideWalk, i: int) -> Ways:
    """Ways after task i, without a way that another one, with one copy less, always beats."""

    def is_early(state: State, ns: int) -> bool:
        return any(
            other in ways and ways[other][0] + more <= ns
            for other, more in walk.without_copy(i, state)
        )

    return {state: way for state, way in ways.items() if not is_early(state, way[0])}


def _promising(ways: Ways, slack: int, states: int) -> Ways:
    """Ways that may still turn out to be the quickest; at most `states`, the quickest so far."""
    least = min(ns for ns, _ in ways.values())
    found = {state: way for state, way in ways.items() if way[0] <= least + slack}
    if len(found) <= states:
        return found
    return dict(sorted(found.items(), key=lambda item: item[1][0])[:states])


def _forward(path: Path) -> tuple[int, ...]:
    sides = []
    while path is not None:
        side, path = path
        sides.append(side)
    return tuple(reversed(sides))
