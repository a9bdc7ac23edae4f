"""The sources of kernel instances."""

from __future__ import annotations

from opsmith.emit.nodes import shard_sources
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled

COMPARISONS = ("LESS", "GREATER", "EQUAL", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL")


def test_a_header_that_ops_share_is_included_once() -> None:
    m = ModelWriter()
    a, b = m.input("a", (4,), "int32"), m.input("b", (4,), "int32")
    for name in COMPARISONS:
        y = m.tensor(name, (4,), "bool")
        m.node(name, [a, b], [y])
        m.output(y)
    sources = shard_sources(compiled(m), shipped_ops(), "m")
    for source in sources:
        included = [line for line in source.splitlines() if line.startswith("#include")]
        assert len(included) == len({*included})
    assert sum("runtimes/families/relation.h" in source for source in sources) == 4
