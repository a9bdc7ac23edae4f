"""The harness of op tests finds what it is there to find."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from toolchain.op.discover import discover
from toolchain.pipeline import read
from toolchain.testing import op_cases
from toolchain.testing.evaluate import evaluate
from toolchain.testing.inputs import seeded_inputs
from toolchain.testing.litert import Detail, Reference
from toolchain.testing.op_cases import (
    Case,
    check_coverage,
    check_evaluate,
    check_on_host,
    check_rejected,
    check_walks,
    merged_model,
)
from toolchain.testing.tflite_writer import ModelWriter

ADD = Path(__file__).resolve().parents[3] / "ops" / "add"
Edit = Callable[[str, str, str], Path]


def add(
    scale: float, plain: str = "int32", b_shape: tuple[int, ...] = (3,)
) -> Callable[[ModelWriter], None]:
    """Of int8, or of a plain type without a scale."""

    def build(m: ModelWriter) -> None:
        if scale:
            a, b = m.input("a", (2, 3), "int8", scale, 3), m.input("b", b_shape, "int8", 0.25)
            y = m.tensor("y", (2, 3), "int8", 0.5)
        else:
            a, b = m.input("a", (2, 3), plain), m.input("b", (3,), plain)
            y = m.tensor("y", (2, 3), plain)
        m.node("ADD", [a, b], [y], {"fused_activation_function": "NONE"}, version=2)
        m.output(y)

    return build


CASES = (Case("small", add(0.01)), Case("equal", add(0.5)))
EVERY_TYPE = (
    *CASES,
    Case("dense", add(0.5, b_shape=(2, 3))),
    Case("plain", add(0.0)),
    Case("real", add(0.0, "float32")),
)


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """An op folder outside the tree: `add`, with one piece of one file replaced by another.

    Its reference is its only kernel.
    """
    monkeypatch.setattr(op_cases, "OUT", tmp_path / "build")
    folder = tmp_path / "my_ops" / "add"
    shutil.copytree(ADD, folder, ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    op = (folder / "op.py").read_text()
    head, rows, _ = op.partition("    kernels=(")
    assert rows
    (folder / "op.py").write_text(head + '    kernels=(Kernel("reference.h"),),\n)\n')

    def edit(file: str, old: str, new: str) -> Path:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))
        return folder

    return edit


def test_cases_become_one_model_of_independent_nodes() -> None:
    reference = Reference(merged_model(CASES))
    assert [each.name for each in reference.inputs] == ["small/a", "small/b", "equal/a", "equal/b"]
    assert [each.name for each in reference.outputs] == ["small/y", "equal/y"]


def test_two_cases_of_one_name_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="two cases share a name"):
        merged_model([CASES[0], CASES[0]])


def test_a_right_op_outside_the_tree_passes(edited: Edit) -> None:
    folder = edited("op.py", "Add: ", "Sum: ")
    check_evaluate(folder, CASES)
    check_on_host(folder, CASES)
    check_coverage(folder, EVERY_TYPE)


def test_a_wrong_evaluate_is_told_by_case_and_tensor(edited: Edit) -> None:
    folder = edited("op.py", "y_multiplier, p.y_shift) + p.y_z", "y_multiplier, p.y_shift) - p.y_z")
    folder = edited("op.py", "np.clip(y, p", "np.clip(y + 1, p")
    with pytest.raises(AssertionError, match=r"by numpy.*\ncase small, y, input set \d: \d of 6"):
        check_evaluate(folder, CASES)


@pytest.mark.parametrize("opt", ["balanced", "size"])
def test_a_wrong_kernel_is_told_with_the_first_values(edited: Edit, opt: str) -> None:
    folder = edited("reference.h", "y + p.y_zero_point", "y + p.y_zero_point + 1")
    with pytest.raises(AssertionError, match=rf"opt={opt}.*\n.*\[0\] -?\d+ instead of -?\d+"):
        check_on_host(folder, CASES, (opt,))


def test_a_kernel_that_writes_too_far_is_caught(edited: Edit) -> None:
    folder = edited("reference.h", "out.y, [&p](int8_t", "out.y + 64, [&p](int8_t")
    with pytest.raises(AssertionError, match=r"ended with -?[1-9]"):
        check_on_host(folder, CASES)


def test_a_kernel_that_does_not_compile_is_told(edited: Edit) -> None:
    folder = edited("reference.h", "out.y, [&p](int8_t", "out.z, [&p](int8_t")
    with pytest.raises(AssertionError, match=r"error: .*has no member named .z"):
        check_on_host(folder, CASES)


def test_a_kernel_without_a_case_is_told(edited: Edit) -> None:
    row = 'Kernel("reference.h", when=lambda node: len(node["y"].shape) == 5), '
    folder = edited("op.py", "    kernels=(", f"    kernels=({row}")
    with pytest.raises(AssertionError, match=r"no case reaches the kernel reference\.h"):
        check_coverage(folder, EVERY_TYPE)


def test_a_type_without_a_case_is_told(edited: Edit) -> None:
    folder = edited("op.py", '"T": (i8, i32, f32)', '"T": (i8, i16, i32, f32)')
    edited("op.py", "    i32,\n)", "    i16,\n    i32,\n)")
    edited("reference.h", "#pragma once", "#pragma once  // reference")
    with pytest.raises(AssertionError, match="no case has T = i16"):
        check_coverage(folder, EVERY_TYPE)


def test_what_must_be_refused_and_is_not_fails() -> None:
    with pytest.raises(AssertionError, match="small: wanted MDL014 'anything', got no error"):
        check_rejected(ADD, CASES[0], "MDL014", "anything")


def test_a_refusal_in_other_words_fails() -> None:
    def build(m: ModelWriter) -> None:
        a, y = m.input("a", (2,), "int8", 1.0), m.tensor("y", (3,), "int8", 1.0)
        m.node("ADD", [a, a], [y], {"fused_activation_function": "NONE"})
        m.output(y)

    check_rejected(ADD, Case("shape", build), "MDL014", "'y' is i8[3]")
    with pytest.raises(AssertionError, match="wanted MDL014 'other words', got"):
        check_rejected(ADD, Case("shape", build), "MDL014", "other words")


def test_the_evaluator_gives_every_tensor(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(merged_model(CASES))
    ops = discover([ADD])
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


def test_a_kernel_that_writes_before_it_reads_is_caught(edited: Edit) -> None:
    check_walks(edited("op.py", "Add: ", "Sum: "), CASES)
    call = "for_each_pair(p, in.a, in.b, out.y, [&p](int8_t"
    folder = edited("reference.h", call, f"out.y[1] = 0;\n  {call}")
    with pytest.raises(AssertionError, match="reads what is no longer there"):
        check_walks(folder, CASES)
