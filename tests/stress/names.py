"""`python -m tests.stress.names`: every name at every place where one can stand.

Each makes the firmware of a plain name, or is refused with a code; nothing else is run or written.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.copies import copied
from tests.stress.checkout import Ended, build
from tests.stress.outcome import Failure, Tally, refusal
from tests.stress.places import CONTENT, COVERED, MODEL, PLACES, TOGETHER, WORDS, Place
from tests.stress.spellings import NAMES, is_file_name
from tests.system.project import PARTS, ROOT, make_project

Stamp = tuple[int, int]
SAME, SAME_CODE, AS_PLAIN = "same ELF", "same but debug information", "as the plain name"


@dataclass
class Matrix:
    """Matrix of names and places: a checkout, and the firmware that plain names make there."""

    base: Path
    plain: dict[tuple[str, str], tuple[str, bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Make the checkout, in a folder of its own."""
        self.above = Path(tempfile.mkdtemp(dir=self.base))
        self.root = make_project(self.above / "checkout", ops=("add",)).root
        self._restore()

    def row(self, spelling: str, places: Sequence[str] | None = None) -> dict[str, str]:
        """Outcomes of a name at the given places, or at all of them."""
        if not is_file_name(NAMES[spelling]):
            places = [place for place in places or PLACES if place in WORDS]
        if places is not None:
            return {place: self.cell(PLACES[place], spelling) for place in places}
        outcomes = {}
        if self.cell(TOGETHER, spelling) in (SAME, SAME_CODE):
            outcomes = dict.fromkeys(COVERED, SAME_CODE)
        rest = [place for name, place in PLACES.items() if name not in outcomes]
        return outcomes | {place.name: self.cell(place, spelling) for place in rest}

    def cell(self, place: Place, spelling: str) -> str:
        """Outcome of a name at a place: SAME, SAME_CODE, AS_PLAIN, or the code of the error."""
        name = NAMES[spelling]
        outcome, firmware = self.tried(place, name, f"{place.name}: {spelling}")
        plain = place.plain(name)
        if (place.name, plain) not in self.plain:
            self.plain[place.name, plain] = self.tried(place, plain, f"{place.name}: plain")
        expected, right = self.plain[place.name, plain]
        if outcome == expected and firmware == right:
            return SAME if outcome == "built" and place.compared else AS_PLAIN
        if outcome == expected == "built" and code_of(firmware) == code_of(right):
            return SAME_CODE
        if outcome == "built":
            (self.above / "found.elf").write_bytes(firmware)
            (self.above / "right.elf").write_bytes(right)
            kept, what = self.above, "another firmware than a plain name's"
            self._begin()
            raise Failure(what, f"{place.name}: {spelling}", kept)
        return outcome

    def tried(self, place: Place, name: str, seed: str) -> tuple[str, bytes]:
        """'built' or the code of the error, and the firmware that was made. Raises Failure."""
        root = self.root
        place.prepare(root, name)
        if place.name in ("checkout", "together"):
            root = self.root.rename(self.above / name)
            shutil.rmtree(root / "build/host-reference/sums", ignore_errors=True)
        before = _files(self.above, root)
        done = build(root, place.arguments(name), env={"HOME": str(self.above)})
        outcome = _outcome(done)
        firmware = _firmware(root, done) if outcome == "built" and place.compared else b""
        wrong = _wrong(done, before, _files(self.above, root), place.writes(name))
        if wrong:
            kept = self.above
            self._begin()
            raise Failure(wrong, seed, kept, done.text)
        root.rename(self.root)
        self._restore()
        return outcome, firmware

    def _restore(self) -> None:
        """Leave in the checkout what every place begins with."""
        for path in self.root.iterdir():
            if path.name not in (*PARTS, "build"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        if not (self.root / "ops" / "add").exists():
            copied(ROOT / "ops" / "add", self.root / "ops" / "add")
        (self.root / MODEL).write_bytes(CONTENT)
        (self.root / "mine").mkdir()


def _wrong(done: Ended, before: dict[Path, Stamp], after: dict[Path, Stamp], asked: str) -> str:
    """Complaint about output of a build, or files that it must not touch; empty if none."""
    wrong = "a traceback" if "Traceback" in done.text else ""
    if _outcome(done) != "built":
        wrong = refusal(done.status, done.text)
    extra = {path for path in after if before.get(path) != after[path]}
    extra = {path for path in extra if not asked or asked not in path.parts}
    if extra or before.keys() - after.keys():
        return f"wrote {sorted(extra)}, deleted {sorted(before.keys() - after.keys())}"
    if any(character in done.text for character in "\x1b\x7f\u202e\u2066\u200b"):
        return "printed what moves the cursor, or is not seen"
    return wrong


def _outcome(done: Ended) -> str:
    if done.status == 0:
        return "built"
    found = re.search(r"^error ([A-Z]{3}\d{3}):", done.text, re.MULTILINE)
    return found[1] if found else f"status {done.status}"


def _files(above: Path, root: Path) -> dict[Path, Stamp]:
    """Files outside build/, also above the checkout, each with what shows an edit."""
    found = {}
    for folder, folders, files in os.walk(above):
        folders[:] = [name for name in folders if name != "__pycache__"]
        if folder == str(root) and "build" in folders:
            folders.remove("build")
        for name in files:
            stat = os.stat(os.path.join(folder, name))
            found[Path(folder, name).relative_to(above)] = (stat.st_size, stat.st_mtime_ns)
    return found


def _firmware(root: Path, done: Ended) -> bytes:
    """The firmware that a build says it made, without the digest of the model."""
    found = re.search(r"^(build/.*/firmware\.elf) (?:for|is up to date)", done.text, re.MULTILINE)
    assert found, done.text
    elf = root / found[1]
    facts = json.loads(elf.with_name("model.json").read_text(encoding="utf-8"))
    return elf.read_bytes().replace(bytes.fromhex(facts["sha256"]), bytes(32))


def code_of(elf: bytes) -> bytes:
    """Bytes of a firmware's ELF without those that only a debugger reads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "firmware.elf")
        file.write_bytes(elf)
        options = ["--strip-all", "--remove-section=.note.gnu.build-id"]
        subprocess.run(["objcopy", *options, str(file)], check=True)
        return file.read_bytes()


def main(argv: list[str]) -> int:
    """Run the command line; returns 0 when each cell is right, else 1, and keeps the wrong cells'
    checkouts.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.stress.names", description=__doc__)
    parser.add_argument("--place", action="append", choices=PLACES, help="default: all")
    parser.add_argument("--name", action="append", choices=NAMES, help="default: all")
    options = parser.parse_args(argv)
    base = Path(tempfile.mkdtemp(prefix="opsmith-names-"))
    began = time.monotonic()
    tally, failures = Tally("place"), []
    refused: dict[tuple[str, str], list[str]] = defaultdict(list)
    matrix = Matrix(base)
    for spelling in options.name or NAMES:
        try:
            row = matrix.row(spelling, options.place)
        except Failure as failure:
            failures.append(failure)
            print(failure, flush=True)
            continue
        for place, outcome in row.items():
            tally.add(place, outcome)
            if outcome not in (SAME, SAME_CODE, AS_PLAIN):
                refused[place, outcome].append(spelling)
        print(f"{spelling}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(f"{tally}, {time.monotonic() - began:.0f} s, {len(failures)} failures\n\nrefused:")
    for (place, code), spellings in refused.items():
        print(f"  {place}: {code}: {', '.join(spellings)}")
    if not failures:
        shutil.rmtree(base)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
