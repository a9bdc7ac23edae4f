"""Record of a firmware, firmware.buildinfo.json: digests of its inputs and its products.

`record` is the digest of all inputs, none of which depends on a location, so that equal inputs have
equal records in any folder. A note of firmware.elf, which no board stores, carries it.
"""

import argparse
import hashlib
import json
import os
import shlex
import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from opsmith.board.manifest import Board
from opsmith.digests import FILE, PRODUCTS, Digests
from opsmith.errors import ToolchainError
from opsmith.home import APART, HOME, LOCK, PACKAGE, RUNTIMES
from opsmith.registration import all_names
from opsmith.report.elf import read_contents
from opsmith.steps.make_rules import read_rules

BUILD_INFO = "firmware.buildinfo.json"
SCHEMA = 2
NOTE = ".note.opsmith"
PACKAGES = "packages"  # folder of a build with packages required by ops
_OWNER, _KIND = b"Opsmith\0", 1
_WITH_PATHS = ("-L", "-l", "-o", "-T", "-Map", "-Xlinker")  # flags with paths
Files = Mapping[str, str]


def made_from(
    arguments: argparse.Namespace, board: Board, models: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Inputs of a link, by kind and by a name that does not depend on their location."""
    known = Digests(FILE if FILE.exists() else None)
    command = list(_words(arguments.command))
    rules = (read_rules(Path(f"{word}.d")) for word in command if word.endswith(".o"))
    read = {str(file) for files in rules for file in files if not is_generated(file)}
    known_ops = json.loads((arguments.build / "used_ops.json").read_text(encoding="utf-8"))
    used = sorted({op for each in models for op in each["ops"]})
    described = [*sorted(board.folder.glob("*.toml")), *board.files]
    sources = [file for file in read if _name(file) is not None]
    return {
        "settings": arguments.variant,
        "models": {str(each["model"]): str(each["sha256"]) for each in models},
        "ops": {op: known_ops[op]["sha256"] for op in used},
        "sources": _digests(sources, known),
        "board": _digests(map(str, described), known),
        "libraries": _digests(_libraries(command), known),
        "opsmith": _opsmith(known),
        "toolchain": {
            "compiler": arguments.compiler,
            "sha256": arguments.toolchain_sha256,
            "files": dict(each.split("=") for each in arguments.toolchain_file),
        },
        "headers": _digests(read.difference(sources), known),
        "flags": {
            "compile": arguments.compiled,
            "link": [word for word in command if word[:1] == "-" and not _has_path(word)],
        },
    }


def is_generated(file: Path) -> bool:
    """True for a file that the build made, whose inputs count; packages come from elsewhere."""
    return file.parts[:1] == (PRODUCTS,) and PACKAGES not in file.parts


def record_of(inputs: Mapping[str, Any]) -> str:
    """Digest of all inputs."""
    text = json.dumps(inputs, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def build_info(
    inputs: Mapping[str, Any],
    variables: Mapping[str, str],
    firmware: str,
    files: Mapping[str, Path],
) -> str:
    """Record as JSON; `variables` reproduce the firmware, `firmware` is the digest that the board
    reports.
    """
    products = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    found = {
        "schema": SCHEMA,
        "record": record_of(inputs),
        "firmware": firmware,
        "variables": variables,
        "inputs": inputs,
        "products": products,
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def add_note(objcopy: str, elf: Path, record: str) -> None:
    """Write the record's digest into a section that no board stores. Raises BLD021."""
    note, digest = elf.with_name("firmware.note.new"), bytes.fromhex(record)
    note.write_bytes(struct.pack("<III", len(_OWNER), len(digest), _KIND) + _OWNER + digest)
    command = [objcopy, "--add-section", f"{NOTE}={note}", str(elf)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, close_fds=False)
    except (OSError, subprocess.CalledProcessError) as error:
        said = " ".join((getattr(error, "stderr", "") or str(error)).split())
        what, fix = f"its note cannot be added: {said}", "run the command above by hand"
        raise ToolchainError.of("BLD021", what, where=shlex.join(command), fix=fix) from None
    finally:
        note.unlink()


def read_note(elf: Path) -> str | None:
    """Digest of the record to which a firmware belongs; None for a firmware without such a note."""
    data = read_contents(elf).get(NOTE, b"")
    start = struct.pack("<III", len(_OWNER), hashlib.sha256().digest_size, _KIND) + _OWNER
    whole = data.startswith(start) and len(data) == len(start) + hashlib.sha256().digest_size
    return data[len(start) :].hex() if whole else None


def _words(command: Iterable[str]) -> Iterator[str]:
    """Arguments of the linker, with files of arguments expanded."""
    for word in command:
        if word.startswith("@"):
            yield from shlex.split(Path(word[1:]).read_text(encoding="utf-8"))
        else:
            yield word


def _has_path(word: str) -> bool:
    return word.startswith(_WITH_PATHS)


def _libraries(command: Sequence[str]) -> Iterator[str]:
    """Archives and shared libraries in a linker command, besides the toolchain's."""
    folders = [Path(word[2:] or after) for word, after in pairwise(command) if word[:2] == "-L"]
    for word in command:
        if word.startswith("-l:"):
            names = [word[3:]]
        elif word.startswith("-l"):
            names = [f"lib{word[2:]}.a", f"lib{word[2:]}.so"]
        else:
            if Path(word).suffix in (".a", ".so") and os.path.isfile(word):
                yield word
            continue
        found = (folder / name for folder in folders for name in names)
        yield from (str(file) for file in found if file.is_file())


def _digests(files: Iterable[str], known: Digests) -> dict[str, str]:
    """Digests of files by name. Of several files with one name, all but the first get a part of
    their digest in the name.
    """
    found: dict[str, str] = {}
    for name, digest in sorted({(_name(f) or _foreign(f), known.of(f)) for f in files}):
        found[name if name not in found else f"{name}@{digest[:8]}"] = digest
    return found


def _name(file: str) -> str | None:
    """Path below Opsmith, the project or the installed packages; None for any other file."""
    parts = Path(file).parts
    if parts[0] == PRODUCTS and PACKAGES in parts:
        return "/".join(parts[parts.index(PACKAGES) :])
    full = Path(os.path.abspath(file))
    if full.is_relative_to(HOME):
        return full.relative_to(HOME).as_posix()
    here = Path.cwd()
    return full.relative_to(here).as_posix() if full.is_relative_to(here) else None


def _foreign(file: str) -> str:
    """Name by which a program includes a system header, or the name of the file."""
    return file.rpartition("/include/")[2] if "/include/" in file else Path(file).name


def _opsmith(known: Digests) -> str:
    """Digest of the Python code that decides a firmware, and of the packages that it uses."""
    total = hashlib.sha256(known.of(str(LOCK)).encode())
    for top in (PACKAGE, RUNTIMES):
        start = len(str(top)) + 1
        for file in all_names(top):
            name = file[start:]
            if file.endswith(".py") and name.partition(os.sep)[0] not in APART:
                total.update(f"{name}\0{known.of(file)}\0".encode())
    return total.hexdigest()
