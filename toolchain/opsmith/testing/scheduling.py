"""Scheduling of tests on the processes of pytest-xdist: a group goes to one process."""

import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

_FIRMWARE = re.compile(r"(.*)/[^/]*::test_firmware_equals_the_oracle\[\w+\]$")
_OP = re.compile(r"(?:.*/)?ops/(\w+)/[^/]*::")
# Ops are divided into N groups that share programs for this machine; larger groups save little
# more.
PROGRAMS = 16


def tests_together(nodeid: str) -> str | None:
    """Group of a test whose op shares programs with others; None for all other tests.

    All boards have one group: their cases are read, and kernels chosen for them, once. The same
    holds for the cases of ops that share programs for this machine.
    """
    if found := _FIRMWARE.match(nodeid):
        from opsmith.testing.board_cases import part_of_ops  # slow: imports numpy

        return f"firmware_{part_of_ops(Path(found[1]))}"
    if found := _OP.match(nodeid):
        return programs_group(found[1])
    return None


def programs_group(op: str) -> str:
    """Name of the group in which the tests of a shipped op run."""
    return f"ops_{zlib.crc32(op.encode()) % PROGRAMS}"


class Queue(OrderedDict[str, Any]):
    """Queue of groups of tests, in which some are dealt before all others, whatever their place."""

    def __init__(self, first: Collection[str]) -> None:
        super().__init__()
        self._first = list(first)

    def popitem(self, last: bool = True) -> tuple[str, Any]:
        while self._first:
            if (group := self._first.pop(0)) in self:
                return group, self.pop(group)
        return super().popitem(last)


def scheduler(
    config: pytest.Config,
    log: Any,
    group_of: Callable[[str], str | None],
    first: Collection[str] = (),
) -> object:
    """Scheduler of `--dist=loadgroup` with further groups; None for any other distribution.

    The groups of `first` are dealt in their order, and then those with most tests: a long one that
    came last would keep one process waiting.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling  # absent with -p no:xdist

    class Scheduling(LoadGroupScheduling):  # type: ignore[misc] # untyped
        def __init__(self) -> None:
            super().__init__(config, log)
            self.workqueue = Queue(first)

        def _split_scope(self, nodeid: str) -> str:
            return str(group_of(nodeid) or super()._split_scope(nodeid))

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            """Mark a test complete, and forget a finished group, since xdist counts all known
            groups after each test.
            """
            super().mark_test_complete(node, item_index, duration)
            groups = self.assigned_work[node]
            scope = self._split_scope(self.registered_collections[node][item_index])
            if all(groups[scope].values()):
                del groups[scope]

    return Scheduling()
