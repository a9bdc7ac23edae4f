"""No fault passes as success, hangs, or loses a result that was collected."""

import pytest

from tests.rig.bench import Bench, bench, digits
from tests.rig.faults import FAULTS, STATUS

__all__ = ["bench", "digits"]
pytestmark = [pytest.mark.system, pytest.mark.xdist_group("rig-faults")]


@pytest.mark.few(12)
@pytest.mark.parametrize("name", [*FAULTS])
def test_a_fault(bench: Bench, name: str) -> None:
    fault = FAULTS[name]
    fault.do(bench)
    ended = bench.run(*fault.options)
    found = ended.result.get("outcome", ""), ended.code, ended.phase
    assert found == (fault.outcome, fault.code, fault.phase), ended.said
    assert ended.status == (STATUS[fault.outcome] if fault.status < 0 else fault.status)
    assert fault.says in ended.said
    assert ended.seconds < fault.most
    assert ended.said.count("Traceback") == 0
    fault.after(bench, ended)


def test_there_are_many_kinds() -> None:
    assert len(FAULTS) > 50
