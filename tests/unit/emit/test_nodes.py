"""The sources of kernel instances."""

from hashlib import sha256

from opsmith.emit.nodes import LISTING, node_sources
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled

COMPARISONS = ("LESS", "GREATER", "EQUAL", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL")


def test_each_op_has_a_source_that_includes_a_header_once_and_is_listed() -> None:
    m = ModelWriter()
    a, b = m.input("a", (4,), "int32"), m.input("b", (4,), "int32")
    for name in COMPARISONS:
        m.output(m.value(name, [a, b], m.tensor(name, (4,), "bool")))
    sources = node_sources(compiled(m), shipped_ops(), "m")
    listed = sources.pop(LISTING)
    assert {*sources} == {f"nodes_{name.lower()}.cc" for name in COMPARISONS}
    for name, source in sources.items():
        included = [line for line in source.splitlines() if line.startswith("#include")]
        assert len(included) == len({*included})
        assert "runtimes/families/relation.h" in source
        assert f"{sha256(source.encode()).hexdigest()}  {name}\n" in listed
