"""A project whose SConstruct compiles nothing: figures follow from the model's bytes and from opt=,
in a tenth of a second. Models that say so fail, or kill the process that asked, once.
"""

import json
from collections.abc import Sequence
from pathlib import Path

SCRIPT = """\
import hashlib, json, os, signal
from pathlib import Path

DefaultEnvironment(tools=[])
if COMMAND_LINE_TARGETS == ["variables"]:
    print("{}")
    Exit(0)
model, opt = Path(ARGUMENTS["model"]), ARGUMENTS.get("opt", "balanced")
text, once = model.read_text(), Path(MARKER)
if text == "kills" and opt == "size" and not once.exists():
    once.touch()
    os.kill(os.getppid(), signal.SIGKILL)
if text == "breaks":
    print(f"error MDL001: {Path.cwd()}/{model} is no model")
    Exit(2)
size = 1000 + len(text)
target = {"host": "host-reference", "stm32": "stm32f405-cmsis"}[ARGUMENTS["board"]]
folder = Path("build", target, model.stem + ("" if opt == "balanced" else f"+{opt}"))
folder.mkdir(parents=True, exist_ok=True)
report = {
    "memory": {"flash": {"used": size}, "ram": {"used": 64}},
    "firmware": {"sha256": hashlib.sha256(f"{text} {opt}".encode()).hexdigest()},
}
wrong = text == "differs"
run = {
    "outcome": "fail" if wrong else "pass",
    "error": None,
    "time": {"value": 7 * size, "unit": "cycles"},
    "data": {"accuracy": 0.75, "auc": None, "exact": 4, "of": 4} if "data" in ARGUMENTS else None,
    "oracle": {"sound": True},
    "outputs": [{"difference": "1 of 2 values" if wrong else None}],
}
(folder / "report.json").write_text(json.dumps(report))
(folder / "run.json").write_text(json.dumps(run))
Exit(2 if wrong else 0)
"""


def make_stub(root: Path, **models: str) -> Path:
    """Folder of a new stub project, with models of the given texts."""
    root.mkdir()
    script = SCRIPT.replace("MARKER", repr(str(root.with_name(f"{root.name}.killed"))))
    (root / "SConstruct").write_text(script, encoding="utf-8")
    for name, text in models.items():
        (root / f"{name}.tflite").write_text(text, encoding="utf-8")
    write_matrix(root, [f"{name}.tflite" for name in models])
    return root


def write_matrix(
    root: Path, models: Sequence[str], opts: Sequence[str] = (), more: str = ""
) -> None:
    """Write the stub project's matrix.toml with the given models, opts and further lines."""
    lists = f"models = {json.dumps(models)}\nboards = ['host']\nopts = {json.dumps(opts)}\n"
    (root / "matrix.toml").write_text(lists + more, encoding="utf-8")
