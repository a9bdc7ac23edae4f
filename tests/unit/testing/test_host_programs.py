"""Each program for this machine has the cases for which it takes kernels that others lack."""

from collections.abc import Collection

from opsmith.ir import Graph
from opsmith.testing.changed_ops import literal
from opsmith.testing.host_programs import host_programs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal, part_of
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.one_node import one_node

CASES = tuple(
    Case(name, one_node("RELU", {"x": x}, {"y": ((3,), *x[1:])}))
    for name, x in {
        "int8": ((3,), "int8", 0.5),
        "int8_too": ((3,), "int8", 0.5),
        "float32": ((3,), "float32"),
    }.items()
)


def test_the_reference_computes_the_cases_for_which_there_is_another_kernel() -> None:
    names, ops = [case.name for case in CASES], literal(shipped_ops())
    whole = legal(merged_model(CASES), ops)

    def graph_of(some: Collection[str]) -> Graph:
        part = part_of(whole, some, names)
        assert part is not None
        return part

    found = host_programs("relu", names, graph_of, ops, ("balanced", "size"))
    assert {each.way: tuple(each.cases) for each in found} == {
        "host, opt=balanced": ("int8", "int8_too", "float32"),
        "host, instances": ("int8", "float32"),
        "host, the reference": ("int8", "int8_too"),
    }
