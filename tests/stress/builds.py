"""`python -m tests.stress.builds kills|races|starvation|damage|ninja`: builds that are killed,
raced, starved and damaged, and builds by ninja after edits, kills and damage. Prints what was
counted; ends with 1 at the first thing that must not happen.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.stress.checkout import TARGETS, Undisturbed
from tests.stress.damage import damages
from tests.stress.edits import edits
from tests.stress.kills import kill_at_moments, kill_at_steps, tried
from tests.stress.outcome import Failure, Tally
from tests.stress.races import races
from tests.stress.starvation import INODES, LEFT, full_disk, limits, no_inodes, read_only


def main(argv: list[str]) -> int:
    """Run the stress that the command line names; returns 0, or 1 after the first failure, whose
    checkout is kept.
    """
    options = _parser().parse_args(argv)
    base = Path(tempfile.mkdtemp(prefix="opsmith-stress-"))
    base.chmod(0o755)  # another user builds in it as well
    began = time.monotonic()
    for name in options.what or STRESSES:
        tally = Tally(name)
        try:
            STRESSES[name](Undisturbed(base / name), options, tally)
        except Failure as failure:
            print(f"{tally}\n\n{failure}", flush=True)
            return 1
        print(f"{tally}, {time.monotonic() - began:.0f} s", flush=True)
    shutil.rmtree(base)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.builds", description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *STRESSES], help="default: all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--count", type=int, default=200, help="kills at random moments, builds by ninja"
    )
    parser.add_argument("--rounds", type=int, default=20, help="of four builds at once")
    parser.add_argument("--share", type=float, default=1.0, help="of the damages")
    return parser


def _kills(right: Undisturbed, options: argparse.Namespace, tally: Tally) -> None:
    warm: dict[str, Path] = {}
    plans = [*kill_at_steps(options.seed), *kill_at_moments(options.seed, options.count)]
    for number, plan in enumerate(plans):
        tried(plan, right, warm, tally, f"{options.seed} {number}")
        if number % 10 == 9:
            print(f"{number + 1} of {len(plans)}", file=sys.stderr, flush=True)


def _races(right: Undisturbed, options: argparse.Namespace, tally: Tally) -> None:
    races(right, options.rounds, options.seed, tally)


def _starvation(right: Undisturbed, options: argparse.Namespace, tally: Tally) -> None:
    warm: dict[str, Path] = {}
    for board in TARGETS:
        limits(right, warm, board, tally)
        read_only(right, warm, board, tally)
        try:
            for left in LEFT:
                full_disk(right, warm, board, left, tally)
            for left in INODES:
                no_inodes(right, warm, board, left, tally)
        except PermissionError:
            tally.add("full disk", "skipped: it cannot be mounted")


def _damages(right: Undisturbed, options: argparse.Namespace, tally: Tally) -> None:
    damages(right, list(TARGETS), options.share, options.seed, tally)


def _ninja(right: Undisturbed, options: argparse.Namespace, tally: Tally) -> None:
    for board in TARGETS:
        edits(right, board, options.count // 2, options.seed, tally)


STRESSES: dict[str, Callable[[Undisturbed, argparse.Namespace, Tally], None]] = {
    "kills": _kills,
    "races": _races,
    "starvation": _starvation,
    "damage": _damages,
    "ninja": _ninja,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
