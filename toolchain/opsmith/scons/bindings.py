"""Generated headers of ops, and of kernels that backends bring for ops: each contract in C++."""

import contextlib
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from opsmith.board.runtime import SHIPPED, family_names
from opsmith.build_options import BuildOptions
from opsmith.scons.convert import backend_files, backend_folders, machinery, registration
from opsmith.scons.environment import make_when_included, opsmith, option, outside_backends
from opsmith.scons.folders import bindings_folder


def bind_ops(env: Any, ops: Mapping[str, Path]) -> list[Path]:
    """Declare each op's generated header, made when an object includes it; returns the folders."""
    sources = machinery(env)
    one_of_each = {op.parent: op for op in ops.values()}
    folders = {parent: bindings_folder(op) for parent, op in one_of_each.items()}
    for parent, folder in folders.items():
        remove_stale(folder, parent)
    for name, op in ops.items():
        header = folders[op.parent] / f"{name}.op.h"
        command = opsmith("bind", option("op", op), option("out", header))
        inputs = [partial(registration, env, op), *sources]
        make_when_included(env, header, command, f"BIND {name}", inputs)
    return list(dict.fromkeys(folders.values()))


def remove_stale(folder: Path, parent: Path) -> None:
    """Remove the generated headers of ops that no longer exist, which kernels would still find."""
    for header in folder.glob("*.op.h"):
        if not (parent / header.name.removesuffix(".op.h") / "op.py").exists():
            with contextlib.suppress(OSError):  # the folder may be read-only
                header.unlink()


def bind_backends(env: Any, settings: BuildOptions, ops: Mapping[str, Path]) -> list[Path]:
    """Declare the headers of kernels that backends bring for ops; returns their folders."""
    sources, files = machinery(env), partial(backend_files, env, settings)
    folders = []
    for backend in backend_folders(settings):
        folders.append(bindings_folder(backend))
        there = {Path(name).stem for name in os.listdir(backend) if name.endswith(".py")}
        of_families = backend.parent != SHIPPED and there & family_names()
        for name, op in ops.items():
            if name not in there and not of_families:
                continue
            header = folders[-1] / backend.name / f"{name}.op.h"
            command = opsmith("bind", option("op", op), *outside_backends(settings))
            command += [option("backend", backend), option("out", header)]
            inputs = [partial(registration, env, op), files, *sources]
            make_when_included(env, header, command, f"BIND {backend.name}/{name}", inputs)
    return list(dict.fromkeys(folders))
