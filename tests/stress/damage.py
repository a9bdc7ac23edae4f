"""Any one file below build/ is cut, altered, emptied or lost: the next build makes all right."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.stress.checkout import Command, Undisturbed, build, difference, products
from tests.stress.kills import warm_checkout
from tests.stress.outcome import Failure, Tally


def _cut(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content) or 1)])


def _altered(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes() or b"\0")
    at = rng.randrange(len(content))
    content[at] = (content[at] + 1) % 256 if content[at : at + 1].isdigit() else content[at] ^ 1
    path.write_bytes(content)


def _lost(path: Path, rng: random.Random) -> None:
    path.unlink()


def _emptied(path: Path, rng: random.Random) -> None:
    path.write_bytes(b"")


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "cut": _cut,
    "altered": _altered,
    "emptied": _emptied,
    "lost": _lost,
}


def damageable(root: Path) -> list[Path]:
    """Every file below build/, relative to the checkout."""
    files = (path for path in (root / "build").rglob("*") if path.is_file())
    return sorted(path.relative_to(root) for path in files)


def damaged(root: Path, board: str, right: Undisturbed, file: Path, how: str, seed: object) -> None:
    """Damage one file of a built checkout, build, and compare. Raises Failure."""
    if (root / file).is_file():  # not where a build has taken it away
        DAMAGES[how](root / file, random.Random(f"{seed}"))
    command = Command(board)
    done = build(root, command.arguments)
    wrong = difference(products(root, command), right.products(command))
    if done.status != 0 or wrong or "Traceback" in done.text:
        what = f"{wrong or f'exit status {done.status}'}: {file} {how}, {board}"
        raise Failure(what, seed, root, done.text)


def damages(right: Undisturbed, boards: list[str], share: float, seed: int, tally: Tally) -> None:
    """Damage each file in each way, or a random share of both. Raises Failure."""
    for board in boards:
        root = right.base / f"damage-{board}"
        shutil.copytree(warm_checkout(right, {}, board), root, symlinks=True)
        for file in damageable(root):
            for how in DAMAGES:
                key = f"{seed} {board} {file} {how}"
                if random.Random(key).random() < share:
                    damaged(root, board, right, file, how, key)
                    tally.add(file.suffix.removeprefix(".") or file.name, how)
        shutil.rmtree(root)
