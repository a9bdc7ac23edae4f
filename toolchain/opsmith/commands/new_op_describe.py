"""Parses a textual description of a new op into a spec."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.frontend.tflite import read_model
from opsmith.op.index import OpIndex
from opsmith.reading import UnreadableError, read_text
from opsmith.scaffold.names import class_name, op_name_problem
from opsmith.scaffold.options import read_parameters
from opsmith.scaffold.parse import parse_parameter, parse_value
from opsmith.scaffold.spec import Parameter, Spec, spec_problems
from opsmith.scaffold.uses import with_uses
from opsmith.tflite.options import members
from opsmith.tflite.writer import ModelWriter

T = TypeVar("T")
_MOST_BYTES = 16 << 20  # limit of a JSON file


@dataclass(frozen=True)
class Description:
    """A textual description of an op."""

    name: str
    inputs: tuple[str, ...] = ("x:i8",)
    outputs: tuple[str, ...] = ("y:i8",)
    attributes: tuple[str, ...] = ()
    custom: str = ""
    source: str = ""
    template: str = "empty"


def describe(given: Description, ops: OpIndex, where: str) -> Spec:
    """Return the spec of a description. Raises OPS03x: all problems at once."""
    problems: list[Problem] = []

    def all_of(parse: Callable[[str, str], T], texts: Sequence[str]) -> tuple[T, ...]:
        found = []
        for text in texts:
            try:
                found.append(parse(text, where))
            except ToolchainError as error:
                problems.extend(error.problems)
        return tuple(found)

    source = given.source or f"tflite.CUSTOM.{given.custom or class_name(given.name)}"
    inputs, outputs = all_of(parse_value, given.inputs), all_of(parse_value, given.outputs)
    parameters = all_of(parse_parameter, given.attributes)
    problems += _source_problems(given, source, ops, where)
    spec = Spec(given.name, source, inputs, outputs, parameters, given.template)
    if not problems:
        problems += spec_problems(spec, where)
    raise_all(dict.fromkeys(problems))
    if spec.custom is None:
        spec = _with_builtin_options(spec, where)
    return with_uses(spec)


def _source_problems(given: Description, source: str, ops: OpIndex, where: str) -> list[Problem]:
    builtins = [f"tflite.{name}" for name in members("BuiltinOperator") if name != "CUSTOM"]
    problems = []
    if wrong := op_name_problem(given.name):
        problems.append(Problem("OPS030", wrong, where, "give a lower-case name like 'top_k'"))
    if given.custom and given.source:
        fix = "say --custom or --source, not both"
        problems.append(Problem("OPS034", "the op has two sources", where, fix))
    if not source.startswith("tflite.CUSTOM.") and source not in builtins:
        what = f"there is no source op '{source}'{did_you_mean(source, builtins)}"
        problems.append(Problem("OPS034", what, where, "like tflite.ADD or tflite.CUSTOM.MyOp"))
    if given.name in ops.by_name:
        at = str(ops.by_name[given.name].folder)
        problems.append(
            Problem("OPS034", f"there is an op '{given.name}'", at, "choose another name")
        )
    for claim in ops.by_source.get(source, ())[:1]:
        what = f"'{claim.op.name}' claims {source}"
        fix = f'take another source, and write Rename(…, overrides="{claim.op.name}"), or extends='
        fix += " where that op does not take such a node, by hand"
        problems.append(Problem("OPS034", what, str(claim.found.file), fix))
    return problems


def _with_builtin_options(spec: Spec, where: str) -> Spec:
    """Spec with every option that the source op has in the schema, as an attribute."""
    options = read_parameters([_builtin_options(spec.source)], [where])
    known = {parameter.name: parameter for parameter in options.parameters}
    raise_all(
        Problem(
            "OPS033",
            f"{spec.source} has no option '{parameter.name}'{did_you_mean(parameter.name, known)}",
            where,
            f"its options are: {', '.join(known) or 'none'}",
        )
        for parameter in spec.parameters
        if parameter.name not in known
    )
    own = {parameter.name: parameter for parameter in spec.parameters}
    values = _builtin_options(spec.source)
    merged = [
        _option(own.get(name, parameter), values[parameter.option])
        for name, parameter in known.items()
    ]
    return replace(spec, parameters=tuple(merged), ignored=options.ignored)


def _option(parameter: Parameter, value: Any) -> Parameter:
    return parameter if parameter.default is not None else replace(parameter, default=value)


def _builtin_options(source: str) -> dict[str, Any]:
    """Options of a builtin op, at the defaults of the schema."""
    model = ModelWriter()
    x = model.input("x", (1,))
    model.output(model.value(source.removeprefix("tflite."), [x], model.tensor("y", (1,))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "one.tflite")
        path.write_bytes(model.bytes())
        return dict(read_model(path, "one").sound().graph.nodes[0].attributes)


def read_json(path: Path) -> tuple[list[Description], Path | None]:
    """Descriptions of ops in a JSON file, and its `into`. Raises OPS037: all problems at once."""
    try:
        content = json.loads(read_text(path, _MOST_BYTES))
    except (UnreadableError, ValueError, RecursionError) as error:
        unread = isinstance(error, UnreadableError)
        fix = "name a JSON file" if unread else "write an object, or a list of them"
        what = f"cannot be read: {error}"
        raise ToolchainError.of("OPS037", what, where=str(path), fix=fix) from error
    rows = content if isinstance(content, list) else [content]
    problems: list[Problem] = []
    found, intos = [], set()
    for number, row in enumerate(rows):
        where = f"{path}: op {number}"
        wrong = list(_row_problems(row, where))
        problems += wrong
        if not wrong:
            intos.add(row.pop("into", ""))
            found.append(_description(row))
    if len(intos) > 1:
        problems.append(Problem("OPS037", "the ops have several 'into'", str(path), "say one"))
    if not rows:
        problems.append(Problem("OPS037", "it describes no op", str(path), "describe one"))
    raise_all(problems)
    into = intos.pop()
    return found, Path(into) if into else None


def _description(row: dict[str, Any]) -> Description:
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Description(**values)


def _row_problems(row: object, where: str) -> list[Problem]:
    if not isinstance(row, dict):
        return [Problem("OPS037", f"{row!r} is no object", where, 'write {"name": "my_op", …}')]
    problems = []
    lists = {each.name for each in fields(Description) if "tuple" in str(each.type)}
    known = [*(each.name for each in fields(Description)), "into"]
    for key, value in row.items():
        if key not in known:
            what = f"unknown key '{key}'{did_you_mean(key, known)}"
            problems.append(Problem("OPS037", what, where, f"one of: {', '.join(known)}"))
            continue
        words = isinstance(value, list) and all(isinstance(word, str) for word in value)
        if key in lists and not words:
            problems.append(Problem("OPS037", f"'{key}' is no list of strings", where, '["x:i8"]'))
        if key not in lists and not isinstance(value, str):
            problems.append(Problem("OPS037", f"'{key}' is no string", where, "write it in quotes"))
    if "name" not in row:
        problems.append(Problem("OPS037", "there is no key 'name'", where, 'add "name": "my_op"'))
    return problems
