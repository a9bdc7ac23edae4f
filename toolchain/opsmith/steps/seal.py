"""A seal: a file beside the products of a build step that records from what they were made.

It holds a digest of the commands and of every input, and one of each product. A step breaks the
seal of its products before it starts and writes it when it has succeeded, so that, whatever was
interrupted, edited, reverted or damaged meanwhile, products are used again only if the step would
make equal ones now. There is no other record of what was built.

The file is also a lock: of two builds that share a step, the second waits and finds it done.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opsmith.digests import ABSENT, RECENT, Digests, Stamp, stamp_of


@dataclass(frozen=True)
class SealedInputs:
    """Inputs of a step: digest of commands, values, files; stamps and digests of the files."""

    digest: str
    files: Mapping[str, Stamp]
    digests: Mapping[str, str]  # digests of the files

    def touched(self) -> list[str]:
        """Files that have changed since the digest was taken."""
        return [path for path, stamp in self.files.items() if stamp_of(path) != stamp]


def inputs_of(
    commands: str, values: Iterable[str], files: Iterable[str], known: Digests
) -> SealedInputs:
    """Inputs in their current state. Paths and contents of `files` count."""
    total = hashlib.sha256(commands.encode())
    for value in sorted(values):
        total.update(f"\0value {value}".encode())
    stamps, digests = {}, {}
    for path in sorted(files):
        stamps[path] = stamp_of(path)  # before reading, so that later edits are noticed
        digests[path] = known.of(path, stamps[path])
    total.update("".join(f"\0file {path}\0{digest}" for path, digest in digests.items()).encode())
    return SealedInputs(total.hexdigest(), stamps, digests)


@dataclass(frozen=True)
class Made:
    """Digests by path of a step's inputs, its products, and further files read for them."""

    inputs: Mapping[str, str]
    products: Mapping[str, str]
    read: Mapping[str, str]


class Seal:
    """A seal file, open and locked."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor  # inherited by programs, so that orphans keep the lock

    def holds(self, inputs: SealedInputs, products: Iterable[Path], known: Digests) -> bool:
        """True if the products are whole, and made from these inputs and recorded further files."""
        text = os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0)
        return text == _content(inputs, products, _read(text), known) != b""

    def made(self, inputs: SealedInputs) -> Made:
        """Digests from a seal that holds for these inputs."""
        said = json.loads(os.pread(self.descriptor, os.fstat(self.descriptor).st_size, 0))
        return Made(inputs.digests, said["products"], said["read"])

    def broken(self) -> None:
        """Mark the products as unreliable."""
        os.ftruncate(self.descriptor, 0)

    def write(
        self,
        inputs: SealedInputs,
        products: Iterable[Path],
        known: Digests,
        read: Iterable[str] = (),
    ) -> None:
        """Record that the products are whole, made from these inputs and other files `read`."""
        self.broken()
        os.pwrite(self.descriptor, _content(inputs, products, read, known), 0)


@contextmanager
def opened(first: Path) -> Iterator[Seal]:
    """Seal of the products among which is `first`, once no other process has it."""
    path = seal_file(first)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Seal(descriptor)
    finally:
        os.close(descriptor)


def seal_file(product: Path) -> Path:
    """Path of the seal of a product."""
    return product.with_name(f".{product.name}.seal")


def changed_since(paths: Iterable[str], moment: int, earlier: Mapping[str, Stamp]) -> list[str]:
    """Files that may have been written since `moment`, in nanoseconds, or that are missing. A file
    from the future, since the clock was set back, must have its earlier stamp.
    """
    now = time.time_ns()
    stamps = {path: stamp_of(path) for path in paths}
    return [
        path
        for path, stamp in stamps.items()
        if stamp == ABSENT
        or (stamp[2] > moment - RECENT and (stamp[2] < now or earlier.get(path) != stamp))
    ]


def _content(
    inputs: SealedInputs, products: Iterable[Path], read: Iterable[str], known: Digests
) -> bytes:
    """Content of the seal for inputs, products and further files; empty if a product is absent."""
    made = {str(path): known.of(str(path)) for path in products}
    if "absent" in made.values():
        return b""
    others = {path: known.of(path) for path in read}
    said = {"inputs": inputs.digest, "products": made, "read": others}
    return json.dumps(said, indent=1).encode() + b"\n"


def _read(text: bytes) -> list[str]:
    """Further files that a seal records as read; none where it is damaged."""
    try:
        return [str(path) for path in json.loads(text)["read"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
