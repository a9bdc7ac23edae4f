"""Some trials of the fuzzers for files that others may have written."""

import pytest

from tests.fuzz import caches, conans, layers, ninjas, packages, tunes
from tests.fuzz.damage import LIMITS
from tests.fuzz.trials import Trial, run_trials

pytestmark = pytest.mark.slow


@pytest.mark.few(3)
@pytest.mark.parametrize(("trial", "count", "expected"), [
    (tunes.trial, 200, {"BLD070", "BLD072", "examples RIG030", "examples RIG031"}),
    (packages.trial, 60, {"BLD052", "fine"}),
    (layers.trial, 60, {"OPS080", "OPS082", "OPS083", "fine"}),
    (ninjas.trial, 60, {"fine", "BLD102 fine"}),
    (conans.trial, 60, {"BLD087, BLD022 again", "fine, fine again"}),
    (caches.trial, 60, {"read", "built again, kept", "built again, not kept"}),
], ids=["tunes", "packages", "layers", "ninjas", "conans", "caches"])  # fmt: skip
def test_damaged_files_of_others_end_in_codes(trial: Trial, count: int, expected: set[str]) -> None:
    result = run_trials("others", trial, range(count), 0, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert expected <= result.outcomes.keys()
