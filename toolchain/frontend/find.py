"""Reads a model by the front end that claims the file's suffix.

The front end of `.x` files is a folder `x` whose module frontend.py has read_model(path, name).
That of `.tflite` is here; others are in the `frontends/` of the folders that `platforms=` names.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolchain.errors import ToolchainError, described, did_you_mean, printable
from toolchain.frontend.model import Model
from toolchain.ir import Graph
from toolchain.modules import load_function
from toolchain.running import Running

_SHIPPED = Path(__file__).parent
SECONDS = 120.0  # for reading one model


def read_model(path: Path, name: str, platforms: Sequence[Path] = ()) -> Model:
    """The model in the file, with its graph called `name` (a C identifier).

    Raises MDL0xx; MDL033 where no front end, or more than one, claims the suffix.
    """
    file = _claimant(path, platforms)
    if file.parents[1] == _SHIPPED:
        module = importlib.import_module(f"{__package__}.{file.parent.name}.frontend")
        model: Model = module.read_model(path, name)
        return model
    read = load_function(file, "read_model", "MDL033")
    try:
        with Running(SECONDS, "the front end", str(file)):
            found: Any = read(path, name)
    except (ToolchainError, MemoryError, RecursionError):
        raise
    except (Exception, SystemExit) as error:
        what, fix = f"the front end fails: {described(error)}", "correct its read_model()"
        raise ToolchainError.of("MDL033", what, where=f"{file}: {path}", fix=fix) from error
    if not isinstance(found, Model) or not isinstance(found.graph, Graph):
        what, fix = "read_model() returns no Model", "return a toolchain.frontend.model.Model"
        raise ToolchainError.of("MDL033", what, where=str(file), fix=fix)
    return found


def _claimant(path: Path, platforms: Sequence[Path]) -> Path:
    """The module of the one front end that claims the suffix of a path."""
    suffix = path.suffix.lower().removeprefix(".")
    roots = {root.resolve(): root for root in (root / "frontends" for root in platforms)}
    found = [
        file for root in (_SHIPPED, *roots.values()) for file in sorted(root.glob("*/frontend.py"))
    ]
    claims = [file for file in found if file.parent.name == suffix]
    if len(claims) == 1:
        return claims[0]
    known = sorted({f".{file.parent.name}" for file in found})
    if claims:
        what = f"two front ends claim '.{suffix}'"
        where, fix = f"{claims[0]} and {claims[1]}", "take one of them out of platforms="
    else:
        what = f"no front end reads '{printable(path.suffix)}' files"
        what += did_you_mean(path.suffix, known)
        where, fix = str(path), f"name a file that ends with {' or '.join(known)}"
    raise ToolchainError.of("MDL033", what, where=where, fix=fix)
