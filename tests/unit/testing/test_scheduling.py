"""Which tests are dealt to the processes of pytest-xdist first."""

from opsmith.testing.board_cases import PARTS
from opsmith.testing.checkout import ROOT
from opsmith.testing.scheduling import Queue
from tests.groups import FIRST


def test_some_groups_come_before_all_others_in_their_order() -> None:
    queue = Queue(["late", "absent", "later"])
    queue.update(dict.fromkeys(["many", "later", "few", "late"]))
    found = [queue.popitem(last=False)[0] for _ in range(4)]
    assert found == ["late", "later", "many", "few"]


def test_there_are_such_groups() -> None:
    firmware = {f"firmware_{part}" for part in range(PARTS)}
    for group in set(FIRST) - firmware:
        file, _, test = group.partition("::")
        path = ROOT / (file if file.endswith(".py") else f"{file}.py")
        assert f"def {test}" in path.read_text(encoding="utf-8")
