"""A subgraph that an op takes the place of fits the op, or the error says which part does not."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from opsmith.op.declare import Matched
from opsmith.op.hook_results import MATCHED, HookCall
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import loaded

OP = loaded(ROOT / "tests/data/my_ops/bounded").op
RIGHT = Matched(("inner", "root"), {"x": "a"}, {"y": "b"}, {"low": -1, "high": 1})


@pytest.mark.parametrize(("found", "wrong"), [
    (RIGHT, None),
    (None, None),
    (7, "it is another value"),
    (replace(RIGHT, nodes=("inner",)), "nodes= lacks the root, root"),
    (replace(RIGHT, inputs={}), "inputs= lacks x"),
    (replace(RIGHT, inputs={"x": "a", "z": "a"}), "inputs= has 'z', which the op does not"),
    (replace(RIGHT, outputs={"z": "b"}), "outputs= has 'z', which the op does not declare"),
    (replace(RIGHT, outputs={}), "outputs= lacks y"),
    (replace(RIGHT, attributes={"lo": 1}), "attributes= has 'lo', which the op does not"),
    (replace(RIGHT, attributes=7), "attributes= is no mapping"),  # type: ignore[arg-type]
])  # fmt: skip
def test_the_part_that_does_not_fit_is_named(found: object, wrong: str | None) -> None:
    said = MATCHED.broken(HookCall(OP, (SimpleNamespace(name="root"),), found))
    assert said == wrong or (said is not None and wrong is not None and f": {wrong}" in said)
