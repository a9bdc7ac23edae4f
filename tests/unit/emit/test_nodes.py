"""The sources of kernel instances."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from opsmith.emit.nodes import LISTING, node_sources
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter

COMPARISONS = ("LESS", "GREATER", "EQUAL", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL")


def test_each_op_has_a_source_that_includes_a_header_once_and_is_listed(tmp_path: Path) -> None:
    m = ModelWriter()
    a, b = m.input("a", (4,), "int32"), m.input("b", (4,), "int32")
    for name in COMPARISONS:
        y = m.tensor(name, (4,), "bool")
        m.node(name, [a, b], [y])
        m.output(y)
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    ops = shipped_ops()
    _, graph = read(tmp_path / "m.tflite", "m", ops)
    program = compile_graph(graph, ops, Configuration(), "m", lambda step, graph: None)
    sources = node_sources(program, ops, "m")
    listed = sources.pop(LISTING)
    assert {*sources} == {f"nodes_{name.lower()}.cc" for name in COMPARISONS}
    for name, source in sources.items():
        included = [line for line in source.splitlines() if line.startswith("#include")]
        assert len(included) == len({*included})
        assert "runtimes/families/relation.h" in source
        assert f"{sha256(source.encode()).hexdigest()}  {name}\n" in listed
