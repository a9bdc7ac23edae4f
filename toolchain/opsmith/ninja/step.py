"""Runs one step for ninja, where its seal does not hold: `python -I -S step.py FOLDER NAME`.

The step's argument lists are in FOLDER, so that no shell sees them. The step uses the same seals
and locks as in SCons; while it runs, SCons waits for the folder of products, and vice versa.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the handler is imported
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from opsmith.errors import ToolchainError
from opsmith.guard import guarded, leave
from opsmith.ninja.check import GRAPH, MOST_BYTES, includes_digest, read_scanned
from opsmith.ninja.records import damaged, paths_of, write_step
from opsmith.reading import UnreadableError, read_bytes
from opsmith.steps.making import make_products
from opsmith.steps.programs import Builds
from opsmith.steps.seal import SealedInputs, inputs_of
from opsmith.steps.sealed import Sealed, Unsigned

STEPS = "steps.json"
SCANNED = "scanned"  # beside the record: see check.py


def main(folder: Path, name: str) -> int:
    """Run a step; returns its exit status."""
    builds = Builds({}, verbose=False)
    builds.locks.hold([folder.parent], shared=True)  # first, since SCons writes the records
    said = read_steps(folder)
    if name not in said["steps"]:
        fix = "run ninja again: it has read an older build.ninja"
        what = f"SCons has written another, which has no step {name}"
        raise ToolchainError.of("BLD102", what, where=str(folder.parent), fix=fix)
    kept = {each: os.environ[each] for each in said["passed_on"] if each in os.environ}
    builds.environ.update(kept | said["environ"])
    builds.verbose, builds.silent = said["verbose"], not said["verbose"]  # ninja prints what runs
    if said["cache"]:
        from opsmith.steps.cache import Cache  # slow to import

        builds.cache = Cache(Path(said["cache"][0]), readonly=said["cache"][1])
    return _make(folder, name, said["steps"][name], builds)


def _make(folder: Path, name: str, step: Mapping[str, Any], builds: Builds) -> int:
    work = read_step(step)
    try:
        scanned = read_scanned(str(folder))
    except (OSError, ValueError) as error:
        raise damaged(folder / SCANNED) from error

    def inputs_now() -> SealedInputs:
        inputs = inputs_of(work.signature, step["values"], step["files"], builds.digests)
        _check_includes(inputs, scanned)
        return inputs

    builds.notes = True
    products = [Path(product) for product in step["products"]]
    status = make_products(work, products, inputs_now, builds)
    for made in builds.made.values():
        graph = paths_of(folder / f"{GRAPH}.record")
        write_step(folder, name, made, graph, builds.digests)
    return status


def _check_includes(inputs: SealedInputs, scanned: Mapping[str, tuple[str, str]]) -> None:
    """Raise BLD102 if a file includes other headers than SCons found, which may have to be made."""
    for path, (content, includes) in scanned.items():
        if inputs.digests.get(path, content) != content and includes_digest(path) != includes:
            what, fix = "changed while ninja ran, and includes other files", "run ninja again"
            raise ToolchainError.of("BLD102", what, where=path, fix=fix)


def read_steps(folder: Path) -> dict[str, Any]:
    """Steps that SCons wrote for ninja. Raises BLD102.

    Their values are as SCons wrote them: where the file was changed since, `check.py` had SCons
    write it anew.
    """
    try:
        found: dict[str, Any] = json.loads(read_bytes(folder / STEPS, MOST_BYTES))
    except (UnreadableError, ValueError) as error:
        raise damaged(folder / STEPS) from error
    return found


def step_as_data(
    work: Sealed, products: Sequence[str], values: Sequence[str], files: Sequence[str]
) -> dict[str, Any]:
    """Step as data, which `read_step` reads."""
    return {
        "commands": work.commands,
        "unsigned": [
            [number for number, word in enumerate(command) if isinstance(word, Unsigned)]
            for command in work.commands
        ],
        "says": work.says,
        "rules": None if work.rules is None else str(work.rules),
        "listing": None if work.listing is None else str(work.listing),
        "products": products,
        "values": values,
        "files": files,
    }


def read_step(step: Mapping[str, Any]) -> Sealed:
    """Step from the data that `step_as_data` made."""
    commands = [
        [Unsigned(word) if number in unsigned else word for number, word in enumerate(command)]
        for command, unsigned in zip(step["commands"], step["unsigned"], strict=True)
    ]
    rules, listing = (Path(step[name]) if step[name] else None for name in ("rules", "listing"))
    return Sealed(commands, step["says"], rules=rules, listing=listing)


if __name__ == "__main__":
    leave(guarded(lambda: main(Path(sys.argv[1]), sys.argv[2])))
