"""Makes products of programs, where their seal does not hold; for SCons and ninja alike."""

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from opsmith.digests import Stamp, stamp_of
from opsmith.errors import ToolchainError
from opsmith.steps.make_rules import read_rules
from opsmith.steps.programs import Builds, check_ending, run_program, say
from opsmith.steps.seal import Seal, SealedInputs, changed_since, opened
from opsmith.steps.sealed import Sealed, listed

ATTEMPTS = 3  # attempts at a step whose inputs are edited while it runs


def make_products(
    work: Sealed, declared: Sequence[Path], inputs_now: Callable[[], SealedInputs], builds: Builds
) -> int:
    """Make the declared products if needed; returns an exit status. Raises BLD023."""
    with opened(declared[0]) as seal:
        inputs = inputs_now()
        products = [*declared, *listed(work.listing)]
        if work.reusable and seal.holds(inputs, products, builds.digests):
            if work.fresh:
                say(work.fresh)
            _note(declared, inputs, seal, builds)
            return 0
        seal.broken()
        if builds.cache and work.reusable and _restored(work, declared, inputs, seal, builds):
            _note(declared, inputs, seal, builds)
            return 0
        earlier = dict[str, Stamp]()  # of files that the attempt before this one read
        for _ in range(ATTEMPTS):
            start = time.time_ns()
            status = _run(work, builds, seal, inputs)
            if status != 0:
                return status
            read = _read(work, inputs)
            touched = [*inputs.touched(), *changed_since(read, start, earlier)]
            if not touched:
                products = [*declared, *listed(work.listing)]
                _check_made(products, work.commands[-1])
                seal.write(inputs, products, builds.digests, read)
                if builds.cache and work.reusable:
                    digests = {path: builds.digests.of(path) for path in read}
                    also = (
                        [] if work.rules is None else [work.rules]
                    )  # read by the record of a firmware
                    builds.cache.store(inputs, declared, [*products, *also], digests)
                _note(declared, inputs, seal, builds)
                return 0
            inputs, earlier = inputs_now(), {path: stamp_of(path) for path in read}
    fix = "wait until nothing writes it, then build again"
    what = f"changed while {declared[0].name} was made from it, {ATTEMPTS} times"
    raise ToolchainError.of("BLD023", what, where=touched[0], fix=fix)


def _restored(
    work: Sealed, declared: Sequence[Path], inputs: SealedInputs, seal: Seal, builds: Builds
) -> bool:
    """True if the cache has the products, which are then written and sealed."""
    assert builds.cache
    read = builds.cache.restore(inputs, declared, work, builds.digests)
    if read is None:
        return False
    products = [*declared, *listed(work.listing)]
    _check_made(products, work.commands[-1])
    seal.write(inputs, products, builds.digests, read)
    if work.says and not builds.silent:
        say(f"CACHED {work.says}")
    return True


def show(work: Sealed, builds: Builds) -> None:
    """Print the step that runs, unless the build is silent."""
    shown = "\n".join(map(shlex.join, work.commands)) if builds.verbose else work.says
    if shown and not builds.silent:
        say(shown)


def _run(work: Sealed, builds: Builds, seal: Seal, inputs: SealedInputs) -> int:
    show(work, builds)
    for command in work.commands:
        locks = [seal.descriptor, *builds.locks.descriptors]
        ended = run_program(command, builds, locks, inputs.files)
        if ended.status != 0:
            if not builds.interrupted:
                check_ending(command, ended, builds.verbose)
            return ended.status
    return 0


def _read(work: Sealed, inputs: SealedInputs) -> list[str]:
    """Files that the compiler reports as read, besides the inputs."""
    files = map(str, read_rules(work.rules)) if work.rules is not None else ()
    return [file for file in files if file not in inputs.files]


def _note(declared: Sequence[Path], inputs: SealedInputs, seal: Seal, builds: Builds) -> None:
    if builds.notes:
        builds.made[str(declared[0])] = seal.made(inputs)


def _check_made(products: Sequence[Path], command: Sequence[str]) -> None:
    """Raise BLD024 for a product that is missing after its step."""
    absent = [product for product in products if not product.exists()]
    if absent:
        what, fix = "the step that makes it succeeded without making it", "run it by hand"
        shown = f"{absent[0]}: {shlex.join(command)}"
        raise ToolchainError.of("BLD024", what, where=shown, fix=fix)
