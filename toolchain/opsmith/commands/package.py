"""`package`: makes a Conan package of a library, as a file for any Conan cache."""

import argparse
import json
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.board.arguments import add_board, chosen_board
from opsmith.command_line import Parser
from opsmith.emit.writing import comment_text
from opsmith.errors import cannot_write
from opsmith.package.archive import settled
from opsmith.package.conan import Conan
from opsmith.package.profile import SETTINGS_USER, profile
from opsmith.package.recipe import DEFAULT_VARIANT, conan_name, recipe
from opsmith.report.finish import read_model
from opsmith.writing import replace_files

WORK = ".conan"  # folder beside the library, in which Conan works while the package is made


def main(argv: list[str]) -> int:
    """Make BUILD/conan; returns 0. Raises BLD002, BLD022, BLD080 to BLD082."""
    arguments = _parser().parse_args(argv)
    build: Path = arguments.build
    out, model, board = build / "conan", read_model(build), chosen_board(arguments)
    name, version = arguments.name, arguments.version
    models = model.get("models", [model])
    of = [", ".join(each[key] for each in models) for key in ("model", "sha256")]
    files: dict[str, str | bytes] = {
        "conanfile.py": recipe(name, version, comment_text(of[0]), of[1]),
        "config/settings_user.yml": SETTINGS_USER,
        f"config/profiles/{board.name}": profile(board, arguments.compiler_major),
    }
    reference = f"{conan_name(name)}/{version}"
    facts = {"reference": reference, "variant": of_board(arguments.variant, board.name, model)}
    facts["file"] = f"{reference.replace('/', '-')}.tgz"
    try:
        shutil.rmtree(build / WORK, ignore_errors=True)
        replace_files(build / WORK, files)
        facts |= _packed(build.resolve() / WORK, board.name, facts)
        files[facts["file"]] = settled((build / WORK / facts["file"]).read_bytes())
        files["package.json"] = f"{json.dumps(facts, indent=1)}\n"
        replace_files(out, files)
        for other in (path for path in out.glob("*.tgz") if path.name != facts["file"]):
            other.unlink()
    except OSError as error:
        raise cannot_write(out, error) from error
    finally:
        shutil.rmtree(build / WORK, ignore_errors=True)
    print(_usage(out, facts, board.name))
    return 0


def of_board(variant: str, board: str, model: Mapping[str, Any]) -> str:
    """Variant with the board's name, if constants lie in memories that other boards may lack, or if
    its RAM is why nodes run row by row.
    """
    words = [] if variant == DEFAULT_VARIANT else variant.split("+")
    own = f"board-{board}"
    short = any(map(_is_short, model.get("models", [model])))
    moved = model.get("constants", {}).get("moved")
    if not (moved or short) or own in words:
        return variant
    return "+".join([own, *words])


def _is_short(model: Mapping[str, Any]) -> bool:
    """True if nodes run row by row for a RAM budget that no user gave."""
    rows = model.get("ram", {}).get("rows")
    return rows is not None and not model["ram_budget"]["asked"]


def _packed(work: Path, board: str, facts: Mapping[str, str]) -> dict[str, str]:
    """Make the file from the library beside `work`; returns revisions and id of the package."""
    conan, fix = Conan(work / "home"), "correct what it says, and build again"
    conan.prepare()
    command = ["export-pkg", str(work), "--no-remote", f"--output-folder={work / 'output'}"]
    command += [f"--profile:all={work / 'config/profiles' / board}"]
    command += [f"--options:host=&:variant={facts['variant']}"]
    nodes: Mapping[str, Any] = conan.json(*command, fix=fix)["graph"]["nodes"]
    found = next(node for node in nodes.values() if node["prev"])
    made = {
        "recipe_revision": str(found["rrev"]),
        "package_id": str(found["package_id"]),
        "package_revision": str(found["prev"]),
    }
    package = f"{facts['reference']}#{made['recipe_revision']}:{made['package_id']}"
    conan.run("cache", "save", package, f"--file={work / facts['file']}", fix=fix)
    return made


def _usage(out: Path, facts: Mapping[str, str], board: str) -> str:
    """Full name of the package, and commands to use it."""
    reference, variant = facts["reference"], facts["variant"]
    install = ["conan", "install", f"--requires={reference}", f"--profile:host={board}"]
    install += [] if variant == DEFAULT_VARIANT else [f"--options={reference}:variant={variant}"]
    commands = [
        ["conan", "config", "install", str(out / "config")],
        ["conan", "cache", "restore", str(out / facts["file"])],
        install,
    ]
    revisions = [facts[name] for name in ("recipe_revision", "package_id", "package_revision")]
    return "\n".join(
        ["{}#{}:{}#{}".format(reference, *revisions), *(f"  {shlex.join(c)}" for c in commands)]
    )


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opsmith package", description=__doc__)
    parser.add_argument("--build", required=True, type=Path, help="folder of the products")
    add_board(parser)
    parser.add_argument("--name", required=True, help="of the library")
    parser.add_argument("--version", required=True, help="of the package")
    parser.add_argument("--variant", required=True, help="what else tells it from others")
    parser.add_argument("--compiler-major", required=True, type=int, help="GCC's version: 12")
    return parser
