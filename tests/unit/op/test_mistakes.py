"""Bad registrations: every mistake has its code and its sentence, and all are told at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.op.folders import GOOD, KERNEL, write
from toolchain.cli import main
from toolchain.errors import Problem, ToolchainError
from toolchain.op.discover import load_op

ROOT = Path(__file__).parents[3]
X = 'Input("x", "T")'
Y = 'Output("y", "T")'
K = 'Attribute("k", int, default=1)'
TWICE = 'Rename("tflite.CUSTOM.Twice")'
TAIL = "infer=infer,"
ROW = 'Kernel("reference.h")'
FIRST = 'kernels=(Kernel("reference.h"'

# (text in the good op.py, what replaces it, code, the whole sentence)
MISTAKES = [
    # what does not load
    ("OP = Op(", "NOT = Op(", "OPS003", "no value OP of type Op"),
    ("from dataclasses", "from dataklasses", "OPS002",
     "op.py does not load: ModuleNotFoundError: No module named 'dataklasses'"),
    ("def infer(node):", "def infer(node:", "OPS002",
     "op.py does not load: SyntaxError: '(' was never closed (op.py, line 10)"),
    ("kernels=", "kernals=", "OPS002",
     "op.py does not load: TypeError: Op.__init__() got an unexpected keyword argument 'kernals'"),
    ('"""Twice: every element doubled."""', "", "OPS009", "op.py has no docstring"),
    ('"""Twice: every', '"""Twice:\\x1b[31m every', "OPS075",
     "the docstring has characters that do not show: 'Twice:\\x1b[31m every element doubled.'"),
    ('doubled."""', 'doubled.\n\n\\ud800"""', "OPS075",
     "the docstring has characters that do not show: 'Twice: every element doubled.'"),
    (ROW, 'Kernel("reference.h", defines={"X": "\\ud800"})', "OPS075",
     "reference.h: '\\ud800' has characters that no source file can hold"),
    # names
    ('name="twice"', 'name="thrice"', "OPS010", "the op is named 'thrice' but its folder 'twice'"),
    (Y, 'Output("x", "T")', "OPS011", "the name 'x' is declared twice"),
    (K, f"{K}, {K}", "OPS011", "the name 'k' is declared twice"),
    (X, 'Input("X", "T")', "OPS012", "'X' is no lower-case identifier"),
    (X, 'Input("x-y", "T")', "OPS012", "'x-y' is no lower-case identifier"),
    (X, 'Input("register", "T")', "OPS012", "'register' is a word of C++"),
    # Python types: what a forgotten comma makes
    (f"({X},)", X, "OPS021", "Op 'twice': inputs= must be a tuple of Input, not Input"),
    (f"({ROW},)", ROW, "OPS021", "Op 'twice': kernels= must be a tuple of Kernel, not Kernel"),
    (f"({TWICE},)", f"[{TWICE}]", "OPS021",
     "Op 'twice': legalize= must be a tuple of Rename, not list"),
    ('{"T": (i8,)}', '{"T": i8}', "OPS021",
     "Op 'twice': domains= must be tuples of element types by name, not dict"),
    (X, 'Input("x", int)', "OPS021",
     "Input 'x': type= must be an element type or the name of a domain,"
     " not type <class 'int'>"),
    (ROW, 'Kernel("reference.h", requires="dsp")', "OPS021",
     "Kernel 'reference.h': requires= must be a set of strings, not str 'dsp'"),
    ("infer=infer,", 'infer="infer",', "OPS021",
     "Op 'twice': infer= must be a function, not str 'infer'"),
    (TWICE, 'Rename("tflite.CUSTOM.Twice", versions=2)', "OPS021",
     "Rename 'tflite.CUSTOM.Twice': versions= must be a range, not int 2"),
    (ROW, 'Kernel("reference.h", dtypes=(i8), requires={"dsp"}), Kernel("reference.h")', "OPS021",
     "Kernel 'reference.h': dtypes= must be a tuple of element types, not DType i8"),
    (X, 'Input("x", "T", optional=1)', "OPS021",
     "Input 'x': optional= must be True or False, not int 1"),
    (TAIL, "infer=infer, parts=7,", "OPS021", "Op 'twice': parts= must be a function, not int 7"),
    (ROW, 'Kernel("reference.h", cost=3)', "OPS021",
     "Kernel 'reference.h': cost= must be a function, not int 3"),
    (ROW, 'Kernel("reference.h", scratch=(Scratch("a", i8, 4),))', "OPS021",
     "Scratch 'a' of Kernel 'reference.h': elements= must be a function, not int 4"),
    (TAIL, 'infer=infer, rows="oops",', "OPS021",
     "Op 'twice': rows= must be a function, not str 'oops'"),
    (ROW, 'Kernel("reference.h", code=Code(-1))', "OPS021",
     "Code of Kernel 'reference.h': instance= must be a number of bytes, not -1"),
    (ROW, 'Kernel("reference.h", code=Code(general=1 << 31))', "OPS021",
     "Code of Kernel 'reference.h': general= must be a number of bytes, not 2147483648"),
    (ROW, 'Kernel("reference.h", code=Code(slowdown=float("nan")))', "OPS021",
     "Code of Kernel 'reference.h': slowdown= must be a number of at least 1, not nan"),
    (TAIL, "infer=infer, decompose=Decompose(1),", "OPS021",
     "Decompose: into= must be a function, not int 1"),
    (TAIL, "infer=infer, match=Match(1, infer),", "OPS021",
     "Match: root= must be a string, not int 1"),
    (TWICE, 'Rename("tflite.ABS", attributes={"a": Convert(1, infer)})', "OPS021",
     "Convert 'a' of Rename 'tflite.ABS': attribute= must be a string, not int 1"),
    (TWICE, "10**5000", "OPS021", "Op 'twice': legalize= must be a tuple of Rename, not tuple"),
    # examples
    (TAIL, f"{TAIL} examples=(Example(1),),", "OPS021",
     "Example 0: tensors= must be ExampleTensor or tuples of ExampleTensor by name, not int 1"),
    (TAIL, f'{TAIL} examples=(Example({{"x": 1}}),),', "OPS021",
     "Example 0: tensors= must be ExampleTensor or tuples of ExampleTensor by name, not dict"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(1, (2,))}}),),', "OPS021",
     "ExampleTensor 'x' of Example 0: dtype= must be an element type, not int 1"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(i8, (1 << 40,))}}),),', "OPS020",
     "example 0: tensor 'x': shape= must be a tuple of sizes, of few elements in all"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(i8, (2,), scale=-1)}}),),', "OPS020",
     "example 0: tensor 'x': scale= must be a positive number, or a tuple of them"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(i8, (2,), data=[1])}}),),', "OPS021",
     "ExampleTensor 'x' of Example 0: data= must be an array, not list"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(i8, (2,), zero_point=1 << 40)}}),),',
     "OPS020", "example 0: tensor 'x': zero_point= must be a whole number of 32 bits"),
    (TAIL, f'{TAIL} examples=(Example({{"x": ExampleTensor(i8, (2,), axis=1)}}),),', "OPS020",
     "example 0: tensor 'x': axis= must be one of the shape's"),
    # domains
    (Y, 'Output("y", "U")', "OPS013", "'y' has unknown domain 'U'"),
    ('{"T": (i8,)}', '{"Type": (i8,)}', "OPS013", "'x' has unknown domain 'T'"),
    ('{"T": (i8,)}', '{"T": (i8,), "U": (i8,)}', "OPS014", "domain 'U' types no input or output"),
    ('{"T": (i8,)}', '{"T": ()}', "OPS015", "domain 'T' is empty"),
    ('{"T": (i8,)}', '{"T": (i8, i8)}', "OPS028", "domain 'T' lists i8 twice"),
    (X, f'{X}, Input("b", "U", optional=True)', "OPS013", "'b' has unknown domain 'U'"),
    # inputs and outputs
    (X, f'Input("a", "T", optional=True), {X}', "OPS024",
     "input 'x' is required but comes after optional 'a'"),
    (X, f'Input("a", "T", variadic=True), {X}', "OPS025",
     "input 'a' is variadic but not the last"),
    (Y, f'Output("a", "T", variadic=True), {Y}', "OPS025",
     "output 'a' is variadic but not the last"),
    (X, f'{X}, Input("a", "T", variadic=True, constant=True)', "OPS026",
     "input 'a' is constant and variadic, which exclude each other"),
    (X, f'{X}, Input("a", "T", state=True, constant=True)', "OPS026",
     "input 'a' is constant and state, which exclude each other"),
    (X, f'{X}, Input("a", "T", variadic=True, optional=True)', "OPS026",
     "input 'a' is variadic and optional, which exclude each other"),
    (f"({Y},)", "()", "OPS027", "the op has no output"),
    # attributes
    (K, 'Attribute("k", list)', "OPS023", "attribute 'k' has type list, which no option can have"),
    (K, 'Attribute("k", ListOf(dict))', "OPS023",
     "attribute 'k' has type dict, which no option can have"),
    (K, 'Attribute("k", int, default="one")', "OPS022", "attribute 'k': default 'one' is no int"),
    (K, 'Attribute("k", ListOf(int), default=1)', "OPS022",
     "attribute 'k': default 1 is no list of int"),
    (K, 'Attribute("k", i8, default=(1, 300))', "OPS022",
     "attribute 'k': default (1, 300) is no array of int8"),
    (K, 'Attribute("k", int, default=1, choices=(1, "2"))', "OPS022",
     "attribute 'k': choice '2' is no int"),
    (K, 'Attribute("k", i8, choices=(1, 2))', "OPS022",
     "attribute 'k' is an array, which cannot have choices"),
    (K, 'Attribute("k", str, default="SAM", choices=("SAME", "VALID"))', "OPS029",
     "attribute 'k': default 'SAM' is none of choices= (did you mean 'SAME'?)"),
    # functions
    ("-> Params:", ":", "OPS016", "params: params does not say which dataclass it returns"),
    ("size: int", "size: list", "OPS016",
     "params: field 'size' must be int, bool, float or a tuple of so many of one of them"),
    ("(frozen=True)", "", "OPS016", "params: Params is not frozen"),
    (TAIL, f"{TAIL} tables=infer,", "OPS016",
     "tables: infer does not say which dataclass it returns"),
    ("infer(node)", "infer()", "OPS057",
     "Op 'twice': infer=infer cannot be called with (NodeView)"),
    ("params(node)", "params(node, more)", "OPS057",
     "Op 'twice': params=params cannot be called with (NodeView)"),
    (TAIL, f"{TAIL} evaluate=lambda node: [],", "OPS057",
     "Op 'twice': evaluate=<lambda> cannot be called with (node, inputs)"),
    (TAIL, f'{TAIL} states=(State("h", i8, infer),), evaluate=lambda node, inputs: [],', "OPS057",
     "Op 'twice': evaluate=<lambda> cannot be called with (node, inputs, state)"),
    (TAIL, f"{TAIL} check=lambda: [],", "OPS057",
     "Op 'twice': check=<lambda> cannot be called with (NodeView)"),
    (TAIL, f"{TAIL} decompose=Decompose(infer),", "OPS057",
     "Decompose: into=infer cannot be called with (NodeView, GraphBuilder)"),
    (TAIL, f'{TAIL} states=(State("h", i8, lambda: 1),),', "OPS057",
     "State 'h': elements=<lambda> cannot be called with (NodeView)"),
    (TAIL, f'{TAIL} states=(State("h", i8, infer), State("h", i8, infer)),', "OPS011",
     "the name 'h' is declared twice"),
    # traits and rewrites
    (TAIL, f'{TAIL} traits={{"vew"}},', "OPS017", "unknown trait 'vew' (did you mean 'view'?)"),
    (TAIL, f'{TAIL} traits={{"clamps"}},', "OPS018",
     "trait 'clamps' and hook clamp= come together"),
    (TAIL, f"{TAIL} keep_channels=lambda node, live, ranges: {{}},", "OPS018",
     "keep_channels= needs live_channels="),
    (TAIL, f"{TAIL} permutation=lambda node: (0,),", "OPS018",
     "permutation= and permuted= come together"),
    (TAIL, f"{TAIL} value_range=lambda node: [],", "OPS057",
     "Op 'twice': value_range=<lambda> cannot be called with (NodeView, Mapping[str, Range])"),
    (TAIL, f'{TAIL} traits={{"fuses_activation"}},', "OPS019",
     "trait 'fuses_activation' needs an attribute 'activation'"),
    (TAIL, f'{TAIL} match=Match("twice", lambda node, graph: None),', "OPS060",
     "match= looks for 'twice', which is the op itself"),
    (TAIL, f'{TAIL} traits={{"placeholder"}},', "OPS036",
     "trait 'placeholder', but no kernel is marked OPSMITH_PLACEHOLDER"),
    (f"({Y},),", '(Output("y", "T", variadic=True),), traits={"elementwise"},', "OPS073",
     "trait 'elementwise' is for ops whose outputs are so many, and one is variadic"),
    # renames
    (TWICE, 'Rename("Twice")', "OPS050", "Rename of Twice: 'Twice' is no source op"),
    (TWICE, f"{TWICE}, {TWICE}", "OPS051",
     "tflite.CUSTOM.Twice is renamed twice, and nothing tells which one holds"),
    (TWICE, 'Rename("tflite.ABS", attributes={"kk": "q"})', "OPS052",
     "Rename of tflite.ABS: option 'kk' becomes attribute 'q', which is not declared"),
    (TWICE, 'Rename("tflite.ABS", versions=range(3, 3))', "OPS053",
     "Rename of tflite.ABS: versions= is range(3, 3)"),
    (TWICE, 'Rename("tflite.ABS", versions=range(0, 3))', "OPS053",
     "Rename of tflite.ABS: versions= is range(0, 3)"),
    (TWICE, 'Rename("tflite.ABS", inputs=(0, 1))', "OPS054",
     "Rename of tflite.ABS: inputs=(0, 1) has 2 places where the op has 1 inputs"),
    (TWICE, 'Rename("tflite.ABS", inputs=(-1,))', "OPS054",
     "Rename of tflite.ABS: inputs=(-1,) has a negative or repeated index"),
    (TWICE, 'Rename("tflite.ABS", options=dict)', "OPS055",
     "Rename of tflite.ABS: options= decodes those of a CUSTOM op, which this is not"),
    (TWICE, 'Rename("tflite.ABS", reason="faster")', "OPS056",
     "Rename of tflite.ABS: reason= without overrides="),
    (TWICE, 'Rename("tflite.ABS", attributes={"a": "k", "b": "k"})', "OPS058",
     "Rename of tflite.ABS: options 'a' and 'b' become one attribute 'k'"),
    (TWICE, 'Rename("tflite.ABS", attributes={"a": "k"}, ignore=("a",))', "OPS059",
     "Rename of tflite.ABS: option 'a' is both ignored and an attribute"),
    (TWICE, 'Rename("tflite.ABS", when=lambda: True)', "OPS057",
     "Rename 'tflite.ABS': when=<lambda> cannot be called with (NodeView)"),
    (TWICE, 'Rename("tflite.ABS", attributes={"a": Convert("k", lambda: 1)})', "OPS057",
     "Convert 'a' of Rename 'tflite.ABS': value=<lambda> cannot be called with (Any)"),
    # kernels
    (ROW, 'Kernel("referenc.h")', "KRN001",
     "there is no kernel file 'referenc.h' (did you mean 'reference.h'?)"),
    (ROW, 'Kernel("reference.h", sources=("more.cc",))', "KRN001",
     "reference.h: there is no source 'more.cc'"),
    (f"{ROW},", "", "KRN002", "the last kernel is not a reference that runs everywhere"),
    (ROW, 'Kernel("reference.h", requires={"dsp"})', "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    (FIRST, 'kernels=(Kernel("reference.h", dtypes=(i16,)), Kernel("reference.h"', "KRN003",
     "kernel reference.h lists i16, which no domain has"),
    (FIRST, 'kernels=(Kernel("reference.h", dtypes=(i8, i8), requires={"dsp"}),'
     ' Kernel("reference.h"', "KRN003", "kernel reference.h lists i8 twice"),
    ('{"T": (i8,)}', '{"T": (i8, i16)}', "KRN004",
     "reference.h has no 'twice_i16_reference' (did you mean 'twice_i8_reference'?)"),
    (ROW, 'Kernel("reference.h", scratch=(Scratch("a", i8, infer), Scratch("a", i8, infer)))',
     "KRN005", "reference.h declares scratch 'a' twice"),
    (ROW, 'Kernel("reference.h", scratch=(Scratch("new", i8, infer),))', "KRN005",
     "scratch of reference.h: 'new' is a word of C++"),
    (FIRST, 'kernels=(Kernel("reference.h", requires={"dsp"}, scratch=(Scratch("a", i8, infer),)),'
     ' Kernel("reference.h"', "KRN006",
     "two rows of reference.h differ in params=, tables= or scratch="),
    (ROW, 'Kernel("reference.h", function="twice_i8_reference")', "KRN007",
     "reference.h: function= and arguments= come together"),
    (ROW, 'Kernel("reference.h", function="twice_i8_reference", arguments=("in.z",))', "KRN008",
     "reference.h: argument 'in.z' is not known"),
    (ROW, 'Kernel("reference.h", function="twice_i8_reference", arguments=("p.sise",))', "KRN008",
     "reference.h: argument 'p.sise' is not known (did you mean 'size'?)"),
    (ROW, 'Kernel("reference.h", over_composite=True)', "KRN009",
     "reference.h says over_composite=, and the op has no decompose="),
    (FIRST, 'kernels=(Kernel("reference.h", requires={"dps"}), Kernel("reference.h"', "KRN010",
     "kernel reference.h requires 'dps', which no core has (did you mean 'dsp'?)"),
    (FIRST, 'kernels=(Kernel("reference.h"), Kernel("reference.h"', "KRN011",
     "reference.h is never taken: reference.h fits whatever it fits"),
    (ROW, 'Kernel("reference.h", defines={"X": "1 \\\\"})', "KRN012",
     "reference.h: 'X' cannot be defined as '1 \\\\'"),
    (ROW, 'Kernel("../twice/reference.h")', "OPS074",
     "'../twice/reference.h' is no name of a file that kernels can include"),
    (ROW, 'Kernel("/etc/passwd")', "OPS074",
     "'/etc/passwd' is no name of a file that kernels can include"),
    (ROW, 'Kernel("a\\"b.h")', "OPS074",
     "'a\"b.h' is no name of a file that kernels can include"),
    (ROW, 'Kernel("reference.h", defines={"2X": "1"})', "KRN012",
     "reference.h: '2X' cannot be defined as '1'"),
    (ROW, 'Kernel("reference.h", libraries=("-lm",))', "KRN013",
     "reference.h: '-lm' is no name of a library"),
    (ROW, 'Kernel("reference.h", copies=("memcopy",))', "KRN014",
     "reference.h: 'memcopy' copies and fills nothing (did you mean 'memcpy'?)"),
    (ROW, 'Kernel("reference.h", when=lambda: True), Kernel("reference.h")', "OPS057",
     "Kernel 'reference.h': when=<lambda> cannot be called with (NodeView)"),
]  # fmt: skip


def problems(folder: Path) -> tuple[Problem, ...]:
    """What loading this folder tells."""
    with pytest.raises(ToolchainError) as caught:
        load_op(folder)
    return caught.value.problems


def test_the_good_one_has_none(tmp_path: Path) -> None:
    assert load_op(write(tmp_path)).op.name == "twice"


@pytest.mark.parametrize(("old", "new", "code", "sentence"), MISTAKES)
def test_a_mistake_is_told(tmp_path: Path, old: str, new: str, code: str, sentence: str) -> None:
    assert old in GOOD
    folder = write(tmp_path, text=GOOD.replace(old, new, 1))
    told = problems(folder)
    assert (code, sentence) in [(problem.code, problem.what) for problem in told]
    for problem in told:
        assert problem.where.startswith(str(folder / "op.py"))
        assert problem.fix


def test_no_two_mistakes_are_one() -> None:
    assert len({(old, new) for old, new, _, _ in MISTAKES}) == len(MISTAKES)
    assert len({(code, sentence) for _, _, code, sentence in MISTAKES}) >= 40


def test_all_mistakes_of_a_folder_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace(Y, 'Output("x", "U")').replace("-> Params:", ":")
    text = text.replace(TWICE, 'Rename("Twice")').replace(ROW, 'Kernel("r.h")')
    codes = {problem.code for problem in problems(write(tmp_path, text=text))}
    assert codes >= {"OPS011", "OPS013", "OPS016", "OPS050", "KRN001"}


def test_a_domain_needs_an_input_that_is_there(tmp_path: Path) -> None:
    text = GOOD.replace(X, f'{X}, Input("b", "U", optional=True)')
    told = problems(write(tmp_path, text=text.replace('{"T": (i8,)}', '{"T": (i8,), "U": (i8,)}')))
    assert told[0].what == "domain 'U' types optional inputs only, so it may stay open"


def test_a_kernel_may_be_in_a_file_that_its_file_includes(tmp_path: Path) -> None:
    folder = write(tmp_path, kernel='#include "twice/inner.h"\n')
    assert problems(folder)[0].code == "KRN004"
    (folder / "inner.h").write_text(KERNEL, encoding="utf-8")
    assert load_op(folder).op.name == "twice"


def test_every_code_that_can_be_told_is_in_the_table() -> None:
    rules = [*ROOT.glob("toolchain/op/check*.py")]
    told = {
        code for path in rules for code in re.findall(r'"((?:OPS|KRN)\d{3})"', path.read_text())
    }
    assert told - {code for _, _, code, _ in MISTAKES} == set()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('[node["x"].type]', '[node["z"].type]', "infer of op 'twice' ended with KeyError: 'z'"),
        ('node["x"].elements', "1 // 0", "params of op 'twice' ended with ZeroDivisionError"),
        ('[node["x"].type]', "[]", "example 0: twice: infer gives 0 types for 1 outputs"),
        ('Rename, i8', 'Rename, i8', "example 0: tensor 'q' is not declared"),
    ],
)  # fmt: skip
def test_a_function_that_fails_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    name = "q" if old == new else "x"
    tensors = f'{{"{name}": ExampleTensor(i8, (4,)), "y": ExampleTensor(i8, (4,))}}'
    text = GOOD.replace(TAIL, f"{TAIL} examples=(Example({tensors}),),").replace(old, new)
    folder = write(tmp_path, text=text)
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert str(folder / "op.py") in said
