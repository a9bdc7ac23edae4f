"""Variants that only move elements: kernels see no element types, and instances serve several."""

from pathlib import Path

from ops.concatenation.test_concatenation import concatenation
from ops.transpose.test_transpose import transpose
from toolchain.build_options import BuildOptions
from toolchain.contract.bind import bind
from toolchain.emit.operands import lists
from toolchain.ir.program import Program
from toolchain.op.discover import discover, load_op
from toolchain.pipeline import Configuration, compile_graph
from toolchain.testing.op_cases import Case, legal, merged_model

OPS = Path(__file__).resolve().parents[3] / "ops"
INDEX = discover([OPS])


def program(*cases: Case, opt: str = "balanced") -> Program:
    """The cases as one model, on a core without features."""
    graph = legal(merged_model(cases), INDEX)
    configuration = Configuration(options=BuildOptions(opt=opt))
    return compile_graph(graph, INDEX, configuration, "cases", lambda step, graph: None)


def turned(dtype: str, columns: int = 7) -> Case:
    return Case(f"{dtype}_{columns}", transpose((5, columns), (1, 0), dtype))


def test_elements_of_one_width_share_an_instance() -> None:
    made = program(*map(turned, ("int16", "int32", "uint32", "float32"))).instances
    assert [each.symbol for each in made] == [
        "opsmith::movement::gather<int16_t>",
        "opsmith::movement::gather<int32_t>",
    ]


def test_they_share_the_general_form() -> None:
    shapes = [turned(dtype, columns) for columns in (6, 7, 8) for dtype in ("int32", "float32")]
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
    assert bind(load_op(OPS / "pad")).count(declared) == 1
