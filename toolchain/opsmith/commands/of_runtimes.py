"""Commands that runtimes bring: `[commands]` of their runtime.toml."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from opsmith.board.runtime import SHIPPED, Runtime, command_in, list_runtimes, load_runtime
from opsmith.installed import installed_backends
from opsmith.modules import load_function


def brought() -> Mapping[str, str]:
    """Descriptions of the commands of runtimes, shipped or installed, by name."""
    return {name: runtime.commands[name] for name, runtime in _runtimes().items()}


def run(name: str, arguments: list[str]) -> int:
    """Run a command of a runtime; returns its status. Raises BLD030 if its module has no main()."""
    main = load_function(command_in(_runtimes()[name].folder, name), "main", "BLD030")
    status: int = main(arguments)
    return status


def _runtimes() -> Mapping[str, Runtime]:
    return _commands_in(SHIPPED, *installed_backends())


@lru_cache(maxsize=1)  # called twice by one command
def _commands_in(*roots: Path) -> Mapping[str, Runtime]:
    runtimes = [load_runtime(name, *roots) for name in list_runtimes(*roots)]
    return {name: runtime for runtime in runtimes for name in runtime.commands}
