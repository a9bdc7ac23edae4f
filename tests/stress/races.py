"""Four builds at once in one checkout, from cold and from warm, with edits between rounds."""

import random
import shutil
from pathlib import Path

from tests.stress.checkout import (
    MODEL,
    MODELS,
    Command,
    Undisturbed,
    difference,
    edit,
    ended,
    products,
    start,
)
from tests.stress.outcome import Failure, Tally

HOST, ARM = Command("host"), Command("mps2_an386")
SMALL_HOST, SMALL_ARM = HOST.edited("option"), ARM.edited("option")
A, B = (Command("host", model) for model in MODELS)
ROUNDS = {
    "one model four times": (HOST, HOST, HOST, HOST),
    "one model twice, two others": (HOST, HOST, A, B),
    "two opts, two boards": (HOST, Command("host", opt="size"), ARM,
                             Command(ARM.board, opt="size")),
    "two models, two boards": (A, B, ARM, ARM),
}  # fmt: skip


def race_checkout(right: Undisturbed, name: str) -> Path:
    """A checkout with three models."""
    root = right.checkout(name)
    for path, content in MODELS.items():
        (root / path).parent.mkdir()
        (root / path).write_bytes(content)
    return root


def race(
    right: Undisturbed, root: Path, kind: str, change: str, tally: Tally, seed: object
) -> None:
    """Start four builds, wait for all and compare each with an undisturbed one. Raises Failure."""
    edit(root, change)
    cold = not (root / "build").exists()
    started = [(command, start(root, command.arguments)) for command in ROUNDS[kind]]
    for command, done in [(command, ended(process)) for command, process in started]:
        wrong = difference(products(root, command), right.products(command, change))
        if done.status != 0 or wrong or "Traceback" in done.text:
            what = f"{wrong or f'exit status {done.status}'}: {kind}, {command}, {change}"
            raise Failure(what, seed, root, done.text)
        waited = "waited" if "waiting for another build" in done.text else "right"
        tally.add(f"{kind}, {'cold' if cold else 'warm'}", waited)


def races(right: Undisturbed, count: int, seed: int, tally: Tally) -> None:
    """Run N rounds of races, half of them from cold. Raises Failure."""
    rng = random.Random(seed)
    root = race_checkout(right, "races")
    for number in range(count):
        kind = list(ROUNDS)[number % len(ROUNDS)]
        if number // len(ROUNDS) % 2 == 0:
            shutil.rmtree(root / "build", ignore_errors=True)
        race(right, root, kind, rng.choice(("", "op", "kernel")), tally, f"{seed} {number}")
    assert MODEL not in MODELS
    shutil.rmtree(root)
