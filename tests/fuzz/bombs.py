"""Small files that grow when they are read: aliases of aliases, brackets in one another, and
numbers of more digits than Python writes.

python -m tests.fuzz.bombs --count=2000 --seed=1
"""

import json
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from opsmith.board.device_file import read_devices
from opsmith.board.manifest import load_board
from opsmith.board.runtime import load_runtime
from opsmith.commands.new_op_describe import describe, read_json
from opsmith.matrix.plan import read_plan
from opsmith.package.description import WrongDescriptionError, read_description
from opsmith.package.installed import read_facts
from opsmith.prepare.keras_file import check_keras
from opsmith.rig.build import load_application, load_build
from opsmith.rig.hardware_map import fitting, load_map
from opsmith.rig.identify import made_by
from opsmith.rig.showcase import load_showcase
from opsmith.select.tuning import read_tuning, write_tuning
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.boards import ROOT
from tests.fuzz.damage import LIMITS, outcome
from tests.fuzz.handed import BOARD, KERAS, MAP, OPS, PACK
from tests.fuzz.trials import command
from tests.fuzz.tunes import SHOWCASE, TUNED
from tests.unit.matrix.test_plan import WHOLE
from tests.unit.report.test_page import report
from tests.unit.select.test_tuning import HASH

Read = Callable[[Path], object]
RUNTIME = (ROOT / "runtimes" / "cmsis" / "runtime.toml").read_text(encoding="utf-8")
STM32 = (ROOT / "boards" / "stm32f405" / "board.toml").read_text(encoding="utf-8")
DEEP = (90, 300, 480, 700, 990, 5000, 60_000)
LONG = (400, 4300, 4301, 20_000)


def trial(chance: Random, folder: Path) -> str:
    """Outcome of reading a file with one such value."""
    name, text, read = chance.choice(_files(folder))
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / "firmware.elf").write_bytes(b"elf")
    bombs = {".toml": _toml, ".json": _json, ".yaml": _yaml, ".pdsc": _xml}
    path.write_text(bombs[path.suffix](chance, text), encoding="utf-8")
    return f"{path.name} {outcome(partial(read, path))}"


def _files(folder: Path) -> list[tuple[str, str, Read]]:
    """Names, intact contents and readers of files that users hand on."""
    built, tuned = (
        json.dumps(report()),
        write_tuning(HASH, {f"t{i}": t for i, t in enumerate(TUNED)}),
    )
    return [
        ("boards/mine/board.toml", STM32, lambda _: load_board("mine", [folder / "boards"])),
        ("mine/runtime.toml", RUNTIME, lambda path: load_runtime("mine", path.parent.parent)),
        ("matrix.toml", WHOLE, read_plan),
        ("m.tune.toml", tuned, lambda path: read_tuning(path, HASH)),
        ("m.toml", SHOWCASE, lambda path: load_showcase(path.with_suffix(".tflite"))),
        ("map.yaml", MAP, lambda path: fitting(load_map(path), BOARD, ("a",), path)),
        ("map.yaml", MAP, load_map),
        ("a.pdsc", PACK, read_devices),
        ("ops.json", json.dumps(OPS), _describe),
        ("config.json", json.dumps(KERAS), _keras),
        ("facts.json", json.dumps({"packages": []}), read_facts),
        ("opsmith.json", json.dumps({"format": 1, "name": "a"}), _description),
        ("b/board/m/report.json", built, lambda path: load_build(path.parent)),
        ("b/board/m/report.json", built, lambda path: load_application(path.parent)),
        ("b/board/m/report.json", built, lambda path: [*made_by(folder / "b", "d" * 8)]),
    ]


def _toml(chance: Random, text: str) -> str:
    lines = text.splitlines()
    at, deep = chance.randrange(len(lines) + 1), chance.choice(DEEP)
    key = chance.choice(("x", "a" + ".a" * deep, *(line.split("=")[0] for line in lines)))
    value = chance.choice((_number(chance), _number(chance), "[" * deep + "]" * deep))
    line = f"[{'a.' * deep}b]" if chance.random() < 0.2 else f"{key} = {value}"
    return "\n".join([*lines[:at], line, *lines[at + chance.randrange(2) :], ""])


def _json(chance: Random, text: str) -> str:
    whole = json.loads(text)
    places = [each for each in (whole, *whole) if isinstance(each, dict)]
    place, deep = chance.choice(places), chance.choice(DEEP)
    place[chance.choice([*place, "x"])] = "BOMB"
    values = ("[" * deep + "]" * deep, '{"a":' * deep + "1" + "}" * deep, _number(chance))
    return json.dumps(whole).replace('"BOMB"', chance.choice(values))


def _yaml(chance: Random, text: str) -> str:
    field = chance.choice(("fixtures", "id", "notes", "flash_timeout", "script_param", "x"))
    deep, times = chance.choice(DEEP[:-1]), chance.choice((1, 2, 9))
    if chance.random() < 0.4:
        value = chance.choice(
            (_number(chance), "[" * deep + "]" * deep, "{x: " * deep + "}" * deep)
        )
        return f"{text}- {{id: a, {field}: {value}}}\n"
    text += f"- {{id: a, {field}: &a0 {chance.choice(('[x, x]', '{x: 1}'))}}}\n"
    form = chance.choice(("[{}]", "{{<<: [{}]}}", "{{x: [{}]}}"))
    for level in range(chance.choice((3, 12, 25))):
        again = form.format(", ".join([f"*a{level}"] * times))
        text += f"- {{id: a, {field}: &a{level + 1} {again}}}\n"
    return text


def _xml(chance: Random, text: str) -> str:
    deep, tag = chance.choice(DEEP), chance.choice(("variant", "subFamily", "family", "x"))
    at = text.index("<subFamily")
    inner = f"<{tag}>" * deep + f"</{tag}>" * deep
    return chance.choice((text[:at] + inner + text[at:], text.replace("0x100000", _number(chance))))


def _number(chance: Random) -> str:
    """Number with many digits, in one of the ways of writing one."""
    long = chance.choice(LONG)
    return chance.choice(("9" * long, "0x" + "f" * long, f"1e{long}", f"-1.{'0' * long}"))


def _describe(path: Path) -> None:
    for each in read_json(path)[0]:
        describe(each, shipped_ops(), "x")


def _keras(path: Path) -> None:
    archive = path.with_name("m.keras")
    with zipfile.ZipFile(archive, "w") as file:
        file.write(path, path.name)
        file.writestr("model.weights.h5", b"")
    check_keras(archive)


def _description(path: Path) -> None:
    try:
        read_description(path.read_text(encoding="utf-8"))
    except WrongDescriptionError:
        return


if __name__ == "__main__":
    sys.exit(command("bombs", trial, LIMITS, sys.argv[1:]))
