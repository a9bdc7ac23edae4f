"""Builds that may not write, or have too little of something: disk, files, inodes, permissions."""

import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.scons.folders import USED
from tests.stress.checkout import Command, Undisturbed, build, difference, edit, products
from tests.stress.kills import warm_checkout
from tests.stress.outcome import Failure, Tally, refusal
from tests.system.project import PRODUCTS

NOBODY = 65534
PR_CAPBSET_DROP = 24
FILE_SIZES = (0, 100, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
OPEN_FILES = (5, 8, 10, 12, 14, 16, 20, 24, 32)
LEFT = (0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256)  # KiB of the disk
INODES = (1, 2, 4, 8, 16, 24, 32)  # left


@dataclass(frozen=True)
class Starved:
    """A built checkout that is edited, and must build again while it lacks something."""

    right: Undisturbed
    root: Path
    command: Command
    change: str
    tally: Tally

    def expect(self, kind: str, **options: object) -> None:
        """Build a starved checkout: the products are right, or the build is refused with a code and
        changes nothing.
        """
        before = self.final()
        done = build(self.root, self.command.arguments, **options)
        seed = f"{kind}, {self.command.board}"
        if done.status == 0:
            self._compare(seed, done.text)
            self.tally.add(kind, "built")
            return
        wrong = refusal(done.status, done.text)
        if not wrong and self.final() != before:
            wrong = "earlier products are not intact"
        if wrong:
            raise Failure(wrong, seed, self.root, done.text)
        self.tally.add(kind, "refused")

    def mended(self, kind: str) -> None:
        """Build after the want has ended, and require the right bytes."""
        done = build(self.root, self.command.arguments)
        if done.status != 0:
            raise Failure("no build after the cause was gone", kind, self.root, done.text)
        self._compare(kind, done.text)

    def final(self) -> dict[str, bytes]:
        """Bytes of the products that users take."""
        found = products(self.root, self.command)
        return {name: found[name] for name in PRODUCTS if name in found}

    def _compare(self, kind: str, text: str) -> None:
        right = self.right.products(self.command, self.change)
        if wrong := difference(products(self.root, self.command), right):
            raise Failure(wrong, kind, self.root, text)


@contextlib.contextmanager
def starved(
    right: Undisturbed,
    warm: dict[str, Path],
    command: Command,
    tally: Tally,
    name: str,
    change: str = "model",
) -> Iterator[Starved]:
    """A built and then edited checkout; without an edit, one that has lost what RESOLVE makes."""
    root = right.base / name
    shutil.copytree(warm_checkout(right, warm, command.board), root, symlinks=True)
    edit(root, change)
    if not change:
        (used,) = (root / USED).glob("*.json")
        used.unlink()
    yield Starved(right, root, command, change, tally)
    shutil.rmtree(root)


def limited(number: int, value: int) -> Callable[[], None]:
    """Function that sets a limit in a child process."""
    return lambda: resource.setrlimit(number, (value, value))


def limits(right: Undisturbed, warm: dict[str, Path], board: str, tally: Tally) -> None:
    """Build under small limits on the size and the number of open files. Raises Failure."""
    kinds = (("file size", resource.RLIMIT_FSIZE), ("open files", resource.RLIMIT_NOFILE))
    for (kind, number), values in zip(kinds, (FILE_SIZES, OPEN_FILES), strict=True):
        for value in values:
            with starved(right, warm, Command(board), tally, f"limit-{board}-{value}") as want:
                want.expect(f"{kind} {value}", preexec_fn=limited(number, value))
                want.mended(f"{kind} {value}")


@contextlib.contextmanager
def small_disk(where: Path, options: str) -> Iterator[None]:
    """Mount a small disk over a folder, with what the folder has in it. Raises PermissionError."""
    content = where.with_name(f"{where.name}-content")
    shutil.copytree(where, content, symlinks=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "opsmith-stress", str(where)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        shutil.rmtree(content)
        raise PermissionError("a disk cannot be mounted here")
    try:
        shutil.copytree(content, where, symlinks=True, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", str(where)], check=True)
        shutil.rmtree(content)


def full_disk(
    right: Undisturbed,
    warm: dict[str, Path],
    board: str,
    left: int,
    tally: Tally,
    change: str = "model",
) -> None:
    """Build with `left` KiB of the disk free below build/. Raises Failure, PermissionError."""
    with (
        starved(right, warm, Command(board), tally, f"disk-{board}-{left}", change) as want,
        small_disk(want.root / "build", "size=16m"),
    ):
        filler = want.root / "build" / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        os.truncate(filler, filler.stat().st_size - left * 1024)
        want.expect(f"disk full but for {left} KiB")
        filler.unlink()
        want.mended(f"disk {left}")


def no_inodes(
    right: Undisturbed, warm: dict[str, Path], board: str, left: int, tally: Tally
) -> None:
    """Build with `left` inodes free below build/. Raises Failure, PermissionError."""
    with (
        starved(right, warm, Command(board), tally, f"inodes-{board}-{left}") as want,
        small_disk(want.root / "build", "size=16m,nr_inodes=4096"),
    ):
        fillers = want.root / "build" / "fillers"
        fillers.mkdir()
        made = []
        with contextlib.suppress(OSError):
            for number in range(4096):
                made.append(fillers / str(number))
                made[-1].touch()
        for path in [path for path in made if path.exists()][:left]:
            path.unlink()
        want.expect(f"{left} inodes left")
        shutil.rmtree(fillers)
        want.mended(f"inodes {left}")


def without_privilege() -> None:
    """Give up, in a child process, the privilege by which root ignores file modes."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def give_away(paths: Iterable[Path]) -> None:
    """Make a different user the owner of a checkout."""
    for path in paths:
        os.chown(path, NOBODY, NOBODY)


def read_only(
    right: Undisturbed,
    warm: dict[str, Path],
    board: str,
    tally: Tally,
    kinds: Sequence[str] = ("read-only", "only build/ can be written", "read-only, from cold"),
    change: str = "model",
) -> None:
    """Build in a checkout that a different user owns. Raises Failure."""
    if os.getuid() != 0:
        tally.add("another user's", "skipped: root alone can give files away")
        return
    for kind in kinds:
        with starved(right, warm, Command(board), tally, f"modes-{board}", change) as want:
            mine = want.root / "build"
            if kind == "read-only, from cold":
                shutil.rmtree(mine)
            paths = [want.root, *want.root.rglob("*")]
            if kind == "only build/ can be written":
                paths = [path for path in paths if mine not in (path, *path.parents)]
            give_away(paths)
            want.expect(kind, preexec_fn=without_privilege)
            want.mended(kind)
