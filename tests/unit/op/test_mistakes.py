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
pytestmark = pytest.mark.usefixtures("alone")
X = 'Input("x", "T")'
Y = 'Output("y", "T")'
KEEP = "hooks=Hooks(channels=Channels(keep=lambda node, live, ranges: None))"
REORDER = "hooks=Hooks(permutations=Permutations(reorder=lambda node, order: None))"
ABSORBS = "hooks=Hooks(affine=Affine(absorbs=lambda node, affine, exactly: None))"
K = 'Attribute("k", int, default=1)'
TWICE = 'Rename("tflite.CUSTOM.Twice")'
TAIL = "infer=infer,"
TYPES = '{"T": i8}'
VARIANT = 'Variant({"T": i8}, kernels=(REFERENCE,))'
REFERENCE = 'Kernel("reference", Params, every_node(params))'


def kernel(options: str) -> tuple[str, str]:
    """What gives the reference these options."""
    return REFERENCE, REFERENCE.replace("(params))", f"(params), {options})")


def before(options: str, name: str = "reference") -> tuple[str, str]:
    """What puts a kernel with these options before the reference."""
    return "kernels=(", f'kernels=(Kernel("{name}", Params, every_node(params), {options}), '


# (text in the good op.py, what replaces it, code, the whole sentence)
MISTAKES = [
    # what does not load
    ("OP = Op(", "NOT = Op(", "OPS003", "no value OP of type Op"),
    ("from dataclasses", "from dataklasses", "OPS002",
     "op.py does not load: ModuleNotFoundError: No module named 'dataklasses'"),
    ("def infer(node):", "def infer(node:", "OPS002",
     "op.py does not load: SyntaxError: '(' was never closed (op.py, line 10)"),
    ("kernels=", "kernals=", "OPS002",
     "op.py does not load: TypeError:"
     " Variant.__init__() got an unexpected keyword argument 'kernals'"),
    ("variants=", "params=params, variants=", "OPS002",
     "op.py does not load: TypeError: Op.__init__() got an unexpected keyword argument 'params'"),
    ('"""Twice: every element doubled."""', "", "OPS009", "op.py has no docstring"),
    ('"""Twice: every', '"""Twice:\\x1b[31m every', "OPS075",
     "the docstring has characters that do not show: 'Twice:\\x1b[31m every element doubled.'"),
    ('doubled."""', 'doubled.\n\n\\ud800"""', "OPS075",
     "the docstring has characters that do not show: 'Twice: every element doubled.'"),
    (*kernel('defines={"X": "\\ud800"}'), "OPS075",
     "kernel 'reference': '\\ud800' has characters that no source file can hold"),
    # names
    ('name="twice"', 'name="thrice"', "OPS010", "the op is named 'thrice' but its folder 'twice'"),
    (Y, 'Output("x", "T")', "OPS011", "the name 'x' is declared twice"),
    (K, f"{K}, {K}", "OPS011", "the name 'k' is declared twice"),
    ('"T"', '"class"', "OPS012", "the type 'class' is no name of a template parameter"),
    ('"T"', '"a b"', "OPS012", "the type 'a b' is no name of a template parameter"),
    ('Variant({"T": i8}', 'Variant({"T": i8}, folder="int"', "OPS012",
     "variant 0: folder= names a namespace: 'int' is a word of C++"),
    ('Variant({"T": i8}', 'Variant({"T": i8}, folder="i8/"', "OPS012",
     "variant 0: folder= names a namespace: '' is no lower-case identifier"),
    ('Variant({"T": i8}', f'Variant({{"T": i8}}, {KEEP}', "OPS018",
     "hook channels.keep needs channels.live"),
    ('Variant({"T": i8}', f'Variant({{"T": i8}}, {ABSORBS}', "OPS019",
     "hook affine.absorbs needs an attribute 'activation'"),
    ("size: int", "int: int", "OPS016", "params of reference: 'int' is a word of C++"),
    (X, 'Input("X", "T")', "OPS012", "'X' is no lower-case identifier"),
    (X, 'Input("x-y", "T")', "OPS012", "'x-y' is no lower-case identifier"),
    (X, 'Input("register", "T")', "OPS012", "'register' is a word of C++"),
    # Python types: what a forgotten comma makes
    (f"({X},)", X, "OPS021", "Op 'twice': inputs= must be a tuple of Input, not Input"),
    ("(REFERENCE,)", "REFERENCE", "OPS021",
     "Variant 0: kernels= must be a tuple of Kernel, not Kernel"),
    (f"({VARIANT},)", VARIANT, "OPS021",
     "Op 'twice': variants= must be a tuple of Variant, not Variant"),
    (f"({TWICE},)", f"[{TWICE}]", "OPS021",
     "Op 'twice': legalize= must be a tuple of Rename, not list"),
    (TYPES, '{"T": (i8,)}', "OPS021", "Variant 0: types= must be element types by name, not dict"),
    (TYPES, '{"T": "i8"}', "OPS021", "Variant 0: types= must be element types by name, not dict"),
    (X, 'Input("x", int)', "OPS021",
     "Input 'x': type= must be an element type or the name of a type variable,"
     " not type <class 'int'>"),
    (*kernel('requires="dsp"'), "OPS021",
     "Kernel 'reference' of Variant 0: requires= must be a set of strings, not str 'dsp'"),
    ("infer=infer,", 'infer="infer",', "OPS021",
     "Op 'twice': infer= must be a function, not str 'infer'"),
    (TWICE, 'Rename("tflite.CUSTOM.Twice", versions=2)', "OPS021",
     "Rename 'tflite.CUSTOM.Twice': versions= must be a range, not int 2"),
    ("Params, every_node(params)", "Params(1), every_node(params)", "OPS021",
     "Kernel 'reference' of Variant 0: params= must be a type, not Params"),
    ("every_node(params)", "7", "OPS021",
     "Kernel 'reference' of Variant 0: plan= must be a function, not int 7"),
    (*kernel("tables=params"), "OPS021",
     "Kernel 'reference' of Variant 0: tables= must be a type, not function"),
    (X, 'Input("x", "T", optional=1)', "OPS021",
     "Input 'x': optional= must be True or False, not int 1"),
    (TAIL, "infer=infer, hooks=Hooks(views=Views(parts=7)),", "OPS021",
     "Views: parts= must be a function, not int 7"),
    ('Variant({"T": i8}', 'Variant({"T": i8}, hooks=Hooks(views=Views(parts=7))', "OPS021",
     "Views of Variant 0: parts= must be a function, not int 7"),
    (TAIL, "infer=infer, hooks=Views(parts=infer),", "OPS021",
     "Op 'twice': hooks= must be a Hooks, not Views"),
    (*kernel("cost=3"), "OPS021",
     "Kernel 'reference' of Variant 0: cost= must be a function, not int 3"),
    (*kernel('scratch={"a": 4}'), "OPS021",
     "Kernel 'reference' of Variant 0: scratch= must be element types by name, not dict"),
    (*kernel('scratch=("a", i8)'), "OPS021",
     "Kernel 'reference' of Variant 0: scratch= must be element types by name, not tuple"),
    (TAIL, 'infer=infer, hooks=Hooks(streaming=Streaming(rows="oops")),', "OPS021",
     "Streaming: rows= must be a function, not str 'oops'"),
    (*kernel("code=Code(-1)"), "OPS021",
     "Code of Kernel 'reference': instance= must be a number of bytes, not -1"),
    (*kernel("code=Code(general=1 << 31)"), "OPS021",
     "Code of Kernel 'reference': general= must be a number of bytes, not 2147483648"),
    (*kernel('code=Code(slowdown=float("nan"))'), "OPS021",
     "Code of Kernel 'reference': slowdown= must be a number of at least 1, not nan"),
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
    # types of variants
    (Y, 'Output("y", "U")', "OPS013", "variant 0 does not say what type 'U' is"),
    (TYPES, '{"Type": i8}', "OPS013", "variant 0 does not say what type 'T' is"),
    (TYPES, '{"T": i8, "U": i8}', "OPS014", "variant 0: type 'U' types no input or output"),
    (f"({VARIANT},)", "()", "OPS015", "the op has no variant"),
    (VARIANT, f"{VARIANT}, {VARIANT}", "OPS028",
     "variant 1 has the element types of an earlier one"),
    (X, f'{X}, Input("b", "U", optional=True)', "OPS013",
     "variant 0 does not say what type 'U' is"),
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
    ("Params, every_node", "int, every_node", "OPS016",
     "params of reference: int is no dataclass"),
    ("size: int", "size: list", "OPS016",
     "params of reference: field 'size' must be int, bool, float or a tuple of so many of one"
     " of them; Annotated[int, i16] is another width, Annotated[tuple[int, ...], i16, 8] many"),
    ("(frozen=True)", "", "OPS016", "params of reference: Params is not frozen"),
    ("size: int", "size: int\n    reversed: bool", "OPS016",
     "params of reference: 'reversed' is not `reversed: bool = False`"),
    ("size: int", "size: int\n    reversed: bool = True", "OPS016",
     "params of reference: 'reversed' is not `reversed: bool = False`"),
    ("size: int", "size: int\n    reversed: int = False", "OPS016",
     "params of reference: 'reversed' is not `reversed: bool = False`"),
    ("Params, every_node", 'type("int32_t", (Params,), {}), every_node', "OPS016",
     "params of reference: 'int32_t' is no name in CapWords, of letters and digits"),
    ("Params, every_node", 'type("Out", (Params,), {}), every_node', "OPS016",
     "params of reference: 'Out' is what the contract calls a struct of its own"),
    (*kernel("tables=Params"), "OPS016",
     "tables of reference: field 'size' must be an NDArray of one element type,"
     " like NDArray[np.int8], a struct, which is a frozen dataclass, or a tuple[Struct, ...]"),
    ("infer(node)", "infer()", "OPS057",
     "Op 'twice': infer=infer cannot be called with (NodeView)"),
    ("every_node(params)", "lambda node, more: params(node)", "OPS057",
     "Kernel 'reference' of Variant 0: plan=<lambda> cannot be called with (NodeView)"),
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
    (TAIL, f'{TAIL} states=(State("h", "S", infer),),', "OPS014",
     "type 'S' of state 'h' types no input or output"),
    # traits and rewrites
    (TAIL, f'{TAIL} traits={{"vew"}},', "OPS017", "unknown trait 'vew' (did you mean 'view'?)"),
    (TAIL, f"{TAIL} {KEEP},", "OPS018",
     "hook channels.keep needs channels.live"),
    (TAIL, f"{TAIL} hooks=Hooks(permutations=Permutations(order=infer)),", "OPS018",
     "hook permutations.order needs permutations.reorder"),
    (TAIL, f"{TAIL} {REORDER},", "OPS018",
     "hook permutations.reorder needs permutations.order"),
    (TAIL, f'{TAIL} hooks=Hooks(streaming=Streaming(one_by_one="add")),', "OPS018",
     "hook streaming.one_by_one needs streaming.rows"),
    (TAIL, f"{TAIL} hooks=Hooks(affine=Affine(applies=infer)),", "OPS019",
     "hook affine.applies needs an attribute 'activation'"),
    (TAIL, f"{TAIL} hooks=Hooks(channels=Channels(ranges=lambda node: [])),", "OPS057",
     "Channels: ranges=<lambda> cannot be called with (NodeView, Mapping[str, Range])"),
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
    ('Kernel("reference"', 'Kernel("referenc"', "KRN001",
     "there is no kernel file 'referenc.h' (did you mean 'reference.h'?)"),
    (*kernel('sources=("more.cc",)'), "KRN001",
     "kernel 'reference': there is no source 'more.cc'"),
    ("REFERENCE,)", ")", "KRN002", "the last kernel is not a reference that runs everywhere"),
    (*kernel('requires={"dsp"}'), "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    (*kernel('excludes={"dsp"}'), "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    ("every_node(params)", "lambda node: Refused('no')", "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    (VARIANT, f'{VARIANT}, Variant({{"T": i16}}, ())', "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    ("REFERENCE,)", f'REFERENCE, {REFERENCE[:-1]}, runtime="gpu"))', "KRN002",
     "the last kernel is not a reference that runs everywhere"),
    (*kernel('function="mine", arguments=("p",)'), "KRN004",
     "reference.h has no function 'mine'"),
    (*kernel('scratch={"new": i8}'), "KRN005",
     "scratch of kernel 'reference': 'new' is a word of C++"),
    (*before('requires={"dsp"}, scratch={"a": i8}), Kernel("reference", Params,'
             ' every_node(params), requires={"mve"}, scratch={"b": i8}'), "KRN006",
     "two kernels have different structs of the name ReferenceScratch"),
    ("kernels=(", """kernels=(Kernel("reference", type("Params", (Params,), {}),
     every_node(params), requires={"dsp"}), """, "KRN006",
     "two kernels have different structs of the name Params"),
    (*kernel('tables=type("Static", (Params,), {})'), "KRN006",
     "two kernels have different structs of the name Static"),
    ("every_node(params))", """every_node(params), scratch={"a": i8},
     tables=type("ReferenceScratch", (Params,), {}))""", "KRN006",
     "two kernels have different structs of the name ReferenceScratch"),
    (*kernel('function="reference"'), "KRN007",
     "kernel 'reference': function= and arguments= come together"),
    (*kernel('header="runtimes/families/f.h"'), "KRN007",
     "runtimes/families/f.h is not in the op's folder, so nothing says what to call"),
    (*kernel('function="reference", arguments=("in.z",)'), "KRN008",
     "kernel 'reference': argument 'in.z' is not known"),
    (*kernel('function="reference", arguments=("p.sise",)'), "KRN008",
     "kernel 'reference': argument 'p.sise' is not known (did you mean 'size'?)"),
    (*kernel("over_composite=True"), "KRN009",
     "kernel 'reference' says over_composite=, and the op has no decompose="),
    (*before(""), "KRN011",
     "kernel 'reference' is never taken: 'reference' takes whatever it does"),
    (*kernel('defines={"X": "1 \\\\"}'), "KRN012",
     "kernel 'reference': 'X' cannot be defined as '1 \\\\'"),
    ('Kernel("reference"', 'Kernel("../twice/reference"', "OPS074",
     "kernel '../twice/reference' is no lower-case identifier"),
    ('Kernel("reference"', 'Kernel("/etc/passwd"', "OPS074",
     "kernel '/etc/passwd' is no lower-case identifier"),
    ('Kernel("reference"', "Kernel('a\"b'", "OPS074",
     "kernel 'a\"b' is no lower-case identifier"),
    (VARIANT, VARIANT.replace("kernels", 'folder="..", kernels'), "OPS074",
     "'../reference.h' is no name of a file that kernels can include"),
    (*kernel('sources=("../more.cc",)'), "OPS074",
     "'../more.cc' is no name of a file that kernels can include"),
    (*kernel('defines={"2X": "1"}'), "KRN012",
     "kernel 'reference': '2X' cannot be defined as '1'"),
    (*kernel('libraries=("-lm",)'), "KRN013",
     "kernel 'reference': '-lm' is no name of a library"),
    (*kernel('copies=("memcopy",)'), "KRN014",
     "kernel 'reference': 'memcopy' copies and fills nothing (did you mean 'memcpy'?)"),
    ("kernels=(REFERENCE,)",
     """kernels=(Kernel("other", Params, every_node(params), header="f.h",
     function="f", arguments=("p",)),)""", "KRN015", "no variant lists the kernel of reference.h"),
    ("OP = Op(", 'SPARE = Kernel("spare", Params, every_node(params))\nOP = Op(', "KRN015",
     "no variant lists the kernel 'spare' of op.py"),
    (*kernel("cost=lambda: 1"), "OPS057",
     "Kernel 'reference' of Variant 0: cost=<lambda> cannot be called with (NodeView)"),
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
    text = GOOD.replace(Y, 'Output("x", "U")').replace("size: int", "size: list")
    text = text.replace(TWICE, 'Rename("Twice")').replace('Kernel("reference"', 'Kernel("r"')
    codes = {problem.code for problem in problems(write(tmp_path, text=text))}
    assert codes >= {"OPS011", "OPS013", "OPS016", "OPS050", "KRN001"}


def of_optional(*types: str) -> str:
    """The good one, with an optional input and a variant for each of its types."""
    text = GOOD.replace(X, f'{X}, Input("b", "U", optional=True)')
    each = (VARIANT.replace("i8", f'i8, "U": {name}') for name in types)
    return text.replace(VARIANT, ", ".join(each))


def test_a_type_needs_an_input_that_is_there_to_tell_variants_apart(tmp_path: Path) -> None:
    told = problems(write(tmp_path / "two", text=of_optional("i8", "i16")))
    assert [each.what for each in told] == [
        "type 'U' types optional inputs only, so it may stay open"
    ]
    assert load_op(write(tmp_path / "one", text=of_optional("i16"))).op.name == "twice"
    first = of_optional("i8", "i16").replace("optional=True", "optional=True, first=True")
    assert load_op(write(tmp_path / "first", text=first)).op.name == "twice"


def test_variants_name_types_in_one_order(tmp_path: Path) -> None:
    text = GOOD.replace(Y, 'Output("y", "U")').replace(TYPES, '{"T": i8, "U": i8}')
    other = VARIANT.replace(TYPES, '{"U": i16, "T": i8}')
    told = problems(
        write(tmp_path, text=text.replace("(REFERENCE,)),", f"(REFERENCE,)), {other},"))
    )
    assert ("OPS014", "variant 1 has the types of variant 0 in another order") in [
        (each.code, each.what) for each in told
    ]


def test_a_kernel_may_be_in_a_file_that_its_file_includes(tmp_path: Path) -> None:
    folder = write(tmp_path, kernel='#include "twice/inner.h"\n')
    assert problems(folder)[0].code == "KRN004"
    (folder / "inner.h").write_text(KERNEL, encoding="utf-8")
    assert load_op(folder).op.name == "twice"


def test_every_code_that_can_be_told_is_in_the_table() -> None:
    rules = [*ROOT.glob("toolchain/contract/check*.py")]
    assert rules
    told = {
        code for path in rules for code in re.findall(r'"((?:OPS|KRN)\d{3})"', path.read_text())
    }
    elsewhere = {"KRN010", "KRN017"}  # test_backends.py, tests/system/test_build.py
    assert told - {code for _, _, code, _ in MISTAKES} == elsewhere


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
