"""How tests are dealt to processes: conftest.py of `tests` and of `ops` have this hook."""

from __future__ import annotations

from typing import Any

import pytest

from tests.groups import group_of


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Tests that share what is made once go to one process; all others wherever there is time."""
    from xdist.scheduler import LoadGroupScheduling  # not there with -p no:xdist

    class Scheduling(LoadGroupScheduling):  # type: ignore[misc] # untyped
        def _split_scope(self, nodeid: str) -> str:
            return str(group_of(nodeid) or super()._split_scope(nodeid))

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            """Also forget a finished group: after each test, xdist counts all that it knows."""
            super().mark_test_complete(node, item_index, duration)
            groups = self.assigned_work[node]
            scope = self._split_scope(self.registered_collections[node][item_index])
            if all(groups[scope].values()):
                del groups[scope]

    return Scheduling(config, log) if config.getvalue("dist") == "loadgroup" else None
