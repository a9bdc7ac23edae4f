"""Writes the test_<op>.py of a new op."""

import math
from collections.abc import Iterator
from dataclasses import fields

from opsmith.ir import DType
from opsmith.scaffold.names import class_name
from opsmith.scaffold.python import Group, layout, literal, tree
from opsmith.scaffold.spec import ExampleUse, Given, Spec
from opsmith.scaffold.unfinished import cases_title, known_to_litert, oracle_lines

BOARD_BYTES = 1 << 15  # limit of a test's tensors: consoles are slow, and small boards small


def cases_source(spec: Spec) -> str:
    """Text of test_<op>.py."""
    own = [] if known_to_litert(spec) else ["", "", *_OWN_TEST[spec.template](spec)]
    body = [*_cases(spec), "", "", *_tests(spec), *own]
    text = "\n".join(body)
    lines = [cases_title(spec), ""]
    if "load_op(" in text:
        lines += ["from opsmith.discover.discover import load_op"]
    if "numpy_reference(" in text:
        lines += ["from opsmith.testing.op_cases import numpy_reference"]
    lines += ["from opsmith.testing.op_tests import *"]
    lines += ["from opsmith.testing.uses import Given, use", ""]
    return "\n".join([*lines, text, ""])


def _cases(spec: Spec) -> Iterator[str]:
    yield "FOLDER = Path(__file__).parent"
    yield from layout(Group("CASES = (", [_case(spec, use) for use in spec.uses]))


def _case(spec: Spec, use: ExampleUse) -> Group:
    return Group("Case(", [literal(use.name), use_group(spec, use)])


def use_group(spec: Spec, use: ExampleUse) -> Group:
    """Call `use(…)` for the tensors of a use."""
    custom = spec.custom
    op = "CUSTOM" if custom is not None else spec.source.removeprefix("tflite.")
    items: list[Group | str] = [literal(op)]
    items.append(Group("[", [_given(given) for given in use.inputs], "]"))
    items.append(Group("[", [_given(given) for given in use.outputs], "]"))
    if use.options:
        items.append(literal(use.options) if isinstance(use.options, bytes) else tree(use.options))
    items += [f"custom={literal(custom)}"] if custom is not None else []
    items += [f"version={use.version}"] if use.version != 1 else []
    return Group("use(", items)


def _given(given: Given | None) -> str | Group:
    if given is None:
        return "None"
    words: list[str | Group] = [literal(given.dtype), literal(given.shape)]
    positional = given.scale is not None
    if positional:
        words.append(tree(given.scale))
        words += [str(given.zero_point)] if given.zero_point else []
    for each in fields(Given)[4:]:
        value = getattr(given, each.name)
        if value != each.default:
            words.append(tree(value, f"{each.name}="))
    return Group("Given(", words)


def _tests(spec: Spec) -> Iterator[str]:
    yield f"class Test{class_name(spec.name)}(OpTests):"
    yield "    folder = FOLDER"
    yield "    cases = CASES"
    yield from oracle_lines(spec)
    sizes = [
        math.prod(given.shape) * 8
        for use in spec.uses
        for given in (*use.inputs, *use.outputs)
        if given is not None
    ]
    if sum(sizes) > BOARD_BYTES:
        yield '    boards = ("host",)'


def _placeholder(spec: Spec) -> Iterator[str]:
    yield "def test_this_op_is_still_a_placeholder() -> None:"
    yield '    """Fails when the mark is gone: then put tests here that know right values."""'
    yield "    op = load_op(FOLDER).op"
    yield '    assert "placeholder" in op.traits, "write tests with known results in its place"'


def _known(spec: Spec) -> tuple[list[list[float]], list[float], tuple[int, ...]]:
    """Float values for each input, the expected results, and the shape of the input."""
    low = -1.0 if all(_signed(value.types[0]) for value in spec.inputs) else 0.0
    if spec.template == "reduction":
        return [[1, 2, 3, 6, 3, 2, 2, 5]], [3, 3], (2, 4)
    if len(spec.inputs) == 1:
        signed = _signed(spec.outputs[0].types[0])
        return [[low, 0, 1, 3]], [low / 2 if signed else 0, 0, 0.5, 0.75], (4,)
    rows = [[low, 0, 1, 3], [1, 0, low, 0]] + [[0, 0, 0, 0]] * (len(spec.inputs) - 2)
    return rows, [max(each) for each in zip(*rows, strict=True)], (4,)


def _signed(dtype: DType) -> bool:
    return dtype.short[0] != "u"


def _known_answers(spec: Spec) -> Iterator[str]:
    rows, answers, shape = _known(spec)
    y = spec.outputs[0].types[0]
    given = [_real(value.types[0], shape, 1.0) for value in spec.inputs]
    steps = 64 if spec.template == "elementwise" and len(spec.inputs) == 1 else 4  # of y per unit
    made = _real(y, (2,) if spec.template == "reduction" else shape, 1 / steps)
    options = dict(spec.uses[0].options) if not isinstance(spec.uses[0].options, bytes) else {}
    options |= {"axis": 1} if spec.template == "reduction" and "axis" in options else {}
    use = ExampleUse("known", tuple(given), (made,), options, spec.uses[0].version)
    yield "def test_known_results() -> None:"
    yield f'    """{_STATED[spec.template, len(spec.inputs) > 1]}, worked out by hand."""'
    yield from layout(Group("case = Case(", [literal("known"), use_group(spec, use)]), 4)
    arrays = [
        f"np.array({literal(_numbers(row, tensor, shape))}, {literal(tensor.dtype)})"
        for row, tensor in zip(rows, given, strict=True)
    ]
    run = Group("(y,) = numpy_reference(FOLDER, case).run(", [Group("[", arrays, "]")])
    yield from layout(run, 4)
    factor = 1 if y.short[0] == "f" else steps
    right = [answer * factor for answer in answers]
    wanted = right if y.short[0] == "f" else [int(answer) for answer in right]
    yield f"    assert y.tolist() == {literal(wanted)}"


_STATED = {
    ("elementwise", False): "x / (1 + |x|) of dequantised values",
    ("elementwise", True): "The largest of the dequantised values",
    ("reduction", False): "The mean of the dequantised values",
}


def _real(dtype: DType, shape: tuple[int, ...], scale: float) -> Given:
    return Given(dtype.name, shape) if dtype.short[0] == "f" else Given(dtype.name, shape, scale)


def _numbers(row: list[float], tensor: Given, shape: tuple[int, ...]) -> list[object]:
    kind = float if tensor.dtype.startswith("float") else int
    flat: list[object] = [kind(value) for value in row]
    if len(shape) == 1:
        return flat
    return [flat[i : i + shape[1]] for i in range(0, len(flat), shape[1])]


_OWN_TEST = {"elementwise": _known_answers, "reduction": _known_answers, "empty": _placeholder}
