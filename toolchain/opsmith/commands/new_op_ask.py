"""Asks a person at a terminal for a new op; each answer is checked before the next question."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from opsmith.commands.new_op_describe import Description
from opsmith.errors import ToolchainError, did_you_mean
from opsmith.scaffold.names import class_name, op_name_problem
from opsmith.scaffold.parse import parse_parameter, parse_value
from opsmith.scaffold.spec import TEMPLATES

Check = Callable[[str], str]  # problem as a sentence; "" if there is none


def ask(into: Path | None) -> tuple[Description, Path]:
    """Ask for a description of an op and the folder for it."""
    print("A new op. Enter takes what stands in brackets; Ctrl-C ends without writing.")
    name = _answer("name, like top_k", "", op_name_problem)
    inputs = _answer("inputs, like x:i8,f32 bias?:i32", "x:i8", _each(parse_value))
    outputs = _answer("outputs", "y:i8", _each(parse_value))
    attributes = _answer("attributes, like k:int=3 scales:list[float]", "", _each(parse_parameter))
    source = _answer("source op", f"tflite.CUSTOM.{class_name(name)}", _source)
    template = _answer(f"template: {', '.join(TEMPLATES)}", "empty", _template)
    default = str(default_folder())
    folder = into or Path(_answer("folder to write it into", default, lambda text: ""))
    found = Description(name, tuple(inputs.split()), tuple(outputs.split()))
    attributed = replace(found, attributes=tuple(attributes.split()))
    return replace(attributed, source=source, template=template), folder


def default_folder() -> Path:
    """Folder for new ops: my_ops, as `init` calls it, where there is one."""
    return Path("my_ops" if Path("my_ops").is_dir() else "ops")


def _answer(question: str, default: str, check: Check) -> str:
    """Ask until `check` accepts the answer; returns it."""
    while True:
        shown = f" [{default}]" if default else ""
        try:
            text = input(f"{question}{shown}: ").strip() or default
        except EOFError:
            raise KeyboardInterrupt from None
        problem = check(text)
        if not problem:
            return text
        print(f"  {problem}")


def _each(parse: Callable[[str, str], object]) -> Check:
    def check(text: str) -> str:
        try:
            for word in text.split():
                parse(word, "")
        except ToolchainError as error:
            return f"{error.problems[0].what}: {error.problems[0].fix}"
        return ""

    return check


def _source(text: str) -> str:
    return "" if text.startswith("tflite.") else "it is like tflite.ADD or tflite.CUSTOM.MyOp"


def _template(text: str) -> str:
    return "" if text in TEMPLATES else f"there is no such template{did_you_mean(text, TEMPLATES)}"
