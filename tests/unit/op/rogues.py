"""Op folders that misbehave: what is changed in the good one, and the code of its error."""

from pathlib import Path

from opsmith.tflite.writer import ModelWriter
from tests.unit.op.folders import GOOD, KERNEL, write

X = "X = ExampleTensor(i8, (4, 5))\n"
EXAMPLE = 'examples=(Example({"x": X, "y": X}),),'
EVALUATE = "def evaluate(node, inputs):\n    return [inputs[0] * 2]\n"
TABLES = "@dataclass(frozen=True)\nclass Tables:\n    ramp: NDArray[np.int8]\n"
NUMPY = "import numpy as np\nfrom numpy.typing import NDArray\n"
# The good one, with an example of the node in `twice_model`, evaluate= and tables to return
TWICE = GOOD.replace("OP = Op(", f"{X}\n{NUMPY}{TABLES}\n{EVALUATE}\nOP = Op(").replace(
    "    infer=infer,\n", f"    infer=infer,\n    evaluate=evaluate,\n    {EXAMPLE}\n"
)

# lines of a module, and what is said of them
MODULES = {
    "import sys; sys.exit(0)": "SystemExit: 0",
    "import no_such_module": "ModuleNotFoundError: No module named 'no_such_module'",
    "from . import no_such_module": "ImportError: cannot import name",
    "def f(): f()\nf()": "RecursionError: maximum recursion depth exceeded",
    "x = (": "SyntaxError: '(' was never closed",
}

# (text in TWICE, what replaces it, code, words of the message) of functions that misbehave
_INFER, _PARAMS = '[node["x"].type]', 'Params(node["x"].elements)'
_EVALUATE, _TAIL, _KERNELS = "[inputs[0] * 2]", "infer=infer,", "kernels=("
_PLAN = "plan of kernel 'reference' of op 'twice' gives"
_BAD = f"{_PLAN} a Plan, not one"
_MADE = "plan of kernel 'early' of op 'twice' gives"
_WRONG = f"{_MADE} a Plan, not one"
_NUMBERS = "whose params are Params of 32-bit or finite numbers: params"
_COUNTS = "whose scratch has an integer for 's'"
_SCRATCH = ', scratch={"s": i8}'


def checking(value: str) -> tuple[str, str]:
    """Replacement in op.py that adds a `check` which returns the given value."""
    return _TAIL, f"{_TAIL} check=lambda node: {value},"


def returning(hook: str, value: str, said: str) -> tuple[str, str, str, str]:
    """Replacement in op.py that adds a hook, such as 'views.part', which returns a value; and its
    error.
    """
    *group, name = hook.split(".")
    given = f"{name}=lambda *given: {value}"
    for each in group:
        given = f"{each}={each.capitalize()}({given})"
    told = f"{hook} of op 'twice' gives {said}"
    return _TAIL, f"{_TAIL} hooks=Hooks({given}),", "OPS070", told


def contradicting(hook: str, value: str) -> tuple[str, str, str, str]:
    """Replacement in op.py that adds a hook which claims that doubled elements have unchanged
    bytes.
    """
    old, new, _, _ = returning(hook, value, "")
    return old, new, "OPS077", f"'twice' declares hook {hook}, but evaluate gives other bytes"


def planning(plan: str, options: str = "") -> tuple[str, str]:
    """Replacement in op.py that adds a kernel before the reference, whose plan returns a value."""
    return _KERNELS, f'{_KERNELS}Kernel("early", Params, lambda node: {plan}{options}), '


def costing(cost: str) -> tuple[str, str]:
    """Replacement in op.py that gives the reference kernel a cost."""
    return "every_node(params)", f"every_node(params), cost=lambda node: {cost}"


HOOKS = [
    (_INFER, "None", "OPS070", "twice' gives None, not a list with a TensorType for each output"),
    (_INFER, "'abc'", "OPS070", "infer of op 'twice' gives 'abc'"),
    (_INFER, "[7]", "OPS070", "infer of op 'twice' gives a tuple"),
    (_INFER, "(1 // 0 for _ in [1])", "OPS061", "op 'twice' ended with ZeroDivisionError"),
    (_INFER, "[node['kk']]", "OPS061", "ended with KeyError: 'kk' (did you mean 'k'?)"),
    (_INFER, "[node['size']]", "OPS061", "ended with KeyError: 'size'; the op has x, y, k"),
    (_INFER, "[node['x'].typ]", "OPS061", "has no attribute 'typ' (did you mean 'type'?)"),
    (_INFER, "[nod['x'].type]", "OPS061", "name 'nod' is not defined"),
    (_INFER, "infer(node)", "OPS061", "RecursionError: maximum recursion depth exceeded"),
    (_PARAMS, "None", "OPS070", f"{_BAD} {_NUMBERS} is None, no Params"),
    (_PARAMS, "Params(1 << 31)", "OPS070", f"{_BAD} {_NUMBERS}.size is 2147483648, no int32"),
    (_PARAMS, "Params(float('nan'))", "OPS070", f"{_BAD} {_NUMBERS}.size is nan, no int32"),
    (_PARAMS, "Params(True)", "OPS070", f"{_BAD} {_NUMBERS}.size is True, no int32"),
    (*planning("None"), "OPS070", f"{_MADE} None, not a Plan, or Refused with a reason"),
    (*planning("params(node)"), "OPS070", f"{_MADE} a Params, not a Plan, or Refused with a"),
    (*planning("Refused('')"), "OPS070", f"{_MADE} a Refused, not a Plan, or Refused with a"),
    (*planning("Refused(1)"), "OPS070", f"{_MADE} a Refused, not a Plan, or Refused with a reason"),
    (*planning("Refused('a\\nb')"), "OPS070", "or Refused with a reason of one line"),
    (*planning("Plan(Params(2), scratch={'s': 3})"), "OPS070", f"{_WRONG} without scratch"),
    (*planning("Plan(X)"), "OPS070", f"{_WRONG} {_NUMBERS}"),
    (*planning("1 // 0"), "OPS061", "plan of kernel 'early' of op 'twice' ended with Zero"),
    (*planning("Plan(params(node), growth=0.5)"), "OPS070", f"{_WRONG} whose growth is"),
    (*planning("Plan(params(node), inexact=None)"), "OPS070", f"{_WRONG} whose inexact"),
    (*planning("Plan(params(node), inexact='\\ud800')"), "OPS070", f"{_WRONG} whose inexact"),
    (*planning("Plan(params(node), tables=lambda: 1)"), "OPS070", f"{_WRONG} without"),
    (*planning("Plan(params(node))", ", tables=Tables"), "OPS070", f"{_WRONG} with tab"),
    (*planning("Plan(params(node), lambda: 1)", ", tables=Tables"), "OPS070",
     "tables of kernel 'early' of op 'twice' gives 1,"
     " not a Tables of arrays and structs of its types: it is of type int"),
    (*planning("Plan(params(node), lambda: Tables(np.array([128])))", ", tables=Tables"), "OPS070",
     "not a Tables of arrays and structs of its types: tables.ramp is no array of values of int8"),
    (*planning("Plan(params(node), lambda: 1 // 0)", ", tables=Tables"), "OPS061",
     "tables of kernel 'early' of op 'twice' ended with ZeroDivisionError"),
    (_EVALUATE, "None", "OPS041", "it gave NoneType, no list or tuple of arrays, for 1 outputs"),
    (_EVALUATE, "[]", "OPS041", "it gave list of 0, for 1 outputs"),
    (_EVALUATE, "[np.negative(inputs[0], out=inputs[0])]", "OPS041",
     "evaluate of 'twice' fails: ValueError: output array is read-only"),
    (_EVALUATE, "[inputs[0] * 2.0]", "OPS041", "it gave float64[4, 5] for y, which is int8[4, 5]"),
    (_EVALUATE, "[inputs[0][0]]", "OPS041", "it gave int8[5] for y, which is int8[4, 5]"),
    (_EVALUATE, "[1 // 0]", "OPS041", "evaluate of 'twice' fails: ZeroDivisionError"),
    (_TAIL, f"{_TAIL} traits={{'view'}},", "OPS077", "'twice' declares trait 'view', but evaluate"),
    contradicting("views.identity", "True"),
    contradicting("views.part", "0"),
    contradicting("views.parts", "[0]"),
    (*checking("None"), "OPS070", "check of op 'twice' gives None, not sentences"),
    (*checking("'no'"), "OPS070", "check of op 'twice' gives 'no', not sentences"),
    (*checking("[1]"), "OPS070", "check of op 'twice' gives a tuple, not sentences"),
    returning("clamp", "(0.5, 3.0)", "a tuple, not the name of an activation, (least, greatest)"),
    returning("clamp", "(3, 0)", "a tuple, not the name of an activation, (least, greatest)"),
    returning("clamp", "(0, 128)", "a tuple, not the name of an activation, (least, greatest)"),
    returning("clamp", "(False, 1)", "a tuple, not the name of an activation, (least, greatest)"),
    returning("views.identity", "None", "None, not True or"),
    returning("views.restores", "'yes'", "'yes', not True or"),
    returning("macs", "-1", "-1, not an integer"),
    returning("macs", "0.5", "0.5, not an integer"),
    returning("views.part", "'x'", "'x', not a byte offset at which y lies within its first input"),
    returning("views.part", "1", "1, not a byte offset at which"),
    returning("views.part", "-1", "-1, not a byte offset at which"),
    returning("views.part", "False", "False, not a byte offset at which"),
    returning("views.parts", "7", "7, not byte offsets at which the inputs, side by side, are y"),
    returning("views.parts", "[]", "a list, not byte offsets at which"),
    returning("views.parts", "[1]", "a list, not byte offsets at which"),
    returning("views.parts", "[0, 20]", "a list, not byte offsets at which"),
    returning("channels.ranges", "[1]", "a list, not a Range of"),
    returning("channels.live", "{'x': 1}", "a dict, not a mask of"),
    returning("blocks.cuts", "(2, 1)", "a tuple, not a Cut by positive sizes"),
    returning("blocks.joins", "Cut((0, 1), (0, 0), (0, 0))", "a Cut, not a Cut by positive sizes"),
    returning("views.shaped", "{'z': 1}", "a dict, not declared attributes"),
    returning("borders.adds", "'x'", "'x', not a Border"),
    returning("borders.absorbs", "{'z': 1}", "a dict, not declared attributes"),
    (*costing("float('nan')"), "OPS070", "cost of kernel 'reference' of op 'twice' gives nan"),
    (*costing("1 // 0"), "OPS061", "cost of kernel 'reference' of op 'twice' ended with Zero"),
    (*planning("Plan(params(node), overlap=lambda: {'z': 1})"), "OPS070",
     "overlap of kernel 'early' of op 'twice' gives a dict"),
    (*planning("Plan(params(node), overlap=lambda: 1 // 0)"), "OPS061",
     "overlap of kernel 'early' of op 'twice' ended with ZeroDivisionError"),
    (*planning("Plan(params(node), overlap={})"), "OPS070", f"{_WRONG} whose overlap"),
    (*planning("Plan(params(node), scratch={'s': -1})", _SCRATCH), "OPS070",
     f"{_WRONG} {_COUNTS}: 's' is -1, not 0 to 4,294,967,296 elements"),
    (*planning("Plan(params(node), scratch={'r': 1})", _SCRATCH), "OPS070",
     f"{_WRONG} {_COUNTS}: 'r' is not in scratch= of the kernel"),
    (*planning("Plan(params(node))", _SCRATCH), "OPS070", f"{_WRONG} {_COUNTS}: 's' is missing"),
    ("infer=infer,\n    evaluate=evaluate,",
     f'{_TAIL} states=(State("s", i8, lambda node: 3, lambda node: [1]),),', "OPS070",
     "initial of state 's' of op 'twice' gives a list, not an array of int8"),
]  # fmt: skip


def write_rogue(root: Path, old: str, new: str) -> Path:
    """Write the good op folder with one text replaced, which must be there."""
    assert old in TWICE
    folder = write(root, text=TWICE.replace(old, new, 1))
    if 'Kernel("early"' in new:
        (folder / "early.h").write_text(KERNEL.replace("void reference", "void early"))
    return folder


def write_module(root: Path, line: str) -> Path:
    """Write the good op folder with lines before its last value."""
    return write_rogue(root, "OP = Op(", f"{line}\n\nOP = Op(")


def twice_model() -> bytes:
    """Model whose only node is a Twice."""
    m = ModelWriter()
    x = m.input("x", (4, 5), "int8")
    m.output(m.value("CUSTOM", [x], m.tensor("y", (4, 5), "int8"), custom="Twice"))
    return bytes(m.bytes())
