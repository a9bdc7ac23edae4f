"""A folder of products that builds share, across checkouts and machines: `cache=DIR`.

An entry is named after everything that decides a step's products, and carries a code over its name
and its content that only owners of the user's key can write. Any other file in it is reported on
stderr, and the step runs as if there were none.

SCons's CacheDir would not do: nothing verifies its entries, and ninja does not know it. This cache
is asked where a seal does not hold, by SCons and ninja alike. The price: a secret key, since only
that distinguishes entries from forged ones.
"""

import contextlib
import hashlib
import hmac
import json
import os
import platform
import stat
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from opsmith.digests import Digests
from opsmith.errors import ToolchainError, printable, system_fix
from opsmith.steps.cache_key import read_key
from opsmith.steps.seal import SealedInputs
from opsmith.steps.sealed import Sealed

MAGIC = b"opsmith cache 1\n"
CODE = hashlib.sha256().digest_size
MOST_BYTES = 1 << 30
COMPUTING = ("numpy", "tflite", "ai-edge-litert")  # packages that affect the output of commands


class BadEntry(Exception):
    """Reason why an entry of the cache is rejected."""


@dataclass(frozen=True)
class CacheEntry:
    """Products of a step: content and executable flag, by path; and digests of further files that
    were read for them.
    """

    products: Mapping[str, tuple[bytes, bool]]
    read: Mapping[str, str]


class Cache:
    """Cache of a build; several threads may use it. Raises BLD115 where it cannot be used."""

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self.folder, self.readonly = folder.absolute(), readonly
        self._key = read_key()
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._root = self.folder / _named(self._key, "folder")[:16]  # folder of users with this key
        try:
            if not readonly:
                self._root.mkdir(parents=True, exist_ok=True)
            os.scandir(self.folder).close()
            usable = readonly or os.access(self._root, os.W_OK | os.X_OK)
        except OSError as error:
            what, fix = f"cannot be used: {error.strerror}", system_fix(error)
            fix = fix or "name a folder that you may write"
            raise ToolchainError.of("BLD115", what, where=f"cache={folder}", fix=fix) from error
        if not usable:
            what, fix = "cannot be written", "add cache_readonly=1, or name a folder of yours"
            raise ToolchainError.of("BLD115", what, where=f"cache={folder}", fix=fix)

    def restore(
        self, inputs: SealedInputs, declared: Sequence[Path], work: Sealed, known: Digests
    ) -> list[str] | None:
        """Write the products of a step from an entry; returns the further files that were read for
        them, None where no valid entry exists.
        """
        name = self._name(inputs, declared)
        try:
            entry = self._entry(name)
            _check_products(entry, declared, work)
        except BadEntry as error:
            self._count("damaged")
            _warn(f"{self._path(name)} {error}: the step runs, and its products are not taken")
            return None
        except FileNotFoundError:
            self._count("missed")
            return None
        if any(known.of(path) != digest for path, digest in entry.read.items()):
            self._count("missed")  # for example a header of another system
            return None
        for path, (content, executable) in entry.products.items():
            _replace(Path(path), content, 0o777 if executable else 0o666)
        self._count("found")
        return [*entry.read]

    def store(
        self,
        inputs: SealedInputs,
        declared: Sequence[Path],
        products: Sequence[Path],
        read: Mapping[str, str],
    ) -> None:
        """Store the products of a step that succeeded; a failure is reported, but ends no build."""
        if self.readonly:
            return
        name = self._name(inputs, declared)
        content = _packed({str(path): path for path in products}, read)
        code = self._code(name, content)
        try:
            with self._opened(name, make=True) as folder:
                _replace(Path(name), MAGIC + code + content, 0o644, folder)
            self._count("stored")
        except (OSError, BadEntry) as error:
            self._count("not stored")
            _warn(f"{self._path(name)} cannot be written: {error}")

    def summary(self) -> str:
        """Hit rate of the cache in a build, as text."""
        asked = sum(self._counts[each] for each in ("found", "missed", "damaged"))
        if not asked:
            return f"cache={self.folder}: not asked, since nothing was out of date"
        found = self._counts["found"]
        more = [f"{self._counts[each]} {each}" for each in ("damaged", "stored", "not stored")]
        more = [each for each in more if not each.startswith("0 ")]
        rate = f"{found} of {asked} steps found, {100 * found // asked} %"
        return "; ".join([f"cache={self.folder}: {rate}", *more])

    def _name(self, inputs: SealedInputs, declared: Sequence[Path]) -> str:
        said = [_computing(), inputs.digest, *map(str, declared)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def _path(self, name: str) -> Path:
        return self._root / name[:2] / name

    def _entry(self, name: str) -> CacheEntry:
        """Entry of a name. Raises FileNotFoundError and BadEntry."""
        try:
            with self._opened(name) as folder:
                data = _whole(name, folder)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise BadEntry(f"cannot be read ({error.strerror})") from error
        start = len(MAGIC) + CODE
        code = data[len(MAGIC) : start]
        content = data[start:]
        if data[: len(MAGIC)] != MAGIC or not hmac.compare_digest(code, self._code(name, content)):
            raise BadEntry("is not what was stored under this name by who has your key")
        return _unpacked(content)

    def _code(self, name: str, content: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\0" + content, "sha256")

    @contextlib.contextmanager
    def _opened(self, name: str, make: bool = False) -> Iterator[int]:
        """Descriptor of the folder of an entry, opened without following links."""
        folder = self._path(name).parent
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        how = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder, how)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1


def _named(key: bytes, what: str) -> str:
    return hmac.digest(key, what.encode(), "sha256").hex()


def _computing() -> str:
    """Versions of Python and packages, and the machine, which affect products as files do."""
    found = [sys.version, platform.machine()]
    for package in COMPUTING:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return "\n".join(found)


def _whole(name: str, folder: int) -> bytes:
    """Content of a regular file without further hard links."""
    how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, how, dir_fd=folder)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise BadEntry("is no file of its own, but a link, a folder or a device")
        if found.st_size > MOST_BYTES:
            raise BadEntry(f"has {found.st_size:,} bytes")
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(MOST_BYTES)
    finally:
        os.close(descriptor)


def _packed(products: Mapping[str, Path], read: Mapping[str, str]) -> bytes:
    contents = [path.read_bytes() for path in products.values()]
    described = [
        [name, len(content), os.access(path, os.X_OK)]
        for (name, path), content in zip(products.items(), contents, strict=True)
    ]
    head = json.dumps({"products": described, "read": dict(read)}).encode()
    return b"".join([head, b"\n", *contents])


def _unpacked(content: bytes) -> CacheEntry:
    head, _, rest = content.partition(b"\n")
    said, products = json.loads(head), {}
    for path, size, executable in said["products"]:
        products[path], rest = (rest[:size], executable), rest[size:]
    return CacheEntry(products, said["read"])


def _check_products(entry: CacheEntry, declared: Sequence[Path], work: Sealed) -> None:
    """Raise BadEntry for an entry with other products than the step makes."""
    names, listing = [*entry.products], work.listing
    beside = None if listing is None else f"{listing.parent}{os.sep}"
    others = {*names[len(declared) :]} - {str(work.rules)}
    if names[: len(declared)] != [*map(str, declared)] or not all(
        beside and each.startswith(beside) and ".." not in each.split(os.sep) for each in others
    ):
        raise BadEntry("has products of another step")


def _replace(path: Path, content: bytes, mode: int, folder: int | None = None) -> None:
    """Write a file in one step, in an open folder if one is given."""
    if folder is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    new = f"{path}.{os.getpid()}.{threading.get_ident()}.cached"
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with open(os.open(new, how, mode, dir_fd=folder), "wb") as stream:
            stream.write(content)
        os.replace(new, path, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=folder)
        raise


def _warn(text: str) -> None:
    print(f"cache: {printable(text)}", file=sys.stderr, flush=True)
