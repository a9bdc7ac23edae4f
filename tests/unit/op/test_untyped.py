"""Variants that only move elements: kernels see no element types, and instances serve several."""

from pathlib import Path

import pytest

from ops.concatenation.test_concatenation import concatenation
from ops.transpose.test_transpose import transpose
from opsmith.contract.bind import bind, namespace
from opsmith.discover.discover import discover
from opsmith.emit.operands import lists
from opsmith.ir.program import Program
from opsmith.testing.known_ops import loaded, shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled
from tests.unit.op.folders import GOOD, KERNEL

OPS = Path(__file__).resolve().parents[3] / "ops"
INDEX = shipped_ops()


def program(*cases: Case, opt: str = "balanced") -> Program:
    """Program of the cases as one model, on a core without features."""
    return compiled(legal(merged_model(cases), INDEX), opt=opt)


def turned(dtype: str, columns: int = 7) -> Case:
    return Case(f"{dtype}_{columns}", transpose((5, columns), (1, 0), dtype=dtype))


def test_elements_of_one_width_share_an_instance() -> None:
    made = program(*map(turned, ("int16", "int32", "uint32", "float32"))).instances
    assert [each.symbol for each in made] == [
        "opsmith::movement::gather<int16_t>",
        "opsmith::movement::gather<int32_t>",
    ]


@pytest.mark.slow
def test_they_share_the_general_form() -> None:
    shapes = [turned(("int32", "float32")[columns % 2], columns) for columns in range(6, 46)]
    made = program(*shapes, opt="size").instances
    assert [each.params for each in made] == [None]


def test_a_copy_of_rows_is_one_for_all_element_types() -> None:
    shapes = {"bool": 4, "int16": 2, "float32": 1}  # elements, of as many bytes
    cases = [
        Case(dtype, concatenation((3, n), (3, n), axis=1, dtype=dtype))
        for dtype, n in shapes.items()
    ]
    made = program(*cases)
    assert len(made.instances) == 1
    assert all(each.startswith("const void* const ") for each in lists(made, INDEX))


def test_the_contract_says_so() -> None:
    declared = "void reference(const P&, const In<void>&, const Out<void>&);"
    assert bind(loaded(OPS / "pad")).count(declared) == 1


@pytest.mark.parametrize("opt", ["balanced", "size"])
def test_kernels_of_one_name_in_two_folders_are_two(tmp_path: Path, opt: str) -> None:
    both = ", ".join(
        f'Variant({{"T": {each}}}, untyped=True, folder="{each}", kernels=(REFERENCE,))'
        for each in ("i16", "i32")
    )
    text = GOOD.replace('Variant({"T": i8}, kernels=(REFERENCE,))', both)
    folder = tmp_path / "twice"
    for each in ("i16", "i32"):
        (folder / each).mkdir(parents=True)
        kernel = KERNEL.replace("opsmith::twice", f"opsmith::twice::{each}")
        kernel = kernel.replace("int8_t>&", "void>&")
        (folder / each / "reference.h").write_text(kernel, encoding="utf-8")
    (folder / "op.py").write_text(text, encoding="utf-8")
    ops = discover([folder])
    m = ModelWriter()
    for dtype in ("int16", "int32"):
        x = m.input(f"x_{dtype}", (4,), dtype)
        m.output(m.value("CUSTOM", [x], m.tensor(f"y_{dtype}", (4,), dtype), custom="Twice"))
    made = compiled(m, ops, opt=opt)
    spaces = [namespace(*ops.kernel(each.op, each.types, each.index)) for each in made.instances]
    assert spaces == ["opsmith::twice::i16", "opsmith::twice::i32"]
