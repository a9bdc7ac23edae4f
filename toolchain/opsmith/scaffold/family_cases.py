"""Writes the test_<op>.py of an op on a family, by the family's builders of cases."""

from collections.abc import Mapping, Sequence

from opsmith.ir import DType
from opsmith.ir.types import f32, i8, i16, u8
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal
from opsmith.scaffold.spec import Spec
from opsmith.scaffold.unfinished import cases_title, known_to_litert, oracle_lines

# Elements of x, quantisation of x and y, and elements of y: x / (1 + |x|) for x = -1, 0, 1 and 3,
# or 0, 1 and 3. A table for int16 has only every 128th element.
_KNOWN: Mapping[DType, tuple[Sequence[float], str, Sequence[float]]] = {
    i8: ([-1, 0, 1, 3], "1.0, 0, 1 / 64", [-32, 0, 32, 48]),
    u8: ([0, 1, 3], "1.0, 0, 1 / 64", [0, 32, 48]),
    i16: ([-4096, 0, 4096, 12288], "1 / 4096, 0, 1 / 64", [-32, 0, 32, 48]),
    f32: ([-1.0, 0.0, 1.0, 3.0], "", [-0.5, 0.0, 0.5, 0.75]),
}


def unary_cases(spec: Spec) -> str:
    """Test file of a function of each element."""
    types = spec.inputs[0].types
    scales = ["0.05, 3, 0.01, -4"] * any(dtype != f32 for dtype in types)
    plain = Group("Unary(", [_source(spec), *scales, *_version(spec)])
    x, known, y = _KNOWN[types[0]]
    typed = ")" if types[0] == i8 else f").of_type({literal(types[0].name)})"
    fields = [_source(spec), *([known] if known else []), f"shape=({len(x)},)"]
    return _cases(
        spec,
        "from runtimes.families.unary_cases import Unary, type_cases",
        layout(Group("cases = type_cases(", [plain, *_names(types)]), 4),
        [
            *layout(Group("known = Unary(", fields, typed), 8),
            f'        (y,) = self.in_numpy(known).run([np.array({x}, "{types[0].name}")])',
            f"        assert y.tolist() == {y}",
        ],
    )


def binary_cases(spec: Spec) -> str:
    """Test file of a function of two elements, or of a relation between two elements."""
    types, relation = spec.inputs[0].types, spec.template == "relation"
    made = ['y_dtype="bool"'] * relation
    plain = Group("of_plain(", [_source(spec), *made, *_version(spec)])
    first = types[0].name
    typed = [f'dtype="{first}"'] * (types[0] != i8)
    known = Group("known = of_plain(", [_source(spec), "a=(3,)", "b=(3,)", *typed, *made])
    return _cases(
        spec,
        "from runtimes.families.binary_cases import of_plain, plain_cases",
        layout(Group("cases = plain_cases(", [plain, *_names(types)]), 4),
        [
            *layout(known, 8),
            f'        given = [np.array(each, "{first}") for each in ([1, 2, 3], [2, 2, 2])]',
            "        (y,) = self.in_numpy(known).run(given)",
            f"        assert y.tolist() == {[False, False, True] if relation else [2, 2, 3]}",
        ],
    )


def movement_cases(spec: Spec) -> str:
    """Test file of an op that moves elements of any type."""
    name = spec.name
    moving = Group(f"{name} = Moving(", [_source(spec), f"version={spec.versions[0]}"])
    first = spec.inputs[0].types[0]
    typed = f', dtype="{first.name}"' * (first != i8)
    known = Group(
        f"(y,) = self.in_numpy({name}((2, 3), (2, 3))).run(", ['[np.eye(2, 3, dtype="int8")]']
    )
    return _cases(
        spec,
        "from runtimes.families.movement_cases import EVERY_TYPE_NAME, Moving",
        [
            "    cases = (",
            f"        *{name}.of_types(EVERY_TYPE_NAME, (4, 5), (4, 5)),",
            f'        Case("image", {name}((2, 3, 4, 3), (2, 3, 4, 3){typed})),',
            f'        Case("scalar", {name}((), (){typed})),',
            "    )",
        ],
        [*layout(known, 8), "        assert y.tolist() == [[0, 1, 0], [0, 0, 1]]"],
        ["", *layout(moving)],
    )


def _source(spec: Spec) -> str:
    return literal(spec.source.removeprefix("tflite."))


def _version(spec: Spec) -> list[str]:
    return [f"version={spec.versions[0]}"] * (spec.versions[0] != 1)


def _names(types: Sequence[DType]) -> list[str]:
    """Names of types as further arguments; many are written as one split text."""
    names = [literal(dtype.name) for dtype in types]
    return names if len(names) < 5 else [f'*"{" ".join(dtype.name for dtype in types)}".split()']


def _cases(
    spec: Spec,
    imported: str,
    cases: Sequence[str],
    known: Sequence[str],
    before: Sequence[str] = (),
) -> str:
    """Text of test_<op>.py: `imported` is a line that imports builders of cases, `before` is code
    before the class, and `known` the body of a test of known results.
    """
    tested = (
        [] if known_to_litert(spec) else ["", "    def test_known_results(self) -> None:", *known]
    )
    lines = [cases_title(spec), "", "from opsmith.testing.op_tests import *", imported, *before]
    lines += ["", "", f"class Test{class_name(spec.name)}(OpTests):", *oracle_lines(spec)]
    return "\n".join([*lines, *cases, *tested, ""])
