"""`verify-build`: builds a firmware again in another place, and compares all products for a board.

The project is copied to another folder and built there from nothing, as its report says, with one
job, in a random order, under another home, locale, time zone and umask; if requested, as another
user, and from compilation on by ninja. The compilers, and files outside the project, are those of
this machine.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError
from opsmith.home import with_our_pip
from opsmith.option import variables
from opsmith.programs import find_program
from opsmith.report.build_info import BUILD_INFO
from opsmith.report.elf import read_contents
from opsmith.rig.build import beside, load_application
from opsmith.text import escaped

PRODUCTS = ("elf", "map", "bin", "hex")  # suffixes of firmware files
LEFT = ("build", "__pycache__", "node_modules", ".*")  # ignored names in the project
OTHER = {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "TZ": "Pacific/Kiritimati", "USER": "other"}
UMASK = 0o077
SEVERAL = ("ops", "backends", "boards", "platforms", "model")  # lists of paths
PATHS = (*SEVERAL, "app", "tune")
DIFFOSCOPE_LINES = 60
MOST_SHOWN = 80  # characters of an input that are shown


def main(arguments: list[str]) -> int:
    """Print whether all products are equal; returns 1 if not. Raises RIG001, RIG002, BLD113."""
    parser = Parser(prog="opsmith verify-build", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder of a firmware")
    parser.add_argument("--user", metavar="NAME", help="who builds the copy; only root may ask")
    parser.add_argument("--ninja", action="store_true", help="ninja compiles and links the copy")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    build = options.build.absolute()
    load_application(build)  # fails unless it is the firmware of its report
    given = variables_of(build)
    root = project_of(build)
    with tempfile.TemporaryDirectory(prefix="opsmith-") as scratch:
        copy = Path(scratch, "another folder", root.name)
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT))
        again = copy / build.relative_to(root)
        (copy.parent / "home").mkdir()
        owner = _owner(options.user, Path(scratch)) if options.user else {}
        words = [f"{name}={_kept(name, text, root)}" for name, text in given.items()]
        words += ["ninja=1"] if options.ninja else []
        _run(copy, [sys.executable, "-m", "SCons", "-Q", "-j1", "--random", *words], owner)
        if options.ninja:
            _by_ninja(copy, again, owner)
        found = dict(_compared(build, again))
        inputs = [*_other_inputs(*(_record(each)["inputs"] for each in (build, again)))]
    differs = any(found.values())
    if options.json:
        print(json.dumps({"equal": not differs, "products": found, "inputs": inputs}))
    else:
        print("\n".join(_lines(found, inputs)))
    return 1 if differs else 0


def _lines(found: Mapping[str, Sequence[str]], inputs: Sequence[str]) -> Iterator[str]:
    for name, differences in found.items():
        yield f"{name}: {'DIFFERS' if differences else 'equal'}"
        yield from (f"  {line}" for line in differences)
    if any(found.values()):
        yield "inputs of the record that differ:" if inputs else "no input of the record differs"
    yield from (f"  {line}" for line in inputs)


def project_of(build: Path) -> Path:
    """Folder of the SConstruct by which a firmware was built."""
    found = next((each for each in build.parents if (each / "SConstruct").is_file()), None)
    if found is None:
        fix = "name the folder that scons wrote, where it wrote it"
        raise ToolchainError.of("BLD113", "no SConstruct lies above it", where=str(build), fix=fix)
    return found


def _record(build: Path) -> Mapping[str, Any]:
    found = beside(build, BUILD_INFO) or {}
    return found if isinstance(found.get("inputs"), dict) else {**found, "inputs": {}}


def variables_of(build: Path) -> Mapping[str, str]:
    """Variables by which a firmware was built, as its record says. Raises BLD113."""
    found = _record(build).get("variables")
    known = {each.name for each in variables(BuildOptions)}
    if (
        not isinstance(found, dict)
        or not found.keys() <= known
        or not all(isinstance(each, str) for each in found.values())
    ):
        what, fix = "its record does not say by which variables it was built", "build it again"
        raise ToolchainError.of("BLD113", what, where=str(build / BUILD_INFO), fix=fix)
    return found


def _kept(name: str, text: str, root: Path) -> str:
    """Value of a variable, in which paths that lead out of the project are absolute."""
    if name not in PATHS:
        return text

    def reached(path: str) -> str:
        leads_out = not (root / path).resolve().is_relative_to(root.resolve())
        return os.path.normpath(root / path) if leads_out else path

    return ",".join(map(reached, text.split(","))) if name in SEVERAL else reached(text)


def _owner(name: str, folder: Path) -> dict[str, Any]:
    """Arguments of subprocess.run for a user, who then owns the folder. Raises BLD113."""
    try:
        user = pwd.getpwnam(name)
        for place in (folder, *folder.rglob("*")):
            os.chown(place, user.pw_uid, user.pw_gid, follow_symlinks=False)
    except (KeyError, PermissionError) as error:
        known = isinstance(error, PermissionError)
        what = "only root can build as another user" if known else "no user has this name"
        fix = "leave --user out, or run this as root" if known else "see getent passwd"
        raise ToolchainError.of("BLD113", what, where=f"--user={name}", fix=fix) from None
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _by_ninja(copy: Path, again: Path, owner: Mapping[str, Any]) -> None:
    """Let ninja make the objects of the model and the firmware anew. Raises BLD113."""
    if (ninja := find_program("ninja")) is None:
        what, fix = "there is no ninja here", with_our_pip("pip install 'opsmith[ninja]'")
        raise ToolchainError.of("BLD113", what, where="--ninja", fix=fix)
    for product in [*again.glob("firmware.*"), *again.glob("obj/**/*.o")]:
        product.unlink()
    file = str((again / "build.ninja").relative_to(copy))
    _run(copy, [ninja, "-f", file], owner)


def _run(copy: Path, command: Sequence[str], owner: Mapping[str, Any]) -> None:
    home = str(copy.parent / "home")
    try:
        result = subprocess.run(
            command,
            cwd=copy,
            env={**os.environ, **OTHER, "HOME": home, "TMPDIR": home},
            umask=UMASK,
            text=True,
            errors="backslashreplace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **owner,
        )
    except PermissionError as error:
        what, fix = f"this user may not run it: {error.strerror}", "name a user who may read it"
        raise ToolchainError.of("BLD113", what, where=command[0], fix=fix) from None
    if result.returncode:
        last = "\n".join(map(escaped, result.stdout.splitlines()[-20:]))
        what = f"the copy does not build:\n{last}"
        raise ToolchainError.of("BLD113", what, where=str(copy), fix="see what is said above")


def _compared(build: Path, again: Path) -> Iterator[tuple[str, list[str]]]:
    """Names of products, each with its differences."""
    products = (each for end in PRODUCTS for each in build.glob(f"firmware*.{end}"))
    for name in sorted(each.name for each in products):
        first, second = build / name, again / name
        equal = second.is_file() and first.read_bytes() == second.read_bytes()
        yield name, [] if equal else [*_differences(first, second)]


def _other_inputs(first: Any, second: Any, *above: str) -> Iterator[str]:
    """Inputs that differ between two records, each with both values."""
    if isinstance(first, dict) and isinstance(second, dict):
        for name in {**first, **second}:
            yield from _other_inputs(first.get(name), second.get(name), *above, name)
    elif first != second:
        old, new = _words(first), _words(second)
        shown = [[w for w in old if w not in new], [w for w in new if w not in old]]
        shown = shown if any(shown) else [old, new]  # the same words in another order
        was, now = (escaped(" ".join(each))[:MOST_SHOWN] or "none" for each in shown)
        yield f"{escaped(' '.join(above))}: {was}, now {now}"


def _words(value: Any) -> list[str]:
    """Words of a digest, a version or flags; none for an absent input."""
    return " ".join(map(str, value if isinstance(value, list) else [value or ""])).split()


def _differences(first: Path, second: Path) -> Iterator[str]:
    if not second.is_file():
        yield "the copy has none"
        return
    yield from _sections(first, second) if first.suffix == ".elf" else ["other bytes"]
    if shutil.which("diffoscope"):
        words = ["diffoscope", "--max-report-size=20000", str(first), str(second)]
        shown = subprocess.run(words, capture_output=True, text=True, errors="backslashreplace")
        yield from map(escaped, shown.stdout.splitlines()[:DIFFOSCOPE_LINES])


def _sections(first: Path, second: Path) -> Iterator[str]:
    """Sections that differ, including debug information and notes."""
    ours, theirs = read_contents(first), read_contents(second)
    names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    for name in names:
        yield f"section {escaped(name)}"
    if not names:
        yield "no section: addresses or headers"
