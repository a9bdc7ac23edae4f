"""Actions of SCons: programs with argument lists, which no shell and no substitution ever sees.

SCons substitutes `$…` in commands, evaluates `${…}` as Python and passes the result to a shell, so
that a file's name could run code. The price: a class of SCons's internal interface (`ActionBase`),
whose version is pinned, and SCons's own tools and builders are not used.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import SCons.Action
import SCons.SConsign
from SCons.Node.Alias import Alias
from SCons.Node.Python import Value

from opsmith.digests import Digests
from opsmith.errors import ToolchainError, printable
from opsmith.guard import FAILED, coded, tell
from opsmith.progress import over_line
from opsmith.steps.making import make_products, show
from opsmith.steps.programs import Builds, run_program
from opsmith.steps.seal import SealedInputs, inputs_of
from opsmith.steps.sealed import Declared, Sealed

Word = str | Callable[[], Sequence[str]]


class StepAction(SCons.Action.ActionBase):  # type: ignore[misc]
    """An SCons action: programs that run one after the other, in the root of the checkout.

    An action with products is skipped where their seal holds; one without, as for `run`, always
    runs. A word of a command may be a function that returns words which are known when the step
    runs.
    """

    varlist: tuple[str, ...] = ()
    targets = "$TARGETS"  # each run makes all targets

    def __init__(
        self,
        commands: Iterable[Sequence[Word]],
        says: str,
        *,
        fresh: str = "",
        sealed: bool = True,
        reusable: bool = True,
        rules: Path | None = None,
        listing: Path | None = None,
        variables: Iterable[str] = (),
    ) -> None:
        self._words = [list(command) for command in commands]
        self._said = (printable(says), printable(fresh), rules, listing, reusable)
        self.sealed = sealed
        self.files: list[Path] = []  # inputs unknown to SCons
        self.found: list[Callable[[], Iterable[Path | str]]] = []  # likewise, found when it runs
        self._work: Sealed | None = None  # known when it runs
        self.variables = tuple(variables)  # environment variables that programs may see at run time
        assert not (sealed and self.variables), "the environment decides no product"

    def __call__(
        self, target: Any, source: Any, env: Any, *rest: Any, **options: Any
    ) -> int | None:
        """Make the targets; returns an exit status, 0 or None on success."""
        executor = options.get("executor")
        targets = executor.get_all_targets() if executor else target
        builds: Builds = env["BUILDS"]
        builds.silent = not SCons.Action.print_actions
        self._work = Sealed(self.commands, *self._said)
        try:
            if not SCons.Action.execute_actions:  # dry run: scons -n
                show(self.work, builds)
                return 0
            if self.sealed:
                declared = [Path(str(target)) for target in targets]
                if builds.notes:
                    builds.steps.append(self._declared(targets))
                inputs_now = partial(self.inputs, targets, builds.digests)
                return make_products(self.work, declared, inputs_now, builds)
            return self._run(builds)
        except (ToolchainError, OSError) as error:
            tell(f"{over_line(sys.stderr)}{coded(error, str(targets[0]))}")
        return FAILED

    @property
    def commands(self) -> list[list[str]]:
        """Argument lists, as far as they are known."""
        return [list(_known(command)) for command in self._words]

    @property
    def work(self) -> Sealed:
        """Contents of the action that decide whether it runs again."""
        return self._work or Sealed(self.commands, *self._said)

    def inputs(self, targets: Sequence[Any], known: Digests) -> SealedInputs:
        """Inputs on which the targets depend, in their current state."""
        values, files = self.sources(targets)
        return inputs_of(self.signature(), values, files, known)

    def sources(self, targets: Sequence[Any]) -> tuple[list[str], set[str]]:
        """Values and files on which the targets depend."""
        nodes = _children(targets)
        values = [str(node.value) for node in nodes if isinstance(node, Value)]
        files = {str(node) for node in nodes if not isinstance(node, (Alias, Value))}
        root = f"{Path.cwd()}{os.sep}"  # relative, so that equal checkouts have equal seals
        paths = [*self.files, *(path for find in self.found for path in find())]
        return values, files | {str(path).removeprefix(root) for path in paths}

    def _declared(self, targets: Sequence[Any]) -> Declared:
        """Declaration of the step for ninja: products, values and files."""
        values, files = self.sources(targets)
        built = [str(node) for node in _children(targets) if node.has_builder()]
        return Declared(self.work, list(map(str, targets)), sorted(values), sorted(files), built)

    def signature(self) -> str:
        """Arguments that decide what is made, as text."""
        return self.work.signature

    def _run(self, builds: Builds) -> int:
        """Run the programs until one fails; returns the exit status of the last."""
        show(self.work, builds)
        for command in self.work.commands:
            locks = builds.locks.descriptors
            ended = run_program(command, builds, locks, None, self.variables)
            if ended.status != 0:
                return ended.status
        return 0

    def get_presig(self, *arguments: Any, **options: Any) -> bytes:
        """Content of the action for SCons: the signature of the step."""
        return self.signature().encode()

    def get_implicit_deps(self, *arguments: Any, **options: Any) -> list[Any]:
        """Implicit dependencies of the action: none, since inputs are declared, and programs count
        by the toolchain's id.
        """
        return []

    def __str__(self) -> str:
        """Text for SCons's records, which are not kept."""
        return self._said[0]


def _known(command: Iterable[Word]) -> Iterator[str]:
    for word in command:
        yield from [word] if isinstance(word, str) else word()


def _children(targets: Sequence[Any]) -> set[Any]:
    return {node for target in targets for node in target.children()}


class NoRecord(SCons.SConsign.Base):  # type: ignore[misc]
    """Stand-in for SCons's database, which an interruption or a second build would make wrong:
    SCons knows only the work of this process, so that it asks each step, and each step asks its
    seal.
    """

    def __init__(self, folder: Any) -> None:
        super().__init__()

    def store_info(self, filename: str, node: Any) -> None:
        """Write nothing, but mark the node as made by this process: SCons scans only such nodes."""
        node.get_stored_info().binfo.merge(node.get_binfo())
