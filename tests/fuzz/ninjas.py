"""Damaged records of ninja, and other things in the places of what they name.

python -m tests.fuzz.ninjas --count=10000 --seed=1
"""

import json
import os
import sys
from functools import partial
from pathlib import Path
from random import Random

from opsmith.digests import Digests
from opsmith.ninja.check import GRAPH, UNKNOWN, includes_digest, main, read_scanned, write_record
from opsmith.ninja.records import (
    file_lines,
    folder_line,
    link_lines,
    nothing_lines,
    paths_of,
    process_lines,
    write_step,
)
from opsmith.ninja.step import STEPS, read_step, read_steps, step_as_data
from opsmith.steps.seal import Made, Seal, inputs_of, seal_file
from opsmith.steps.sealed import Sealed
from tests.fuzz.damage import LIMITS, damaged, misplace, outcome
from tests.fuzz.trials import command

WORDS = (
    b"file ", b"folder ", b"nothing - - ", b"link - ", b"variable - - A=1", b"python", b"root ",
    b"record ", b"- - ", b"0.0.0.0",
)  # fmt: skip


def trial(chance: Random, folder: Path) -> str:
    """Outcomes of the check, of reading a step, and of a seal, with damaged records."""
    records, names = _written(folder)
    name = chance.choice(names)
    path = records / name
    if chance.random() < 0.7:  # with a checksum that is right
        lines = path.read_bytes().partition(b"\n")[2]
        changed = damaged(chance, lines, WORDS).decode("utf-8", "surrogateescape")
        write_record(str(path), changed.split("\n")[:-1])
    elif chance.random() < 0.9:
        path.write_bytes(damaged(chance, path.read_bytes(), WORDS))
    product = folder / "k.o"
    misplace(chance, folder, 0.1)
    if product.is_file() and product.stat().st_size > 1 << 30:
        product.unlink()  # products and models may be large, and are read to their ends
    found = [outcome(lambda: main(str(records)))]
    found += [outcome(partial(paths_of, records / name)) for name in names[:2]]
    found += [outcome(lambda: _read(records))]
    found += [outcome(lambda: _seal(chance, folder))]
    return " ".join(sorted({*found}))


def _written(root: Path) -> tuple[Path, list[str]]:
    """Write a folder of records; returns the folder and the names of records."""
    records = root / "ninja"
    records.mkdir()
    (root / "folder").mkdir()
    files = [root / name for name in ("k.h", "k.o", "op.py")]
    for file in files:
        file.write_text('#include "a.h"\n')
    known = Digests()
    digests = {str(path): known.of(str(path)) for path in files}
    write_step(records, "step", Made(digests, {}, {}), (), known)
    scanned = [f"{digests[str(path)]} {includes_digest(str(path))} {path}" for path in files]
    write_record(str(records / "scanned"), scanned)
    graph = [*file_lines(digests, known), folder_line(str(root / "folder"))]
    graph += [*nothing_lines([str(root / "a.h")]), *link_lines([str(root / "app" / "main.cc")])]
    graph += [*process_lines(["SEEN"]), f"record - - {records / 'step.record'}"]
    graph += [f"file {UNKNOWN} {UNKNOWN} {root / 'k.h'}"]
    write_record(str(records / f"{GRAPH}.record"), graph)
    step = step_as_data(Sealed([["cc", "k.h"], ["ar"]], "CC"), ["k.o"], ["v"], ["k.h"])
    said = {"steps": {"step": step}, "passed_on": ["PATH"], "environ": {"A": "b"}, "verbose": False}
    (records / STEPS).write_text(json.dumps(said))
    (records / "step.changed").touch()
    return records, [f"{GRAPH}.record", "step.record", "scanned"]


def _read(records: Path) -> None:
    """Read the records that a step reads before it runs any command."""
    for step in read_steps(records)["steps"].values():
        read_step(step)
    try:
        read_scanned(str(records))
    except (OSError, ValueError):  # which step.py tells
        return


def _seal(chance: Random, folder: Path) -> None:
    """Ask a damaged seal whether its products hold."""
    product, known = folder / "k.o", Digests()
    inputs = inputs_of("signature", [], [str(folder / "op.py")], known)
    path = seal_file(product)
    said = json.dumps({"inputs": inputs.digest, "products": {}, "read": [str(folder / "k.h")]})
    path.write_bytes(damaged(chance, said.encode(), WORDS))
    descriptor = os.open(path, os.O_RDWR)
    try:
        Seal(descriptor).holds(inputs, [product], known)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    sys.exit(command("ninjas", trial, LIMITS, sys.argv[1:]))
