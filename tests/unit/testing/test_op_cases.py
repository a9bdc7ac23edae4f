"""The harness of op tests finds what it is there to find."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.discover.discover import discover
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.litert import Detail, Reference
from opsmith.pipeline import read
from opsmith.testing import op_cases
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.op_cases import check_coverage, check_evaluate, check_on_host, check_rejected
from opsmith.testing.op_walks import check_walks
from opsmith.testing.stored_shapes import check_stored_shapes
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from tests.copies import copied

MAXIMUM = Path(__file__).resolve().parents[2] / "data" / "harness" / "maximum"
Edit = Callable[[str, str, str], Path]


def maximum(dtype: str, scale: float | None = None) -> Callable[[ModelWriter], None]:
    """The larger elements of two tensors of one type."""

    def build(m: ModelWriter) -> None:
        kind = (dtype,) if scale is None else (dtype, scale)
        a, b = m.input("a", (2, 3), *kind), m.input("b", (2, 3), *kind)
        m.output(m.value("MAXIMUM", [a, b], m.tensor("y", (2, 3), *kind), version=2))

    return build


CASES = (Case("small", maximum("int8", 0.01)), Case("large", maximum("int8", 0.5)))
EVERY_TYPE = (*CASES, Case("plain", maximum("int32")), Case("real", maximum("float32")))


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """An op folder outside the tree, with one piece of one file replaced by another."""
    monkeypatch.setattr(op_cases, "OUT", tmp_path / "build")
    folder = tmp_path / "my_ops" / "maximum"
    copied(MAXIMUM, folder)

    def edit(file: str, old: str, new: str) -> Path:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))
        return folder

    return edit


def test_cases_become_one_model_of_independent_nodes() -> None:
    reference = Reference(merged_model(CASES))
    assert [each.name for each in reference.inputs] == ["small/a", "small/b", "large/a", "large/b"]
    assert [each.name for each in reference.outputs] == ["small/y", "large/y"]


def test_two_cases_of_one_name_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="two cases share a name"):
        merged_model([CASES[0], CASES[0]])


@pytest.mark.slow
def test_a_right_op_outside_the_tree_passes(edited: Edit) -> None:
    folder = edited("op.py", "Maximum: ", "Largest: ")
    check_evaluate(folder, CASES)
    check_on_host(folder, CASES)
    check_coverage(folder, EVERY_TYPE)


def test_a_wrong_evaluate_is_reported_by_case_and_tensor(edited: Edit) -> None:
    folder = edited("op.py", "np.maximum(", "np.minimum(")
    with pytest.raises(
        AssertionError, match=r"by numpy.*\ncase (small|large), y, input set \d: \d of 6"
    ):
        check_evaluate(folder, CASES)


@pytest.mark.slow
@pytest.mark.parametrize("opt", ["balanced", "size"])
def test_a_wrong_kernel_is_reported_with_the_first_values(edited: Edit, opt: str) -> None:
    folder = edited("reference.h", "in.b[i] : in.a[i]", "in.a[i] : in.b[i]")
    with pytest.raises(AssertionError, match=rf"opt={opt}.*\n.*\[0\] -?\d+ instead of -?\d+"):
        check_on_host(folder, CASES, (opt,))


@pytest.mark.slow
def test_a_kernel_that_writes_too_far_is_caught(edited: Edit) -> None:
    folder = edited("reference.h", "out.y[i]", "out.y[i + 64]")
    with pytest.raises(AssertionError, match=r"ended with -?[1-9]"):
        check_on_host(folder, CASES)


@pytest.mark.slow
def test_a_kernel_that_does_not_compile_is_reported(edited: Edit) -> None:
    folder = edited("reference.h", "out.y[i]", "out.z[i]")
    with pytest.raises(AssertionError, match=r"error: .*has no member named .z"):
        check_on_host(folder, CASES)


def test_a_kernel_without_a_case_is_reported(edited: Edit) -> None:
    refused = "lambda node: Refused('rank is not 5')"
    folder = edited("op.py", ", KERNEL)", f', Kernel("never", Params, {refused}), KERNEL)')
    never = (folder / "reference.h").read_text().replace("void reference(", "void never(")
    (folder / "never.h").write_text(never)
    with pytest.raises(AssertionError, match="no case reaches the kernel 'never' for i8"):
        check_coverage(folder, EVERY_TYPE)


def test_a_type_without_a_case_is_reported(edited: Edit) -> None:
    folder = edited("op.py", "(i8, i32, f32)", "(i8, i16, i32, f32)")
    with pytest.raises(AssertionError, match="no case reaches the kernel 'reference' for i16"):
        check_coverage(folder, EVERY_TYPE)


@pytest.mark.slow
def test_an_op_that_takes_stored_shapes_must_say_so(edited: Edit) -> None:
    check_stored_shapes(MAXIMUM, CASES)
    folder = edited("op.py", 'return [node["a"].type]', 'return [node["y"].type]')
    with pytest.raises(AssertionError, match="say as_stored=True in the Rename"):
        check_stored_shapes(folder, CASES)


def test_what_must_be_refused_and_is_not_fails() -> None:
    with pytest.raises(AssertionError, match="small: wanted MDL014 'anything', got no error"):
        check_rejected(MAXIMUM, CASES[0], "MDL014", "anything")


def test_a_refusal_in_other_words_fails() -> None:
    def build(m: ModelWriter) -> None:
        a = m.input("a", (2,), "bool")
        m.output(m.value("MAXIMUM", [a, a], m.tensor("y", (2,), "bool"), version=2))

    check_rejected(MAXIMUM, Case("type", build), "MDL012", "'a' is bool")
    with pytest.raises(AssertionError, match="wanted MDL012 'other words', got"):
        check_rejected(MAXIMUM, Case("type", build), "MDL012", "other words")


def test_the_evaluator_gives_every_tensor(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(merged_model(CASES))
    ops = discover([MAXIMUM])
    _, graph = read(path, "m", ops)
    values = evaluate(graph, ops, [np.zeros(graph.tensors[n].shape, np.int8) for n in graph.inputs])
    assert set(values) == set(graph.tensors)


def test_inputs_hold_the_extremes_and_repeat() -> None:
    details = [
        Detail("a", (2, 3), np.dtype(np.int8), 0.5, -7),
        Detail("b", (), np.dtype(np.float32), None, None),
        Detail("c", (4,), np.dtype(np.int16), 0.5, 0),
    ]
    sets = seeded_inputs(details, 3)
    again = seeded_inputs(details, 3)
    firsts = [each[0] for each in sets]
    for fill in (-128, 127, -7):
        assert any((value == fill).all() for value in firsts)
    assert any((value == [[-128, 127, -128], [127, -128, 127]]).all() for value in firsts)
    for one, other in zip(sets, again, strict=True):
        for value, same, detail in zip(one, other, details, strict=True):
            assert value.shape == detail.shape
            assert value.dtype == detail.dtype
            np.testing.assert_array_equal(value, same)


def test_random_floats_hold_halves_and_zeros_of_both_signs() -> None:
    detail = Detail("x", (4000,), np.dtype(np.float32), None, None)
    values = np.concatenate([each[0] for each in seeded_inputs([detail], 6)])
    zeros = values[values == 0]
    assert np.signbit(zeros).any()
    assert not np.signbit(zeros).all()
    assert (np.abs(values % 1) == 0.5).any()
    assert np.isfinite(values).all()
    assert np.abs(values).max() >= 1e6


@pytest.mark.slow
def test_a_kernel_that_writes_before_it_reads_is_caught(edited: Edit) -> None:
    check_walks(edited("op.py", "Maximum: ", "Largest: "), CASES)
    folder = edited("reference.h", "  for (", "  out.y[1] = 0;\n  for (")
    with pytest.raises(AssertionError, match="reads what is no longer there"):
        check_walks(folder, CASES)
