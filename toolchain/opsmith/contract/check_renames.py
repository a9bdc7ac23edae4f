"""Rules about `legalize=`: the source ops that become an op, and how."""

import re
from collections.abc import Iterator
from functools import cache

from opsmith.contract.check_values import repeated
from opsmith.errors import did_you_mean, shown
from opsmith.op.declare import Convert, Rename
from opsmith.op.describe import Op

Found = Iterator[tuple[str, str, str]]
_CUSTOM = "tflite.CUSTOM."
_SOURCE = re.compile(
    r"tflite\.(CUSTOM\..+|[A-Z0-9_]+)|onnx\.(com\.microsoft\.)?[A-Za-z]\w*|aten\.[a-z_]\w*",
    re.DOTALL | re.ASCII,
)


def rename_problems(op: Op) -> Found:
    """Problems of the op's Renames, one by one and in pairs."""
    for i, rename in enumerate(op.legalize):
        for code, what, fix in (*_source(rename), *_options(op, rename), *_operands(op, rename)):
            yield code, f"Rename of {rename.source}: {what}", fix
        for other in op.legalize[:i]:
            if _hides(other, rename):
                what = f"{rename.source} has two Renames, and nothing decides between them"
                yield "OPS051", what, "remove one, or separate them by versions= or when="
                break


def _source(rename: Rename) -> Found:
    of_tflite, of_users = (rename.source.startswith(each) for each in ("tflite.", _CUSTOM))
    if not _SOURCE.fullmatch(rename.source) or rename.source == "tflite.CUSTOM":
        fix = 'write "tflite.NAME" as TFLite has it in capitals, "tflite.CUSTOM.Name",'
        fix += ' "onnx.Name" or "aten.name"'
        yield "OPS050", f"'{rename.source}' is no source op", fix
    elif of_tflite and not of_users and rename.source[7:] not in _operators():
        what = f"TFLite has no operator {rename.source[7:]}"
        what += did_you_mean(rename.source[7:], _operators())
        yield "OPS050", what, 'correct it; an operator of your own is "tflite.CUSTOM.Name"'
    versions = rename.versions
    if not of_tflite and versions != range(1, 2):
        fix = "leave it out: attributes and operands tell versions of other operators apart"
        yield "OPS053", f"versions= is {shown(versions)}, which only TFLite's operators have", fix
    elif not versions or versions.step != 1 or versions.start < 1:
        yield (
            "OPS053",
            f"versions= is {shown(versions)}",
            "versions count from 1: range(1, 3) is 1 and 2",
        )
    if rename.reason and not rename.overrides:
        yield "OPS056", "reason= without overrides=", "name the op that is overridden in overrides="
    if rename.overrides and rename.extends:
        fix = "it goes before the other op or after it: keep one"
        yield "OPS064", "overrides= and extends= together", fix


@cache
def _operators() -> frozenset[str]:
    """Names of TFLite's operators."""
    from tflite import BuiltinOperator  # slow to import

    return frozenset(name for name in vars(BuiltinOperator) if name[0] != "_")


def _options(op: Op, rename: Rename) -> Found:
    known = [attribute.name for attribute in op.attributes]
    targets = {
        option: target.attribute if isinstance(target, Convert) else target
        for option, target in rename.attributes.items()
    }
    for option, name in targets.items():
        if name not in known:
            near = did_you_mean(name, known)
            what = f"option '{option}' becomes attribute '{name}', which is not declared{near}"
            yield "OPS052", what, f"one of: {', '.join(known) or 'none'}"
        if option in rename.ignore:
            what = f"option '{option}' is both ignored and an attribute"
            yield "OPS059", what, "remove it from one"
    for name in repeated(list(targets.values())):
        options = " and ".join(f"'{option}'" for option, each in targets.items() if each == name)
        what = f"options {options} become one attribute '{name}'"
        yield "OPS058", what, "give each its own attribute"
    if rename.options is not None and not rename.source.startswith(_CUSTOM):
        what = "options= decodes those of a CUSTOM op, which this is not"
        yield "OPS055", what, "remove it: builtin options are decoded already"


def _operands(op: Op, rename: Rename) -> Found:
    if rename.inputs is None:
        return
    count = len(op.inputs)
    needed = sum(not value.optional for value in op.inputs)
    written = f"inputs={shown(rename.inputs)}"
    if not needed <= len(rename.inputs) <= count:
        what = f"{written} has {len(rename.inputs)} places where the op has {count} inputs"
        yield "OPS054", what, "say for each declared input which source input it is"
    elif min(rename.inputs, default=0) < 0 or repeated([str(i) for i in rename.inputs]):
        what = f"{written} has a negative or repeated index"
        yield "OPS054", what, "source inputs count from 0, each once"
    elif op.inputs and op.inputs[-1].variadic:
        what = f"{written} is not allowed in an op with a variadic input"
        yield "OPS054", what, "declare inputs in the source's order"


def _hides(first: Rename, second: Rename) -> bool:
    """True if the second Rename never applies, because the first always does."""
    if first.source != second.source or first.when is not None or second.when is not None:
        return False
    a, b = first.versions, second.versions
    return max(a.start, b.start) < min(a.stop, b.stop)
