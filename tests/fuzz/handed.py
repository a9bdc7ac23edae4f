"""Damaged files that people hand on beside models: reports of builds, data sets, hardware maps,
vendors' lists of MCUs, matrices and their databases, descriptions of ops, models of Keras.

python -m tests.fuzz.handed --count=10000 --seed=1
"""

import json
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from opsmith.board.device_file import read_devices
from opsmith.board.manifest import load_board
from opsmith.commands.new_op_describe import describe, read_json
from opsmith.home import HOME
from opsmith.matrix.database import Database
from opsmith.matrix.plan import read_plan
from opsmith.prepare.keras_file import check_keras
from opsmith.rig import page
from opsmith.rig.build import PortTensor, load_application, load_build
from opsmith.rig.dataset import load_set
from opsmith.rig.hardware_map import fitting, load_map
from opsmith.rig.identify import made_by
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.boards import broken, rubbish
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command
from tests.unit.matrix.test_plan import WHOLE
from tests.unit.report.test_page import report

BOARD = load_board("stm32f405", [HOME / "boards"])
X = PortTensor("x", "int8", (1, 2, 3), 6, 0.5, -2)
PACK = """\
<?xml version="1.0" encoding="UTF-8"?><package><devices><family Dfamily="F4">
<memory id="IROM1" start="0x08000000" size="0x100000" startup="1"/>
<subFamily DsubFamily="F405"><device Dname="STM32F405RG">
<memory id="IRAM1" start="0x20000000" size="0x20000" default="1"/>
<variant Dvariant="STM32F405RGT6"/></device></subFamily></family></devices></package>
"""
MAP = """\
- {connected: true, id: "0671FF", platform: stm32f405/x, product: STLink, runner: openocd,
   serial: /dev/ttyACM0, fixtures: [a, "b:c"], script_param: {pre_script_timeout: 3}}
- {connected: false, id: 002, platform: [nrf52840dk], product: J-Link, runner: jlink,
   serial_pty: "socat a b", baud: 115200}
"""
SAMPLES = "a.bin, 4, 1\nb.bin, 4, 3, 0, 6\n"
OPS = [{"name": "my_op", "custom": "MyOp", "inputs": ["x:f32"], "attributes": ["k=3"]}]
KERAS = {"module": "keras", "class_name": "Functional", "config": {"layers": [{"config": {}}]}}
RUN = {"status": 0, "outputs": [{"name": "y"}], "firmware": {"digest": "d"}, "variables": {}}
WORDS = {
    "xml": (b"<!DOCTYPE", b"<!ENTITY a 'b'>", b"</device>", b'start="-1"', b"]]>"),
    "yaml": (b"&a ", b"*a", b"<<: ", b"!!binary x", b"- ", b"2020-99-99", b"? ", b"[*a,*a]"),
    "csv": (b'"', b",", b"\r", b"0," * 9, b"-1", b"a" * 140_000),
    "json": (b"NaN", b"Infinity", b"1e400", b"\\ud800", b"[]", b"{}"),
    "toml": (b"[[exclude]]", b'"1.5%"'),
}
LONGEST = 150_000  # bytes; PyYAML reads slowly
ODD: tuple[Any, ...] = (
    -1, 0, 1 << 70, 1e300, True, None, [], {}, "", "\ud800", "\x1b[31m", "../../x",
)  # fmt: skip


def trial(chance: Random, folder: Path) -> str:
    """Outcome of reading one damaged file."""
    kinds = (_build, _build, _devices, _map, _samples, _ops, _keras, _matrix, _runs)
    return chance.choice(kinds)(chance, folder)


def _build(chance: Random, folder: Path) -> str:
    build = folder / "build" / "board" / "model"
    build.mkdir(parents=True)
    (build / "firmware.elf").write_bytes(b"elf")
    for name, content in {
        "report.json": report(), "run.json": RUN, "profile.json": {"nodes": [], "unit": "cycles"},
        "firmware.buildinfo.json": {"variables": {"model": "m.tflite"}, "inputs": {}},
    }.items():  # fmt: skip
        (build / name).write_text(json.dumps(content))
    file = build / chance.choice(("report.json", *(each.name for each in sorted(build.iterdir()))))
    if file.suffix == ".json":
        file.write_bytes(_values(chance, file.read_bytes()))
    misplace(chance, build, 0.1)
    readers: dict[str, Callable[[], object]] = {
        "load": partial(load_build, build),
        "application": partial(load_application, build),
        "page": partial(page.main, [str(build)]),
        "data": partial(page.main, [str(build), "--data"]),
        "identify": lambda: [*made_by(folder / "build", "d" * 8)],
    }
    name = chance.choice([*readers])
    return f"{name} {outcome(readers[name])}"


def _devices(chance: Random, folder: Path) -> str:
    return _file(chance, folder, "devices", PACK, "xml", read_devices)


def _map(chance: Random, folder: Path) -> str:
    def read(path: Path) -> None:
        fitting(load_map(path), BOARD, ("a",), path)

    return _file(chance, folder, "map", MAP, "yaml", read)


def _samples(chance: Random, folder: Path) -> str:
    (folder / "a.bin").write_bytes(bytes(6))
    (folder / "b.bin").write_bytes(bytes(30))
    stored = chance.choice(("", ":uint8"))

    def read(path: Path) -> None:
        path.replace(folder / "y_labels.csv")
        [*load_set(f"{folder}{stored}", (X,), 4).samples()]

    return _file(chance, folder, "samples", SAMPLES, "csv", read)


def _ops(chance: Random, folder: Path) -> str:
    def read(path: Path) -> None:
        [describe(each, shipped_ops(), "x") for each in read_json(path)[0]]

    return _file(chance, folder, "ops", json.dumps(OPS), "json", read)


def _keras(chance: Random, folder: Path) -> str:
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", _values(chance, json.dumps(KERAS).encode()))
        archive.writestr(chance.choice(("model.weights.h5", "../x", "assets/a")), b"")
    if chance.random() < 0.4:
        path.write_bytes(damaged(chance, path.read_bytes()))
    misplace(chance, folder, 0.05)
    return f"keras {outcome(partial(check_keras, path))}"


def _matrix(chance: Random, folder: Path) -> str:
    return _file(chance, folder, "matrix", WHOLE, "toml", read_plan)


def _runs(chance: Random, folder: Path) -> str:
    path = folder / "runs.sqlite"
    _used(path)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 3, 20))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(bytes(data) if chance.random() < 0.8 else damaged(chance, bytes(data)))
    misplace(chance, folder, 0.1)
    return f"runs {outcome(partial(_used, path))}"


def _used(path: Path) -> None:
    database = Database(path)
    try:
        database.earlier("last")
        run = database.begin("")
        database.add(run, "cell", "key", {"outcome": "pass", "flash": 7}, 1.0)
        database.end(run, ["cell"])
        database.earlier("1")
    finally:
        database.close()


def _file(
    chance: Random, folder: Path, name: str, text: str, kind: str, read: Callable[[Path], object]
) -> str:
    """Outcome of reading a damaged text."""
    path = folder / f"{name}.{kind}"
    if kind == "json":
        path.write_bytes(_values(chance, text.encode()))
    elif kind == "toml" and chance.random() < 0.5:
        path.write_bytes(broken(chance, text))
    else:
        path.write_bytes(damaged(chance, text.encode(), WORDS[kind])[:LONGEST])
    misplace(chance, folder, 0.05)
    return f"{name} {outcome(partial(read, path))}"


def _values(chance: Random, data: bytes) -> bytes:
    """JSON with damaged text, or with other values at one or two places."""
    if chance.random() < 0.4:
        return damaged(chance, data, WORDS["json"])
    whole = json.loads(data)
    for _ in range(chance.choice((1, 1, 2))):
        _change(chance, whole)
    try:
        return json.dumps(whole).encode()
    except ValueError:  # a number of more digits than Python writes
        return data


def _change(chance: Random, whole: Any) -> None:
    """Replace or delete a value at a random place of an object or list."""
    at, key = whole, None
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        inner = at if key is None else at[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        at, key = inner, chance.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
    if key is None:
        return
    if chance.random() < 0.2:
        del at[key]
    else:
        at[key] = chance.choice((chance.choice(ODD), [at[key]], str(at[key]), rubbish(chance)))


if __name__ == "__main__":
    sys.exit(command("handed", trial, LIMITS, sys.argv[1:]))
