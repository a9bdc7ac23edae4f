"""Breaks op folders and says whether `opsmith check` and a build agree about them.

python -m tests.fuzz.ops --count=2000 --seed=1
"""

import ast
import random
import re
import shutil
import sys
from functools import lru_cache
from pathlib import Path

from opsmith.cli import main
from opsmith.commands import check
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.judged import LIMITS, Failed, apart, look_at
from tests.fuzz.ops_rubbish import FILES, HEADERS, MODULE, NAMES, STATEMENTS, VALUES
from tests.fuzz.trials import command
from tests.system.broken_ops import clamps
from tests.unit.op.folders import GOOD, KERNEL

ROOT = Path(__file__).resolve().parents[2]
TWICE = GOOD.replace(
    "    infer=infer,\n", '    infer=infer,\n    examples=(Example({"x": X, "y": X}),),\n'
).replace("OP = Op(", "X = ExampleTensor(i8, (4, 5))\nOP = Op(")
OF_CLAMPS = ("add", "relu", "relu6", "reshape")  # the ops of the model that they all are in
OF_FUNCTIONS = {"OPS041", "OPS061", "OPS070"}
CODE = re.compile(r"error ((?:OPS|KRN|MDL|BLD|BRD)\d{3})")


def judge(rng: random.Random, folder: Path) -> str:
    """Outcome of check and a build on one case. Raises Failed where they disagree."""
    op, others, model = place(rng, folder)
    check.SHIPPED = folder / "shipped"
    checked = _run(folder, ["check", str(op)])
    header, tried = folder / "built" / "x.op.h", folder / "built" / "x.check.cc"
    built = [_run(folder, ["bind", "--op", str(op), "--out", str(header)])]
    built += [_run(folder, ["bind", "--op", str(op), "--check", str(tried), "--features", "dsp"])]
    if model is not None:
        built += _build(folder, model, [op, *others])
    return agreed(checked, built, bool(others))


def agreed(checked: set[str], built: list[set[str]], of_node: bool) -> str:
    """Outcome of `check` and a build: `check` must refuse whatever a build refuses, with the same
    codes.

    Where the model's nodes are no examples (`of_node`), functions may misbehave for them alone.
    """
    refused = {code for codes in built for code in codes if code[:3] in ("OPS", "KRN")}
    of_model = refused - set().union(*built[:2])  # told by what reads the model
    excused = (of_model & OF_FUNCTIONS) - checked if of_node else set()
    if not refused - excused <= checked:
        raise Failed(f"a build refuses {sorted(refused)}, check {sorted(checked) or 'nothing'}")
    if excused:
        return "refused for the model's node"
    others = {code for codes in built for code in codes} - refused
    if any(not code.startswith("MDL") for code in others):
        raise Failed(f"a build ends with {sorted(others)}")
    return "+".join(sorted(checked)[:2]) or ("accepted" if not others else "of another model")


def _build(folder: Path, model: Path, ops: list[Path]) -> list[set[str]]:
    used, out = folder / "built" / "used.json", folder / "built" / "out"
    roots = [str(op) for op in ops]
    told = [
        _run(
            folder,
            [
                "resolve",
                "--model",
                str(model),
                *(f"--ops={each}" for each in roots),
                "--out",
                str(used),
            ],
        )
    ]
    if told[0]:
        if used.exists():
            raise Failed("a refused model has a list of ops")
        return told
    if not used.exists():
        raise Failed("resolve ends well and writes nothing")
    target = ["--boards", str(ROOT / "boards"), "--board", "stm32", "--runtime", "cmsis"]
    places = ["--name", "m", "--out", str(out)]
    told += [
        _run(folder, ["convert", "--model", str(model), "--used", str(used), *target, *places])
    ]
    if not told[-1] and not (out / "model.json").exists():
        raise Failed("convert ends well and writes nothing")
    return told


def _run(folder: Path, arguments: list[str]) -> set[str]:
    """The codes of the errors of one command. Raises Failed."""
    said = folder.parent / "said.txt"
    before = said.stat().st_size
    status = main(arguments)
    sys.stdout.flush()
    text = said.read_bytes()[before:].decode("utf-8", "replace")
    look_at(text)
    codes = set(CODE.findall(text))
    if status not in (0, 2) or (status == 2) != bool(codes):
        raise Failed(f"{arguments[0]} ends with {status}:\n{text[-2000:]}")
    return codes


def place(rng: random.Random, folder: Path) -> tuple[Path, list[Path], Path | None]:
    """Write a case: its op folder, further op folders of its model, and the model, if any."""
    (folder / "built").mkdir()
    (folder / "shipped").mkdir()
    name = rng.choice(("twice", "twice", *OF_CLAMPS, *_shipped()))
    op, others, model = folder / name, [], None
    if name == "twice":
        _write_twice(op)
        model = _stored(folder, _twice())
    else:
        shutil.copytree(ROOT / "ops" / name, op, ignore=shutil.ignore_patterns("__pycache__"))
        for each in re.findall(r'(?:overrides|extends)="(\w+)"', (op / "op.py").read_text("utf-8")):
            (folder / "shipped" / each).symlink_to(ROOT / "ops" / each)
    if name in OF_CLAMPS:
        others = [ROOT / "ops" / each for each in OF_CLAMPS if each != name]
        model = _stored(folder, clamps())
        for each in others:
            (folder / "shipped" / each.name).symlink_to(each)
    _break(rng, op)
    if rng.random() < 0.04:
        moved = op.with_name(rng.choice(NAMES))
        op = op.rename(moved)
    return op, others, model


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in ROOT.glob("ops/*/op.py")))


def _write_twice(folder: Path) -> None:
    folder.mkdir()
    (folder / "op.py").write_text(TWICE, encoding="utf-8")
    (folder / "reference.h").write_text(KERNEL, encoding="utf-8")


def _twice() -> bytes:
    m = ModelWriter()
    x = m.input("x", (4, 5), "int8")
    m.output(m.value("CUSTOM", [x], m.tensor("y", (4, 5), "int8"), custom="Twice"))
    return bytes(m.bytes())


def _stored(folder: Path, content: bytes) -> Path:
    path = folder / "m.tflite"
    path.write_bytes(content)
    return path


def _break(rng: random.Random, op: Path) -> None:
    """Damage the op folder: mostly the registration, else a header or the set of files."""
    kind = rng.random()
    if kind < 0.06:
        _break_file(rng, op)
    elif kind < 0.14:
        header = rng.choice(_files(op, "*.h") or _files(op, "*.py"))
        header.write_bytes(rng.choice(HEADERS)(header.read_bytes(), rng))
    elif kind < 0.98:
        file = rng.choice([op / "op.py", *_files(op, "*.py")])
        text = file.read_text("utf-8")
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            text = spliced(rng, text)
        file.write_text(text, encoding="utf-8", errors="surrogatepass")


def _files(op: Path, pattern: str) -> list[Path]:
    """Files of an op folder with this suffix that a build reads."""
    return sorted(file for file in op.rglob(pattern) if not file.name.startswith("test_"))


def _break_file(rng: random.Random, op: Path) -> None:
    file = rng.choice([op / "op.py", *_files(op, "*.h")])
    kind = rng.choice(FILES)
    if isinstance(kind, bytes):
        file.write_bytes(kind)
        return
    file.unlink()
    match kind:
        case "folder":
            file.mkdir()
        case str():
            file.symlink_to(kind)


def spliced(rng: random.Random, text: str) -> str:
    """Registration of an op with one field, function or statement changed."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    returns = [node for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
    words = [
        word
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for word in call.keywords
        if word.arg is not None
    ]
    match rng.randrange(6):
        case 0 if functions:
            first = rng.choice(functions).body[0]
            return _inserted(text, first, rng.choice(STATEMENTS))
        case 1 | 2 if returns:
            value = rng.choice(returns).value
            return text if value is None else _replaced(text, value, rng.choice(VALUES))
        case 3 | 4 if words:
            value = rng.choice(words).value
            others = [text_of(text, word.value) for word in words]
            return _replaced(text, value, rng.choice((rng.choice(VALUES), rng.choice(others))))
    lines = text.splitlines(keepends=True)
    at = rng.choice([0, len(lines), rng.randrange(len(lines) + 1)])
    return "".join([*lines[:at], rng.choice(MODULE) + "\n", *lines[at:]])


def text_of(text: str, node: ast.expr) -> str:
    """The source of an expression."""
    return ast.get_source_segment(text, node) or "None"


def _replaced(text: str, node: ast.expr, new: str) -> str:
    old = ast.get_source_segment(text, node)
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    return text if old is None else text[:start] + new + text[start + len(old) :]


def _inserted(text: str, before: ast.stmt, statement: str) -> str:
    lines = text.splitlines(keepends=True)
    indented = " " * before.col_offset + statement + "\n"
    return "".join([*lines[: before.lineno - 1], indented, *lines[before.lineno - 1 :]])


if __name__ == "__main__":
    sys.exit(command("ops", apart(judge), LIMITS, sys.argv[1:]))
