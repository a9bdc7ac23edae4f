"""Reads a model by the front end that claims the file's suffix.

The front end of `.x` files is a folder `x` whose module frontend.py has read_model(path, name).
Shipped ones are in this folder; more are in the `frontends/` of the folders that `platforms=`
names.
"""

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from opsmith.contract.annotations import fields_of, kind_of
from opsmith.errors import (
    Problem,
    ToolchainError,
    described,
    did_you_mean,
    printable,
    raise_all,
    shown,
)
from opsmith.frontend.foreign import CONVERTERS, MAGIC, START, check_known, folder_problem
from opsmith.frontend.model import Model
from opsmith.frontend.quantization import quantization_problem, scale_problem
from opsmith.ir import Graph
from opsmith.ir.verify import violations
from opsmith.modules import load_function
from opsmith.op.index import Claimed

_SHIPPED = Path(__file__).parent
_TAKEN = {"onnx": ("input_shape", "claimed"), "pt2": ("claimed",)}  # arguments of read_model()
_DIGEST = re.compile(r"[0-9a-f]{64}")


def read_model(
    path: Path,
    name: str,
    platforms: Sequence[Path] = (),
    signature: str = "",
    input_shape: Sequence[str] = (),
    claimed: Claimed | None = None,
) -> Model:
    """Model in a file, with its graph called `name` (a C identifier).

    The graph is the one that the signature names; only `.tflite` files have signatures. The sizes
    that `input_shape` gives to open axes are those of `.onnx` files, whose operators need them
    while they are read; the model says which it took. Operators of `.onnx` and `.pt2` files that
    folders have `claimed` are left to them. Raises OPS005 and MDL0xx; MDL033 where no front end, or
    more than one, claims the suffix, or the claiming one is broken.
    """
    if path.is_dir():
        what, fix = folder_problem(path)
        raise ToolchainError.of("MDL002", f"it {what}", where=str(path), fix=fix)
    file = _claimant(path, platforms)
    if file.parents[1] == _SHIPPED:
        module = importlib.import_module(f"{__package__}.{file.parent.name}.frontend")
        given = {"input_shape": input_shape, "claimed": claimed}
        taken = {key: given[key] for key in _TAKEN.get(file.parent.name, ())}
        model: Model = module.read_model(path, name, signature, **taken)
        return model
    if signature:
        what, fix = f"'{path.suffix}' files have no signatures", "leave signature= out"
        raise ToolchainError.of("MDL024", what, where=f"{path}: signature={signature}", fix=fix)
    read = load_function(file, "read_model", "MDL033")
    try:
        found: object = read(path, name)
    except (ToolchainError, MemoryError):
        raise
    except Exception as error:
        what, fix = f"the front end fails: {described(error)}", "correct its read_model()"
        raise ToolchainError.of("MDL033", what, where=f"{file}: {path}", fix=fix) from error
    mistakes = _mistakes(found, name)
    raise_all(Problem("MDL033", what, f"{file}: {path}", fix) for what, fix in mistakes)
    return cast(Model, found)


def unread(path: Path) -> frozenset[str]:
    """Source ops, such as `onnx.Hardmax`, for a file's operators that its shipped front end does
    not read and a folder could claim. Raises MDL0xx.
    """
    space = path.suffix.lower().removeprefix(".")
    if "claimed" not in _TAKEN.get(space, ()) or not path.is_file():
        return frozenset()
    module = importlib.import_module(f"{__package__}.{space}.frontend")
    found: frozenset[str] = module.unread(path)
    return found


def _mistakes(found: object, name: str) -> Iterator[tuple[str, str]]:
    """Mistakes in the result of a read_model(), each with its correction."""
    if not isinstance(found, Model):
        yield "read_model() returns no Model", "return an opsmith.frontend.model.Model"
        return
    wrong = [each for each in fields_of(found) if not kind_of(each.hint).holds(each.value)]
    for each in wrong:
        yield (
            f"'{each.name}' of {each.owner} is {shown(each.value)}",
            f"make it {kind_of(each.hint).one}",
        )
    if wrong:
        return
    if not _DIGEST.fullmatch(found.sha256):
        what = f"'sha256' of Model is {shown(found.sha256)}"
        yield what, "write the digest of the file as 64 hexadecimal digits"
    if found.graph.name != name:
        what = f"the graph is called {shown(found.graph.name)}"
        yield what, f"call it '{name}', the name that read_model() is given"
    if found.problems:  # problems of a graph, which need not be valid
        return
    for violation in violations(found.graph, "read"):
        yield f"the graph is wrong: {violation}", "correct its read_model()"
    yield from _misquantised(found.graph)
    for name, axes in found.open_axes.items():
        tensor = found.graph.tensors.get(name)
        if tensor is None or not {*axes} <= {*range(len(tensor.shape))}:
            what = f"'open_axes' names axes {list(axes)} of '{printable(name)}'"
            yield what, "name axes that the tensor has"


def _misquantised(graph: Graph) -> Iterator[tuple[str, str]]:
    for tensor in graph.tensors.values():
        if (found := tensor.quantization) is not None:
            problem = quantization_problem(found, tensor.dtype, tensor.shape)
            if problem := problem or scale_problem(found):
                yield f"'{printable(tensor.name)}': {problem}", "correct its quantisation"


def _claimant(path: Path, platforms: Sequence[Path]) -> Path:
    """Module of the only front end that claims the suffix of a path. Raises MDL033 and MDL002."""
    suffix = path.suffix.lower().removeprefix(".")
    roots = {root.resolve(): root for root in (root / "frontends" for root in platforms)}
    found = [
        file for root in (_SHIPPED, *roots.values()) for file in sorted(root.glob("*/frontend.py"))
    ]
    claims = [file for file in found if file.parent.name == suffix]
    if len(claims) == 1:
        return claims[0]
    known = sorted({f".{file.parent.name}" for file in found})
    raise_all(_unclaimed(path, roots.values()) if not claims else ())
    if not claims and not path.exists():
        what, fix = "cannot read the model: No such file or directory", "correct the path"
        raise ToolchainError.of("MDL002", what, where=str(path), fix=fix)
    if claims:
        what = f"two front ends claim '.{suffix}'"
        where, fix = f"{claims[0]} and {claims[1]}", "take one of them out of platforms="
    else:
        start = _start(path)
        if start[4:8] != MAGIC:
            check_known(path, start)
        what = f"no front end reads '{printable(path.suffix)}' files"
        what += did_you_mean(path.suffix, known)
        where, fix = str(path), f"name a file that ends with {' or '.join(known)}"
        if suffix in CONVERTERS and suffix not in {file.parent.name for file in found}:
            what, fix = f"{what}: {CONVERTERS[suffix][0]}", CONVERTERS[suffix][1]
        elif start[4:8] == MAGIC:
            what = f"{what}, though it holds what '.tflite' files do"
            fix = "rename it so that its name ends with .tflite"
    raise ToolchainError.of("MDL033", what, where=where, fix=fix)


def _start(path: Path) -> bytes:
    """First bytes of a file; b"?" for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(START)
    except OSError:
        return b"?"


def _unclaimed(path: Path, roots: Iterable[Path]) -> Iterator[Problem]:
    """Problems of folders that would claim a file if it had another name, or they a frontend.py."""
    for folder in (folder for root in roots for folder in sorted(root.glob("*/"))):
        suffix = f".{folder.name}".lower()
        if not path.name.lower().endswith(suffix):
            continue
        last = suffix.rpartition(".")[2]
        if folder.name != last:
            what = f"front end '{printable(folder.name)}' claims no file"
            fix = f"call it '{printable(last)}': what follows the last dot, in small letters"
            yield Problem("MDL033", what, str(folder), fix)
        else:
            fix = "write it: read_model(path, name) returns a Model"
            yield Problem("MDL033", "there is no frontend.py", str(folder), fix)
