"""Targets as a person types them: for some, SCons would build nothing and exit 0."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from opsmith.errors import Problem, did_you_mean, raise_all


def normalise(target: str) -> str:
    """The target without `./`, doubled or trailing slashes: 'ops/add/' is 'ops/add'."""
    return os.path.normpath(target.removeprefix("#"))


def check_targets(env: Any, targets: list[Any], aliases: Sequence[str]) -> None:
    """Replace each of SCons's `targets` by what it can build; all wrong ones are one error."""
    names = [normalise(str(target)) for target in targets]
    raise_all(_problems(env, names, aliases))
    targets[:] = [_node(env, name) for name in names]


def _problems(env: Any, names: Sequence[str], aliases: Sequence[str]) -> Iterator[Problem]:
    for name in names:
        if _node(env, name) is not None:
            continue
        exists = env.fs.Entry(f"#{name}").rexists()
        what = f"'{name}' is no target: nothing builds it" if exists else f"unknown target '{name}'"
        near = did_you_mean(name, aliases)
        fix = "`scons -h` explains the targets; firmware needs board=… and model=…"
        yield Problem("BLD005", what + near, f"command line: {name}", fix)


def _node(env: Any, name: str) -> Any:
    """The alias, file or folder of products that the name means, or None."""
    alias = env.ans.lookup(name)
    if alias is not None:
        return alias
    entry = env.fs.Entry(f"#{name}".replace("$", "$$")).disambiguate()
    return entry if _built(entry) else None


def _is_dir(entry: Any) -> bool:
    return type(entry).__name__ == "Dir"


def _built(entry: Any) -> bool:
    # A folder is a target where something below it is built: that is only in build/.
    if _is_dir(entry):
        return any(_built(child) for child in entry.all_children())
    return bool(entry.has_builder())
