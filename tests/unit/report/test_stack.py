"""Bounds of the stack from the call graphs that GCC writes."""

from pathlib import Path

import pytest

from opsmith.report.stack import Bound, read_calls, stack_lines, with_stack


def node(title: str, frame: str) -> str:
    return f'node: {{ title: "{title}" label: "void f()\\nf.cc:1:2\\n{frame}" }}\n'


def outside(title: str) -> str:
    return f'node: {{ title: "{title}" label: "{title}\\n<built-in>" shape : ellipse }}\n'


def edge(source: str, target: str) -> str:
    return f'edge: {{ sourcename: "{source}" targetname: "{target}" label: "f.cc:3:4" }}\n'


INVOKE, NODE = "_ZN1m6invokeEv", "_ZN1m5add_0ERKN1o2InE"
MODEL = node(INVOKE, "16 bytes (static)") + outside(NODE) + edge(INVOKE, NODE)
NODES = node(NODE, "8 bytes (static)") + outside("memcpy") + edge(NODE, "memcpy")
NODES += node("a.cc:inner", "40 bytes (dynamic,bounded)") + 2 * edge(NODE, "a.cc:inner")
NODES += node("_ZN1m5sub_0Ev", "100 bytes (static)") + edge(INVOKE, "_ZN1m5sub_0Ev")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Call graphs of two files, and a third path that the compiler did not write."""
    found = [tmp_path / name for name in ("model.ci", "nodes.ci", "absent.ci")]
    for path, text in zip(found, (MODEL, NODES), strict=False):
        path.write_text(text, encoding="utf-8")
    return found


def test_the_deepest_call_counts_and_libraries_are_named(files: list[Path]) -> None:
    calls = read_calls(files)
    assert calls.named("m", "add_0") == Bound(48, frozenset({"memcpy"}))
    assert calls.named("m", "invoke") == Bound(116, frozenset({"memcpy"}))
    assert calls.named("m", "add") is None
    assert calls.named("n", "add_0") is None


@pytest.mark.parametrize(
    "more", [node("a.cc:deep", "8 bytes (dynamic)"), node("a.cc:deep", "8 bytes (static)")]
)
def test_recursion_and_frames_of_any_size_have_no_bound(files: list[Path], more: str) -> None:
    with files[1].open("a", encoding="utf-8") as file:
        file.write(more + edge("a.cc:inner", "a.cc:deep"))
        file.write(edge("a.cc:deep", NODE) if "static" in more else "")
    calls = read_calls(files)
    assert calls.named("m", "add_0") == Bound(None, frozenset({"memcpy"}))
    invoke = calls.named("m", "invoke")
    assert invoke is not None
    assert invoke.bytes is None
    assert calls.named("m", "sub_0") == Bound(100)


def test_a_report_has_them_by_node(files: list[Path]) -> None:
    nodes = [{"instance": name} for name in ("add_0", "sub_0", None)]
    model = {"name": "m", "nodes": nodes}
    report = with_stack(model, read_calls(files))
    assert [each.get("stack", {}).get("bytes") for each in report["nodes"]] == [48, 100, None]
    assert [*stack_lines(report)] == ["  stack at most 116 B for the model, besides memcpy"]
    assert with_stack(model, read_calls([])) == model
    assert not [*stack_lines(model)]
    many = {"stack": {"bytes": 8, "besides": [*"abcdef"]}}
    assert [*stack_lines(many)] == [
        "  stack at most 8 B for the model, besides a, b, c, d and 2 more"
    ]
