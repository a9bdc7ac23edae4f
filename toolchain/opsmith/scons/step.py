"""What SCons runs: programs with argument lists, which no shell and no substitution ever sees."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import SCons.Action
import SCons.SConsign
from SCons.Node.Alias import Alias
from SCons.Node.Python import Value

from opsmith.errors import ToolchainError, printable
from opsmith.guard import FAILED, NOBODY_READS, coded, tell
from opsmith.home import GET_PROGRAMS
from opsmith.scons.lock import Locks
from opsmith.scons.make_rules import read_rules
from opsmith.scons.seal import Digests, Inputs, changed_since, inputs_of, opened
from opsmith.scons.warm import WarmCommands

ATTEMPTS = 3  # at a step whose inputs are edited while it runs
QUIET = {-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, 128 + signal.SIGINT, 128 + signal.SIGTERM}
MOST_SAID = 1 << 20  # bytes of what a command of ours writes to stderr
NOTICED = 0.05  # seconds within which we know of the signal that ended a program
LATEST = 2.0  # likewise, where its status says that a signal did
INTERRUPTED = 128 + signal.SIGINT


class Unsigned(str):
    """An argument that does not decide what is made, such as the path of the checkout."""


class Builds:
    """What all steps of one build share."""

    def __init__(self, environ: dict[str, str], *, verbose: bool = False) -> None:
        self.environ = environ
        self.verbose = verbose
        self.digests = Digests()
        self.locks = Locks()
        self.commands = WarmCommands(environ)
        self.interrupted = False


class Step(SCons.Action.ActionBase):  # type: ignore[misc]
    """An SCons action: programs that run one after the other, in the root of the checkout.

    With products it is skipped where their seal holds; without, as for `run`, it always runs.
    """

    varlist: tuple[str, ...] = ()
    targets = "$TARGETS"  # each run makes all of them

    def __init__(
        self,
        commands: Iterable[Sequence[str]],
        says: str,
        *,
        fresh: str = "",
        sealed: bool = True,
        reusable: bool = True,
        rules: Path | None = None,
        listing: Path | None = None,
        variables: Iterable[str] = (),
    ) -> None:
        self.commands = [list(command) for command in commands]
        self.says = printable(says)
        self.fresh = printable(fresh)  # what is said where there is nothing to do
        self.sealed = sealed
        self.files: list[Path] = []  # inputs that SCons does not know
        self.rules = rules  # where the compiler says what it read
        self.listing = listing  # a product that names further ones, as sha256sum does
        self.reusable = reusable  # False: it runs each time, for what it does besides
        self.variables = tuple(variables)  # of the environment, which programs that run may see
        assert not (sealed and self.variables), "the environment decides no product"

    def __call__(
        self, target: Any, source: Any, env: Any, *rest: Any, **options: Any
    ) -> int | None:
        """Make the targets; returns an exit status, 0 or None when all went well."""
        executor = options.get("executor")
        targets = executor.get_all_targets() if executor else target
        builds: Builds = env["BUILDS"]
        try:
            if self.sealed:
                return self._make(targets, builds)
            return self._run(builds, [])
        except (ToolchainError, OSError) as error:
            tell(str(coded(error, str(targets[0]))))
        return FAILED

    def _make(self, targets: Sequence[Any], builds: Builds) -> int:
        declared = [Path(str(target)) for target in targets]
        if not SCons.Action.execute_actions:  # scons -n
            return self._run(builds, [])
        with opened(declared[0]) as seal:
            inputs = self.inputs(targets, builds.digests)
            products = [*declared, *listed(self.listing)]
            if self.reusable and seal.holds(inputs, products, builds.digests):
                if self.fresh:
                    _say(self.fresh)
                return 0
            seal.broken()
            for _ in range(ATTEMPTS):
                start = time.time_ns()
                status = self._run(builds, [seal.descriptor], inputs)
                if status != 0:
                    return status
                read = self._read(inputs)
                touched = [*inputs.touched(), *changed_since(read, start)]
                if not touched:
                    products = [*declared, *listed(self.listing)]
                    _check_made(products, self.commands[-1])
                    seal.write(inputs, products, builds.digests, read)
                    return 0
                inputs = self.inputs(targets, builds.digests)
        fix = "wait until nothing writes it, then build again"
        what = f"changed while {declared[0].name} was made from it, {ATTEMPTS} times"
        raise ToolchainError.of("BLD023", what, where=touched[0], fix=fix)

    def _read(self, inputs: Inputs) -> list[str]:
        """What the compiler says that it read, besides the inputs."""
        files = map(str, read_rules(self.rules)) if self.rules is not None else ()
        return [file for file in files if file not in inputs.files]

    def inputs(self, targets: Sequence[Any], known: Digests) -> Inputs:
        """What the targets depend on, as it is now."""
        nodes = {node for target in targets for node in target.children()}
        values = [str(node.value) for node in nodes if isinstance(node, Value)]
        files = [str(node) for node in nodes if not isinstance(node, (Alias, Value))]
        root = f"{Path.cwd()}{os.sep}"  # equal checkouts have equal seals, wherever they are
        files += [str(path).removeprefix(root) for path in self.files]
        return inputs_of(self.signature(), values, set(files), known)

    def signature(self) -> str:
        """The arguments that decide what is made."""
        signed = [
            [word for word in command if not isinstance(word, Unsigned)]
            for command in self.commands
        ]
        return json.dumps(signed)

    def _run(self, builds: Builds, locks: Sequence[int], inputs: Inputs | None = None) -> int:
        """Run the programs until one fails; the exit status of the last."""
        shown = "\n".join(map(shlex.join, self.commands)) if builds.verbose else self.says
        if shown and SCons.Action.print_actions:
            _say(shown)
        if not SCons.Action.execute_actions:
            return 0
        for command in self.commands:
            held = [*locks, *builds.locks.descriptors]
            status = _run(command, builds, held, inputs, self.variables)
            if status != 0 and self.sealed and not builds.interrupted:
                _check(command, status)
            if status != 0:
                return status
        return 0

    def get_presig(self, *arguments: Any, **options: Any) -> bytes:
        """What SCons takes as the content of this action."""
        return self.signature().encode()

    def get_implicit_deps(self, *arguments: Any, **options: Any) -> list[Any]:
        """None: what a step reads is declared, and programs count by the toolchain's id."""
        return []

    def __str__(self) -> str:
        return "\n".join(map(shlex.join, self.commands))


def listed(file: Path | None) -> list[Path]:
    """The files that a list like that of sha256sum names, beside it; none where there is none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file else []
    except FileNotFoundError:
        return []
    return [file.parent / line.partition("  ")[2].replace("\0", "") for line in lines if file]


class NoRecord(SCons.SConsign.Base):  # type: ignore[misc]
    """In place of SCons's database, which an interruption or a second build would make wrong: SCons
    knows only what this process did, so that it asks each step, and each step asks its seal.
    """

    def __init__(self, folder: Any) -> None:
        super().__init__()

    def store_info(self, filename: str, node: Any) -> None:
        """Write nothing, but know that this process made the node: SCons scans it only then."""
        node.get_stored_info().binfo.merge(node.get_binfo())


def _check_made(products: Sequence[Path], command: Sequence[str]) -> None:
    """Raise BLD024 for a product that is not there."""
    absent = [product for product in products if not product.exists()]
    if absent:
        what, fix = "the step that makes it ended well and did not make it", "run it by hand"
        shown = f"{absent[0]}: {shlex.join(command)}"
        raise ToolchainError.of("BLD024", what, where=shown, fix=fix)


def _say(text: str) -> None:
    with contextlib.suppress(AttributeError):  # there is no stdout
        sys.stdout.write(f"{text}\n")  # at once: steps run side by side
        sys.stdout.flush()


def _run(
    command: Sequence[str],
    builds: Builds,
    locks: Sequence[int],
    inputs: Inputs | None,
    variables: Sequence[str],
) -> int:
    # What our own commands say of an interruption, before and after they can handle it, is dropped.
    with tempfile.TemporaryFile() as said:  # not a pipe, which what runs on would keep open
        held = said if _ours(command) else None
        status = _status(command, builds, locks, held, inputs, variables)
        said.seek(0)
        output = said.read(MOST_SAID).decode("utf-8", "backslashreplace")
    if status != 0:
        _wait_for_signal(builds, LATEST if status in QUIET else NOTICED)
    if builds.interrupted:
        return INTERRUPTED
    if output:
        sys.stderr.write(output)
        sys.stderr.flush()
    if status < 0 and status not in QUIET:
        name = signal_name(-status)
        what = f"was ended by {name}"
        full = name == "SIGXFSZ"
        fix = "raise the limit of the size of files" if full else "give the machine more memory"
        raise ToolchainError.of("BLD025", what, where=shlex.join(command), fix=fix)
    return 128 - status if status < 0 else status


def _wait_for_signal(builds: Builds, longest: float) -> None:
    """Wait until this process, too, knows that it was interrupted; at most so many seconds."""
    end = time.monotonic() + longest
    while not builds.interrupted and time.monotonic() < end:
        time.sleep(NOTICED / 5)


def _status(
    command: Sequence[str],
    builds: Builds,
    locks: Sequence[int],
    held: IO[bytes] | None,
    inputs: Inputs | None,
    variables: Sequence[str],
) -> int:
    more = {name: os.environ[name] for name in variables if name in os.environ}
    try:
        if held is not None and inputs is not None:
            return builds.commands.run(command, held.fileno(), locks, inputs.files)
        return subprocess.run(
            command, env=builds.environ | more, pass_fds=locks, stderr=held, check=False
        ).returncode
    except FileNotFoundError:
        what, fix = "is not installed", GET_PROGRAMS
        raise ToolchainError.of("BLD010", what, where=command[0], fix=fix) from None


def signal_name(number: int) -> str:
    """SIGKILL, or `signal 35` where Python has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _ours(command: Sequence[str]) -> bool:
    return tuple(command[1:3]) == ("-m", "opsmith")


def _check(command: Sequence[str], status: int) -> None:
    """Raise BLD034 where nothing that a program said has a code."""
    if status in (FAILED, NOBODY_READS) and _ours(command):
        return
    what = f"{Path(command[0]).name} ended with exit status {status}"
    fix = "correct what it says above"
    raise ToolchainError.of("BLD034", what, where=shlex.join(command), fix=fix)
