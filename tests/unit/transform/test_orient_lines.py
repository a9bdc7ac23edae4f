"""Lines of pixels and sequences are turned one way, and no byte changes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ops.conv_2d.test_conv_2d import CASES
from opsmith.errors import ToolchainError
from opsmith.ir import Graph, Node, Numerics
from opsmith.ir.program import Program
from opsmith.ir.verify import verify
from opsmith.legalize.decompose import decompose
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.litert import Array, Reference
from opsmith.pipeline import read, used_ops
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import merged_model
from opsmith.transform.fold_blocks import fold_blocks
from opsmith.transform.fold_borders import fold_borders
from opsmith.transform.fold_constants import fold_constants
from opsmith.transform.merge_duplicates import merge_duplicates
from opsmith.transform.orient_lines import orient_lines
from opsmith.transform.remove_identities import remove_identities
from tests.architectures import sequences
from tests.architectures.layers import Layers
from tests.architectures.schemes import DYNAMIC_RANGE, FLOAT32, INT8, INT16X8, UINT8, Scheme
from tests.programs import assert_litert, built, compiled, graph_of, stored
from tests.unit.stream_evaluate import StreamEvaluator
from tests.unit.time_series import Write, causal, content, early, frames, padded_at_the_end, signal

OPS = shipped_ops()
OTHER_SCHEMES = (INT16X8, UINT8, FLOAT32, DYNAMIC_RANGE)
DOWN, ACROSS = 2, 1  # the axis of images that is 1


def kept_at_one(axis: int) -> Callable[[Graph, Node], float]:
    """Cost of nodes that grows with the sizes of images along an axis, and is 0 at 1."""

    def cost(graph: Graph, node: Node) -> float:
        shapes = [graph.tensors[name].shape for name in (*node.inputs, *node.outputs) if name]
        return sum(shape[axis] - 1 for shape in shapes if len(shape) == 4)

    return cost


def turned(graph: Graph, axis: int, *, streams: bool = False) -> Iterator[Graph]:
    graph = fold_constants(decompose(graph, OPS, frozenset()), OPS)
    steps: tuple[Callable[[Graph], Graph], ...] = (
        lambda g: orient_lines(g, OPS, kept_at_one(axis), streams=streams),
        lambda g: remove_identities(g, OPS),
        lambda g: merge_duplicates(g, OPS),
        lambda g: fold_blocks(g, OPS, lambda graph, node: 0, streams=streams),
        lambda g: fold_borders(g, OPS),
    )
    for step in steps:
        graph = verify(step(graph), "legal")
        yield graph


def images(graph: Graph) -> list[tuple[int, ...]]:
    """Shapes of the outputs of nodes that write several pixels."""
    shapes = (graph.tensors[name].shape for node in graph.nodes for name in node.outputs)
    return [shape for shape in shapes if len(shape) == 4 and shape[1:3] != (1, 1)]


@pytest.mark.parametrize("axis", [DOWN, ACROSS])
@pytest.mark.parametrize(
    ("write", "scheme"),
    [
        (sequences.conv_1d, FLOAT32),
        *(
            pytest.param(write, scheme, marks=pytest.mark.slow)
            for write in (sequences.tcn, causal, signal)
            for scheme in (INT8, *(OTHER_SCHEMES if write is signal else ()))
        ),
    ],
)
def test_all_is_turned_one_way_and_no_byte_changes(write: Write, scheme: Scheme, axis: int) -> None:
    model = content(write, scheme)
    reference = Reference(model)
    sets = seeded_inputs(reference.inputs, 1)[-2:]
    graph = graph_of(model)
    before = [Evaluator(graph, OPS).run(each)[graph.outputs[0]] for each in sets]
    for after in turned(graph, axis):
        for inputs, wanted in zip(sets, before, strict=True):
            values = Evaluator(after, OPS).run(inputs)
            np.testing.assert_array_equal(values[after.outputs[0]], wanted)
    assert images(after)
    assert all(shape[axis] == 1 for shape in images(after))
    if scheme is INT8:
        for inputs, wanted in zip(sets, before, strict=True):
            np.testing.assert_array_equal(wanted, reference.run(inputs)[0])


@pytest.mark.slow
def test_sequences_between_images_become_images() -> None:
    (*_, after) = turned(graph_of(content(causal)), ACROSS)
    ops = [node.op for node in after.nodes]
    assert ops.count("reshape") == 1 + ("reshape" in ops[-2:])  # of the input, and of the last step
    assert not {"pad", "space_to_batch_nd", "batch_to_space_nd"} & set(ops)
    dilated = [node for node in after.nodes if node.attributes.get("dilation_width") == 2]
    assert [node.attributes["border"] for node in dilated] == [(0, 0, 4, 0)]


@pytest.mark.slow
def test_a_dilated_convolution_of_dynamic_range_stays_cut() -> None:
    """A dilated convolution of dynamic range stays cut, as LiteRT quantises each cut image by
    itself.
    """
    (*_, after) = turned(graph_of(content(signal, DYNAMIC_RANGE)), ACROSS)
    assert "space_to_batch_nd" in [node.op for node in after.nodes]


@pytest.mark.slow
def test_a_cut_stays_where_it_costs_less() -> None:
    graph = [*turned(graph_of(content(signal)), ACROSS)][2]

    def dear(graph: Graph, node: Node) -> float:
        found = [node.attributes.get(f"dilation_{each}", 1) for each in ("height", "width")]
        return 1e6 * float(max(found))

    assert fold_blocks(graph, OPS, dear, streams=False) == graph
    pushed = fold_blocks(graph, OPS, dear, streams=True)
    assert "space_to_batch_nd" not in [node.op for node in pushed.nodes]


@pytest.mark.slow
def test_of_equal_cost_lines_stay_as_they_are() -> None:
    graph = fold_constants(decompose(graph_of(content(signal)), OPS, frozenset()), OPS)
    after = orient_lines(graph, OPS, lambda graph, node: 1, streams=False)
    filters = [node for node in after.nodes if "conv" in node.op]
    assert all(after.tensors[node.outputs[0]].shape[ACROSS] == 1 for node in filters)


def test_without_an_op_that_shapes_nothing_is_turned() -> None:
    graph = graph_of(content(causal))
    some = {name: found for name, found in OPS.by_name.items() if name != "reshape"}
    assert orient_lines(graph, replace(OPS, by_name=some), kept_at_one(DOWN), streams=True) is graph


def test_images_of_several_rows_and_columns_are_left_alone() -> None:
    def square(n: Layers) -> None:
        n.output(n.convolution(n.input(1, 4, 4, 2), 3))

    graph = graph_of(content(square))
    assert orient_lines(graph, OPS, kept_at_one(DOWN), streams=True) is graph


def test_the_op_that_shapes_is_among_those_that_a_model_uses(tmp_path: Path) -> None:
    def line(n: Layers) -> None:
        n.output(n.convolution(n.input(1, 1, 8, 2), 3, (1, 3)))

    path = stored(content(line), tmp_path)
    assert "reshape" in used_ops(*read(path, "line", OPS), OPS)


def planned(model: bytes, stream: str) -> tuple[Graph, Program]:
    seen: dict[str, Graph] = {}
    program = compiled(model, watch=seen.__setitem__, stream=stream)
    return seen["plan_memory"], program


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "share"),
    [(sequences.tcn, 1), (signal, 1), (causal, 0.7), (padded_at_the_end, 2)],
    ids=["tcn", "signal", "causal", "padded_at_the_end"],
)
def test_steps_are_pushed_as_rows(write: Write, share: float) -> None:
    model = content(write)
    streamed, _ = planned(model, "rows")
    whole, _ = planned(model, "0")
    assert streamed.stream is not None and streamed.plan is not None and whole.plan is not None
    assert streamed.plan.arenas["ram"] <= whole.plan.arenas["ram"] * share
    runner, reference = StreamEvaluator(streamed, OPS), Reference(model)
    for (sequence,) in seeded_inputs(reference.inputs, 2)[-3:]:
        equal(runner.infer(sequence), reference.run([sequence]))


@pytest.mark.slow
@pytest.mark.parametrize("write", [frames, early])
def test_steps_are_pushed_without_end(write: Write) -> None:
    model = content(write)
    streamed, _ = planned(model, "frames")
    runner, reference = StreamEvaluator(streamed, OPS), Reference(model)
    steps = np.concatenate([x[0][0] for x in seeded_inputs(reference.inputs, 2)[-2:]])
    count = len(steps) // 2
    for end, step in enumerate(steps, 1):
        outputs = runner.push(step[np.newaxis])
        assert (outputs is None) == (end < count)
        if outputs is not None:
            equal(outputs, reference.run([steps[np.newaxis, end - count : end]]))


def test_who_reads_a_sequence_that_cannot_be_pushed_is_said() -> None:
    def classified(n: Layers) -> None:
        n.output(n.softmax(n.input(1, 8, 2)))

    with pytest.raises(ToolchainError, match=r"of several rows: softmax_1 \(softmax\) reads it so"):
        planned(content(classified), "rows")


@pytest.mark.slow
def test_padded_steps_are_no_frames() -> None:
    with pytest.raises(ToolchainError, match="pads its input along time"):
        planned(content(causal), "frames")


@pytest.mark.slow
@pytest.mark.parametrize("write", [causal, padded_at_the_end])
def test_generated_code_takes_steps_one_by_one(write: Write, tmp_path: Path) -> None:
    model = content(write)
    assert_litert(model, built(compiled(model, stream="rows"), tmp_path), sets=2)


def equal(got: list[Array], wanted: list[Array]) -> None:
    for mine, theirs in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_views_of_a_turned_node_have_no_rule_of_numerics() -> None:
    """Views of a turned node have no rule of numerics: moving elements is alike by every rule."""
    case = next(each for each in CASES if each.name == "large_columns")
    graph = legal(merged_model([case]), OPS, "notebook")
    turned = orient_lines(graph, OPS, kept_at_one(ACROSS), streams=False)
    assert {node.op: node.numerics for node in turned.nodes} == {
        "reshape": Numerics.REFERENCE,
        "conv_2d": Numerics.NOTEBOOK,
    }
