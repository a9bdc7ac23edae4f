"""Some trials of the fuzzers of damaged files and hostile peers: each ends well or in a code."""

import pytest

from tests.fuzz import (
    arrays,
    bombs,
    caches,
    conans,
    console,
    handed,
    layers,
    ninjas,
    onnx,
    packages,
    pt2,
    tunes,
)
from tests.fuzz.boards import judge
from tests.fuzz.damage import LIMITS
from tests.fuzz.judged import LIMITS as OF_PROCESSES
from tests.fuzz.judged import apart
from tests.fuzz.trials import Limits, Trial, run_trials

pytestmark = pytest.mark.slow
PEERS = {"RIG006", "RIG008", "RIG010", "RIG011", "RIG040", "RIG041", "RIG042", "RIG043"}
ARRAYS = {"loaded", "saved and loaded", "RIG012", "RIG013", "examples RIG032"}
MODELS = {"read", "MDL006", "MDL007"}


@pytest.mark.parametrize(("name", "trial", "count", "seed", "limits", "expected"), [
    ("arrays", arrays.trial, 60, 0, arrays.LIMITS, ARRAYS),
    ("boards", apart(judge), 24, 11, OF_PROCESSES, {"accepted", "BRD001", "BRD004", "BRD012"}),
    ("console", console.trial, 120, 0, console.LIMITS, {"right", *PEERS}),
    ("onnx", onnx.trial, 60, 0, onnx.LIMITS, {*MODELS, "MDL012", "MDL038", "MDL039"}),
    ("pt2", pt2.trial, 40, 0, pt2.LIMITS, {*MODELS, "MDL001"}),
])  # fmt: skip
def test_what_strangers_give_ends_in_codes(
    name: str, trial: Trial, count: int, seed: int, limits: Limits, expected: set[str]
) -> None:
    result = run_trials(name, trial, range(count), seed, limits)
    assert not result.failures, result.failures[0][1]
    assert result.outcomes.total() == count
    assert expected <= result.outcomes.keys()


IDS = ["tunes", "packages", "layers", "ninjas", "conans", "handed", "caches", "bombs"]


@pytest.mark.few(3)
@pytest.mark.parametrize(("trial", "count", "expected"), [
    (tunes.trial, 100, {"BLD070", "BLD072", "examples RIG030", "examples RIG031"}),
    (packages.trial, 60, {"BLD052", "fine"}),
    (layers.trial, 60, {"OPS080", "OPS082", "OPS083", "fine"}),
    (ninjas.trial, 60, {"fine", "BLD102 fine"}),
    (conans.trial, 60, {"BLD087, BLD022 again", "fine, fine again"}),
    (handed.trial, 90, {"data RIG001", "map RIG059", "runs BLD131", "samples RIG058"}),
    (caches.trial, 60, {"read", "built again, kept", "built again, not kept"}),
    (bombs.trial, 60, {"map.yaml RIG059", "report.json RIG001", "m.tune.toml BLD070"}),
], ids=IDS)  # fmt: skip
def test_files_of_others_end_in_codes(trial: Trial, count: int, expected: set[str]) -> None:
    test_what_strangers_give_ends_in_codes("others", trial, count, 0, LIMITS, expected)
