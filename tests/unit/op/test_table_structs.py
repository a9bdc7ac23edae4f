"""Tables of structs: declared once in Python, laid out alike in C++, refused when wrong."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.contract.bind import bind
from opsmith.discover.discover import discover, load_op
from opsmith.emit.cpp import model_source
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.tflite.writer import ModelWriter
from tests.programs import built, compiled
from tests.refusals import refusal
from tests.unit.op.folders import GOOD, KERNEL, write

STRUCTS = '''
from typing import Annotated

@dataclass(frozen=True)
class Place:
    """Where elements go."""
    first: int
    last: Annotated[int, i16]
    ends: bool
    steps: tuple[int, int]

@dataclass(frozen=True)
class Factor:
    """Factor of an element, after an offset."""
    scale: Annotated[int, i8]
    offset: int
    unused: Annotated[tuple[int, ...], u8, 3]

@dataclass(frozen=True)
class Tables:
    """Structs."""
    place: Place
    factors: tuple[Factor, ...]

def tables(node) -> Tables:
    size = node["x"].elements
    factors = tuple(Factor(-i - 1, 3 * i, (i, 0, 255)) for i in range(size))
    return Tables(Place(-(2**31), size - 1, True, (1, -1)), factors)
'''
DECLARED = GOOD.replace("\ndef infer", f"{STRUCTS}\ndef infer").replace(
    "every_node(params))", "every_node(params, tables), tables=Tables)"
)
USED = KERNEL.replace("& out)", "& out, const Tables& t)").replace(
    "static_cast<int8_t>(2 * in.x[i])",
    "static_cast<int8_t>((in.x[i] + t.factors[i].offset) * t.factors[i].scale"
    " + t.place->steps[1] * (i == t.place->last) + (t.place->first == INT32_MIN))",
)


def chain(folder: Path, nodes: int = 1, text: str = DECLARED) -> tuple[Program, OpIndex]:
    """Program of a chain of N nodes of the op, and the index of ops."""
    m = ModelWriter()
    x = m.input("x", (5,), "int8")
    for number in range(nodes):
        y = m.value("CUSTOM", [x], m.tensor(f"y{number}", (5,), "int8"), custom="Twice")
        x = y
    m.output(x)
    write(folder, text=text, kernel=USED)
    ops = discover([folder])
    return compiled(m, ops), ops


def test_the_contract_declares_the_structs(tmp_path: Path) -> None:
    text = bind(load_op(write(tmp_path, text=DECLARED)))
    members = ("int32_t first", "int16_t last", "bool ends", "int32_t steps[2]")
    assert "struct Place {\n" + "".join(f"  {each};\n" for each in members) + "};" in text
    assert "static_assert(sizeof(Place) == 16," in text
    assert "static_assert(sizeof(Factor) == 12," in text
    assert "  const Place* place;  // one of them\n  const Factor* factors;\n" in text


@pytest.mark.slow
def test_kernels_read_what_the_tables_have(tmp_path: Path) -> None:
    program, ops = chain(tmp_path)
    firmware = built(program, tmp_path / "build", ops)
    x, i = np.array([1, -2, 3, 4, 5], np.int8), np.arange(5)
    wanted = (x + 3 * i) * (-i - 1) - (i == 4) + 1
    np.testing.assert_array_equal(firmware.run([[x]])[0][0], wanted.astype(np.int8))


@pytest.mark.slow
def test_equal_structs_are_one_and_are_spelled_out(tmp_path: Path) -> None:
    program, ops = chain(tmp_path, 2)
    assert len(program.steps) == 2
    assert [each.symbol for each in program.structs] == ["y0_place"]
    assert [table.array.dtype.itemsize for table in program.tables] == [12]
    source = model_source(program, ops)
    assert "constexpr opsmith::twice::Place y0_place = {\n    INT32_MIN,  // first\n" in source
    assert source.count("{&y0_place, y0_factors};") == 2


FIELD = "last: Annotated[int, i16]"
MISTAKES = [
    (FIELD, "last: list", "OPS016", "Place in tables of reference: field 'last' "),
    (FIELD, "last: Annotated[int, i64]", "OPS016", "Place in tables of reference: field 'last' "),
    (FIELD, "last: Annotated[float, i16]", "OPS016", "Place in tables of reference: field 'last' "),
    (FIELD, "last: Annotated[int, []]", "OPS016", "Place in tables of reference: field 'last' "),
    (", u8, 3]", ", u8, True]", "OPS016", "Factor in tables of reference: field 'unused' must be"),
    (", u8, 3]", ", u8, 0]", "OPS016", "Factor in tables of reference: field 'unused' must be"),
    (FIELD, "new: Annotated[int, i16]", "OPS016",
     "Place in tables of reference: 'new' is a word of C++"),
    ("(frozen=True)\nclass Place", "\nclass Place", "OPS016",
     "Place in tables of reference: Place is not frozen"),
    ("    place: Place", "    place: type('Empty', (), {})", "OPS016",
     "tables of reference: field 'place' must be an NDArray of one element type"),
    ("    place: Place", "    place: dataclass(frozen=True)(type('Empty', (), {}))", "OPS016",
     "Empty in tables of reference: Empty has no fields"),
    ("factors: tuple[Factor, ...]", "factors: tuple[int, ...]", "OPS016",
     "tables of reference: field 'factors' must be an NDArray of one element type"),
    ("    place: Place", "    place: dataclass(frozen=True)(type('Factor', (Place,), {}))",
     "KRN006", "two kernels have different structs of the name Factor"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "sentence"), MISTAKES)
def test_a_wrong_struct_is_reported(
    tmp_path: Path, old: str, new: str, code: str, sentence: str
) -> None:
    assert DECLARED.count(old) == 1
    caught = refusal(load_op, write(tmp_path, text=DECLARED.replace(old, new)))
    told = [problem.what for problem in caught.problems if problem.code == code]
    assert any(what.startswith(sentence) for what in told), caught.problems


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "said"), [
    ("size - 1, True", "1 << 15, True", "place.last is 32768, no int16"),
    ("size - 1, True", "size - 1, 1", "place.ends is 1, no bool"),
    ("(1, -1)", "(1, -1, 0)", "place.steps is (1, -1, 0), no tuple of 2"),
    ("(i, 0, 255)", "(i, 0, 256)", "factors[0].unused[2] is 256, no uint8"),
    ("Factor(-i - 1,", "Factor(-i - 128,", "factors[1].scale is -129, no int8"),
    ("range(size)", "range(0)", "factors is (), no tuple of Factor"),
    ("Tables(Place(-(2**31), size - 1, True, (1, -1)), ", "Tables(None, ",
     "place is None, no Place"),
    (", factors)", ", list(factors[:0]))", "factors is [], no tuple of Factor"),
])  # fmt: skip
def test_a_value_that_no_member_can_have_is_reported(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert DECLARED.count(old) == 1
    (problem,) = refusal(chain, tmp_path, text=DECLARED.replace(old, new)).problems
    assert problem.code == "OPS070"
    assert problem.what.endswith(f"of its types: tables.{said}")
