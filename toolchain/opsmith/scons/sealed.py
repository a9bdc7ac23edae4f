"""What is made by programs, and made again only where its seal does not hold; SCons and ninja run
it alike.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.scons.make_rules import read_rules
from opsmith.scons.programs import Builds, check_ending, run_program, say
from opsmith.scons.seal import Inputs, Seal, changed_since, opened

ATTEMPTS = 3  # at a step whose inputs are edited while it runs


class Unsigned(str):
    """An argument that does not decide what is made, such as the path of the checkout."""


@dataclass(frozen=True)
class Sealed:
    """Programs that run one after the other in the root of the checkout, and how to know whether
    they must.
    """

    commands: Sequence[Sequence[str]]
    says: str
    fresh: str = ""  # what is said where there is nothing to do
    rules: Path | None = None  # where the compiler says what it read
    listing: Path | None = None  # a product that names further ones, as sha256sum does
    reusable: bool = True  # False: it runs each time, for what it does besides

    @property
    def signature(self) -> str:
        """The arguments that decide what is made."""
        signed = [
            [word for word in command if not isinstance(word, Unsigned)]
            for command in self.commands
        ]
        return json.dumps(signed)

    def make(
        self, declared: Sequence[Path], inputs_now: Callable[[], Inputs], builds: Builds
    ) -> int:
        """Make the declared products where need be; returns an exit status. Raises BLD023."""
        with opened(declared[0]) as seal:
            inputs = inputs_now()
            products = [*declared, *listed(self.listing)]
            if self.reusable and seal.holds(inputs, products, builds.digests):
                if self.fresh:
                    say(self.fresh)
                self._note(declared, inputs, seal, builds)
                return 0
            seal.broken()
            for _ in range(ATTEMPTS):
                start = time.time_ns()
                status = self._run(builds, seal, inputs)
                if status != 0:
                    return status
                read = self._read(inputs)
                touched = [*inputs.touched(), *changed_since(read, start)]
                if not touched:
                    products = [*declared, *listed(self.listing)]
                    _check_made(products, self.commands[-1])
                    seal.write(inputs, products, builds.digests, read)
                    self._note(declared, inputs, seal, builds)
                    return 0
                inputs = inputs_now()
        fix = "wait until nothing writes it, then build again"
        what = f"changed while {declared[0].name} was made from it, {ATTEMPTS} times"
        raise ToolchainError.of("BLD023", what, where=touched[0], fix=fix)

    def show(self, builds: Builds) -> None:
        """Say what runs, unless nothing is to be said."""
        shown = "\n".join(map(shlex.join, self.commands)) if builds.verbose else self.says
        if shown and not builds.silent:
            say(shown)

    def _run(self, builds: Builds, seal: Seal, inputs: Inputs) -> int:
        self.show(builds)
        for command in self.commands:
            locks = [seal.descriptor, *builds.locks.descriptors]
            status = run_program(command, builds, locks, inputs.files)
            if status != 0:
                if not builds.interrupted:
                    check_ending(command, status)
                return status
        return 0

    def _read(self, inputs: Inputs) -> list[str]:
        """What the compiler says that it read, besides the inputs."""
        files = map(str, read_rules(self.rules)) if self.rules is not None else ()
        return [file for file in files if file not in inputs.files]

    def _note(self, declared: Sequence[Path], inputs: Inputs, seal: Seal, builds: Builds) -> None:
        if builds.notes:
            builds.made[str(declared[0])] = seal.made(inputs)


def listed(file: Path | None) -> list[Path]:
    """The files that a list like that of sha256sum names, beside it; none where there is none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file else []
    except FileNotFoundError:
        return []
    return [file.parent / line.partition("  ")[2].replace("\0", "") for line in lines if file]


def _check_made(products: Sequence[Path], command: Sequence[str]) -> None:
    """Raise BLD024 for a product that is not there."""
    absent = [product for product in products if not product.exists()]
    if absent:
        what, fix = "the step that makes it succeeded without making it", "run it by hand"
        shown = f"{absent[0]}: {shlex.join(command)}"
        raise ToolchainError.of("BLD024", what, where=shown, fix=fix)
