"""Folder below build/ for the products of a command line: a function of its arguments.

    build/<board>-<runtime>/<model>                       model=kws.tflite
    build/<board>-<runtime>/<model>@<dir>.<dir>           model=dir/dir/kws.tflite
    build/<board>-<runtime>/<model>-<hash>                elsewhere, or names with other characters
    build/<board>-<runtime>/<model>…+size+bench+rows      opt=, app=, stream= and so on
    build/used_ops/<model>….json                          which ops it uses, whatever the board

No two models, and no two settings that make another program of a model, have the same folder.
"""

import hashlib
import itertools
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.architecture import SHIPPED
from opsmith.build_options import RUNNER, BuildOptions
from opsmith.frontend.foreign import is_of_tensorflow
from opsmith.home import HOME, is_from_elsewhere, shipped
from opsmith.option import flags_of, variables
from opsmith.package.recipe import DEFAULT_VARIANT

BUILD = Path("build")
BINDINGS = BUILD / "bindings"
USED = BUILD / "used_ops"
PREPARED = BUILD / "prepared"
STEPWISE = "+crosscheck"  # suffix of the folder of a firmware that runs node by node
TUNED = "+tune"  # suffix, followed by a number, of folders for `tune`
PLACES = ("ops", "backends", "platforms")  # options that determine which ops a model can use
LONGEST = 100  # characters of a folder's name
_STEM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_TAGGED = re.compile(r"-[0-9a-f]{8}$")  # ending of names that are not plain


def model_folder(settings: BuildOptions, root: Path | None = None) -> str:
    """Name of the folder of the model's products; `root` is the SConstruct's folder, by default the
    current one.
    """
    return _models(settings.models, root or Path.cwd()) + "".join(
        f"+{word}" for word in _program(settings)
    )


def variant(settings: BuildOptions, words: Sequence[str]) -> str:
    """Name that distinguishes a library of a model from others for its core, wherever it is made:
    `words` about its target, and words of the folder's name.
    """
    program = _program(replace(settings, app=RUNNER), places=False)
    return "+".join([*words, *program]) or DEFAULT_VARIANT


def used_file(settings: BuildOptions) -> Path:
    """Return the path of the list of ops that a model uses: one file for all boards and options,
    except options that name folders of ops, backends or front ends or that affect how the model is
    read.
    """
    places = [[os.path.normpath(path) for path in getattr(settings, name)] for name in PLACES]
    places += [[model_file(settings)]] if is_prepared(settings) else []
    places += [[flag] for each, flag in flags_of(settings) if each.option.reads]
    suffix = f"+{_hash(os.fsencode(json.dumps(places)))}" if any(places) else ""
    return USED / f"{_model(settings.model, Path.cwd())}{suffix}.json"


def is_prepared(settings: BuildOptions) -> bool:
    """True if a `.tflite` that is made of the model is compiled in its place, and no front end of
    `platforms=` reads the model.
    """
    model = Path(settings.model)
    claimed = f"frontends/{model.suffix.lower().removeprefix('.')}/frontend.py"
    elsewhere = any(Path(root, claimed).is_file() for root in settings.platforms)
    return bool(settings.calibrate) or (is_of_tensorflow(model) and not elsewhere)


def model_file(settings: BuildOptions) -> str:
    """Path of the file that is compiled: the model, or the `.tflite` made of it."""
    if not is_prepared(settings):
        return settings.model
    said = [settings.calibrate, settings.recipe] if settings.calibrate else []
    name = _model(settings.model, Path.cwd())
    name += f"+{_hash(os.fsencode(json.dumps(said)))}" if said else ""
    return str(PREPARED / name / f"{Path(settings.model).stem}.tflite")


def plain_folder(settings: BuildOptions) -> str:
    """Name of the folder in debug information, without the places of the model, ops and so on."""
    return settings.name + "".join(f"+{word}" for word in _program(settings, places=False))


def target_folder(board: str, folder: Path, files: Sequence[Path], runtime: str) -> Path:
    """Folder build/<board>-<runtime>; a board that is not shipped, or whose core or family is not,
    adds a hash of their paths.
    """
    outside = [] if folder.parent in (shipped("boards"), HOME / "boards") else [folder]
    outside += [file for file in files if not file.is_relative_to(SHIPPED)]
    paths = b"\0".join(os.fsencode(os.path.normpath(path)) for path in outside)
    return BUILD / (f"{board}-{runtime}" + (f"@{_hash(paths)}" if outside else ""))


def bindings_folder(op: Path) -> Path:
    """Folder of the generated headers of all ops, or backends, in the parent folder of an op."""
    ours = op.parent in (shipped("ops"), shipped("runtimes"))
    return BINDINGS if ours else Path(f"{BINDINGS}@{tag(op.parent)}")


def object_stem(source: Path) -> str:
    """Path of a source's object below a folder of objects, without `.o`."""
    full = source.resolve()
    where = full.relative_to(HOME) if is_from_elsewhere(full) else Path(os.path.relpath(source))
    if all(_STEM.fullmatch(part) for part in where.parts) and len(str(where)) <= LONGEST:
        return str(where)
    return f"outside/{tag(source)}/{_short(source.name)}"


def tag(path: Path | str) -> str:
    """Eight characters that distinguish a path, as given, from others."""
    return _hash(os.fsencode(os.path.normpath(path)))


def _models(models: Sequence[str], root: Path) -> str:
    """Name of one model, or those of several joined by commas, which no model's name has."""
    name = ",".join(_model(model, root) for model in models)
    return name if len(name) <= LONGEST else f"{len(models)},{_hash(os.fsencode(name))}"


def _model(model: str, root: Path) -> str:
    path = Path(os.path.normpath(model))
    path = path.relative_to(root) if path.is_relative_to(root) else path
    folders = path.parts[:-1]
    name = path.stem + (f"@{'.'.join(folders)}" if folders else "")
    named = _STEM.fullmatch(path.stem) and not _TAGGED.search(path.stem)
    plain = path.suffix == ".tflite" and named
    if ".." in Path(model).parts[_leading(model) :]:  # with links it could be another folder
        return f"{_short(path.stem)}-{_hash(os.fsencode(model))}"
    if plain and all(map(_PART.fullmatch, folders)) and len(name) <= LONGEST:
        return name
    return f"{_short(path.stem)}-{tag(path)}"


def _leading(model: str) -> int:
    """Number of leading `..` in a path."""
    return len(list(itertools.takewhile(lambda part: part == "..", Path(model).parts)))


def _program(settings: BuildOptions, *, places: bool = True) -> list[str]:
    """Words of a folder's name for options, besides the target, that change a model's program."""
    named = [(each, each.part(getattr(settings, each.name))) for each in variables(BuildOptions)]
    words = [part.word for _, part in named if part.word]
    named_here = [(each, part) for each, part in named if places or not each.option.place]
    others = {each.name: part.hashed for each, part in named_here if part.hashed}
    if others:
        words.append(_hash(os.fsencode(json.dumps(others, ensure_ascii=False, sort_keys=True))))
    return words


def _short(stem: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", stem).strip("_")[: LONGEST // 2] or "unnamed"


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]
