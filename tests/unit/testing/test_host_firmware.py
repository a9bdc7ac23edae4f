"""Programs for this machine: a kept folder has the C++ of one program, not of those before it."""

from __future__ import annotations

from pathlib import Path

from opsmith.op.discover import discover
from opsmith.op.examples import example_graphs
from opsmith.pipeline import Configuration, compile_graph
from opsmith.testing.host_firmware import write_sources

ROOT = Path(__file__).resolve().parents[3]


def test_what_an_earlier_program_alone_had_is_not_compiled(tmp_path: Path) -> None:
    ops = discover([ROOT / "ops" / "relu"])
    graph = example_graphs(ops["relu"])[0]
    program = compile_graph(graph, ops, Configuration(frozenset()), "", lambda step, graph: None)
    write_sources(program, ops, tmp_path)
    made = sorted(tmp_path.rglob("*.cc"))
    earlier = tmp_path / graph.name / "queue" / "jobs.cc"
    earlier.parent.mkdir()
    earlier.write_text("#error\n", encoding="utf-8")
    write_sources(program, ops, tmp_path)
    assert made
    assert sorted(tmp_path.rglob("*.cc")) == made
