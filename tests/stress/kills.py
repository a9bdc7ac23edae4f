"""Builds that are killed, at every step and at any moment, with edits before and after."""

import os
import random
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.stress.checkout import (
    EDITS,
    LONGEST_BUILD,
    TARGETS,
    Command,
    Ended,
    Undisturbed,
    build,
    difference,
    edit,
    ended,
    products,
    start,
)
from tests.stress.outcome import Failure, Tally

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
STEPS = ("RESOLVE", "BIND", "CONVERT", "CC", "LINK", "publish")
STEP_OR_RESULT = re.compile(
    r"[A-Z]+ [\w.]+$|build/\S+ (for|is up to date)|  |waiting for another build of "
)
NEW = ("report.json.new", "plan.svg.new", "firmware.hex.new")  # there while products are replaced
WITHIN = 0.4  # seconds after the step began
LONGEST_PART = 4.0  # seconds of a build from cold on a machine that does nothing else


@dataclass(frozen=True)
class Kill:
    """Signal of a kill, the processes that get it, and its time."""

    signal: signal.Signals
    group: bool  # every process of the build, or scons alone
    step: str  # or "", a moment
    delay: float  # seconds after the step began, or the build

    def __str__(self) -> str:
        when = f"{self.step} + {self.delay:.3f} s" if self.step else f"{self.delay:.3f} s"
        return f"{self.signal.name} {'group' if self.group else 'alone'} at {when}"


@dataclass(frozen=True)
class Plan:
    """Plan of a trial: builds that are killed, each after an edit, and the final edit."""

    board: str
    warm: bool  # the checkout as it was has been built before
    killed: tuple[tuple[str, Kill], ...]
    last: str
    run: bool  # the firmware too

    def __str__(self) -> str:
        parts = [f"{change or 'as it was'} ({kill})" for change, kill in self.killed]
        parts = ["warm" if self.warm else "cold", *parts, self.last or "as it was"]
        return f"{self.board}: {' -> '.join(parts)}"


def kill_at_steps(seed: int) -> Iterator[Plan]:
    """Plans of kills by each signal to each receiver at each step."""
    for step in STEPS:
        for number in SIGNALS:
            for group in (False, True):
                rng = random.Random(f"{seed} {step} {number} {group}")
                yield _plan(rng, Kill(number, group, step, rng.uniform(0, WITHIN)))


def kill_at_moments(seed: int, count: int) -> Iterator[Plan]:
    """Plans of N kills, each of any kind."""
    for index in range(count):
        rng = random.Random(f"{seed} {index}")
        yield _plan(rng, _any_kill(rng))


def _any_kill(rng: random.Random) -> Kill:
    return Kill(rng.choice(SIGNALS), rng.random() < 0.5, "", rng.uniform(0.2, LONGEST_PART))


def _plan(rng: random.Random, kill: Kill) -> Plan:
    """Random plan of a kill: the edit is mostly reverted afterwards, or stays, and a second kill
    may follow.
    """
    board, warm = rng.choice(list(TARGETS)), rng.random() < 0.5 and kill.step != "BIND"
    change = rng.choice(EDITS) if warm or rng.random() < 0.7 else ""
    if kill.step in ("RESOLVE", "CONVERT") and warm:
        change = "op"  # else these would not run
    killed = [(change, kill)]
    if rng.random() < 0.3:
        killed.append((rng.choice(("", *EDITS)), _any_kill(rng)))
    last = rng.choice(("", "", *(each for each, _ in killed)))
    return Plan(board, warm, tuple(killed), last, rng.random() < 0.25)


def tried(
    plan: Plan, right: Undisturbed, warm: dict[str, Path], tally: Tally, seed: object
) -> None:
    """Do what the plan says and compare. Raises Failure; the checkout is kept then."""
    base = warm_checkout(right, warm, plan.board) if plan.warm else right.pristine
    root = right.base / f"trial-{seed}".replace(" ", "-")
    shutil.copytree(base, root, symlinks=True)
    for change, kill in plan.killed:
        edit(root, change)
        done, hit = killed_build(root, Command(plan.board).edited(change), kill)
        if hit == "killed" and (wrong := noise(done, kill)):
            raise Failure(f"{wrong}: {plan}", seed, root, done.text)
        tally.add(f"{kill.signal.name} {'group' if kill.group else 'alone'} {kill.step}", hit)
    edit(root, plan.last)
    command = Command(plan.board).edited(plan.last)
    done = build(root, command.arguments + ["run"] * plan.run)
    wrong = difference(products(root, command), right.products(command, plan.last))
    if done.status != 0 or wrong or "Traceback" in done.text:
        raise Failure(f"{wrong or 'no build'}: {plan}", seed, root, done.text)
    tally.add("the next build", "right, and runs" if plan.run else "right")
    shutil.rmtree(root)


def noise(done: Ended, kill: Kill) -> str:
    """Complaint about the output of a killed build, if there is more than its steps and one line;
    empty otherwise.
    """
    ours = "SConstruct" in done.text or "toolchain" in done.text or "CC " in done.text
    if not ours and "KeyboardInterrupt" in done.text:
        return ""  # Python or SCons had not come to read the SConstruct
    if "Traceback" in done.text:
        return "a traceback"
    said = [line for line in done.text.splitlines() if not STEP_OR_RESULT.match(line)]
    if kill.signal == signal.SIGKILL or not said or done.status == -kill.signal:
        return f"said {said}" if said else ""
    return "" if said in (["interrupted"], ["scons: Build interrupted."]) else f"said {said}"


def warm_checkout(right: Undisturbed, warm: dict[str, Path], board: str) -> Path:
    """A checkout in which this board's firmware is built."""
    if board not in warm:
        warm[board] = right.checkout(f"warm-{board}")
        done = build(warm[board], Command(board).arguments)
        assert done.status == 0, done.text
    return warm[board]


def killed_build(root: Path, command: Command, kill: Kill) -> tuple[Ended, str]:
    """Start a build, kill it, and wait until scons has ended; returns how it ended, and whether the
    kill hit it.

    What outlives scons may go on meanwhile: that is part of the trial.
    """
    process = start(root, command.arguments, env={"TMPDIR": of_the_killed(root)})
    text = _until(process, root / command.folder, kill)
    hit = process.poll() is None
    if hit:
        (os.killpg if kill.group else os.kill)(process.pid, kill.signal)
    if kill.signal == signal.SIGKILL:
        process.wait()  # its pipe may be held by others
        return Ended(process.returncode, text), "killed" if hit else "ended before"
    return ended(process, text), "killed" if hit else "ended before"


def of_the_killed(root: Path) -> str:
    """Folder beside the checkout for temporary files that a killed compiler leaves."""
    folder = root.parent / "temporary"
    folder.mkdir(exist_ok=True)
    return str(folder)


def _until(process: subprocess.Popen[bytes], folder: Path, kill: Kill) -> str:
    """Wait for the moment; what the build said until then."""
    if kill.step == "publish":
        _until_published(process, folder)
        time.sleep(kill.delay / 100)
        return ""
    if not kill.step:
        time.sleep(kill.delay)
        return ""
    text = _said(process, f"{kill.step} ")
    time.sleep(kill.delay)
    return text


def _until_published(process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + LONGEST_BUILD
    while process.poll() is None and time.monotonic() < deadline:
        if any((folder / name).exists() for name in NEW):
            return
        time.sleep(0.0005)


def _said(process: subprocess.Popen[bytes], word: str) -> str:
    """Output of the build until a line begins with `word`, or it ends."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        text = b""
        while f"\n{word}" not in "\n" + text.decode(errors="replace"):
            if not selector.select(LONGEST_BUILD):
                break
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                break
            text += part
    return text.decode(errors="replace")
