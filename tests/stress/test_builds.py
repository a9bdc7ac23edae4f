"""A seeded part of `python -m tests.stress.builds`: kills, a race, want and damage."""

import os
import random
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.copies import restored
from tests.stress.checkout import Command, Undisturbed, build, difference, edit, products
from tests.stress.damage import DAMAGES
from tests.stress.kills import STEPS, Kill, killed_build, noise, warm_checkout
from tests.stress.outcome import Tally, refusal
from tests.stress.races import race
from tests.stress.starvation import full_disk, read_only

pytestmark = [pytest.mark.system, pytest.mark.slow]

HOST = Command("host")
KILLS = (
    (Kill(signal.SIGKILL, True, "RESOLVE", 0.1), Kill(signal.SIGINT, True, "CONVERT", 0.3)),
    (Kill(signal.SIGKILL, False, "CC", 0.02), Kill(signal.SIGTERM, False, "LINK", 0.1),
     Kill(signal.SIGKILL, True, "publish", 0.0)),
)  # fmt: skip


@pytest.fixture(scope="module")
def right() -> Iterator[Undisturbed]:
    """Builds that nothing disturbed, in a folder that every user may enter."""
    base = Path(tempfile.mkdtemp(prefix="opsmith-stress-"))
    base.chmod(0o755)
    yield Undisturbed(base / "builds")
    shutil.rmtree(base)


@pytest.fixture(scope="module")
def warm(right: Undisturbed) -> dict[str, Path]:
    """Checkout in which the firmware is built and up to date."""
    found: dict[str, Path] = {}
    root = warm_checkout(right, found, HOST.board)
    right.known[HOST, ""] = products(root, HOST)
    return found


@pytest.fixture
def root(right: Undisturbed, warm: dict[str, Path]) -> Path:
    """Copy of the built checkout, restored for each test."""
    return restored(warm[HOST.board], right.base / "checkout")


@pytest.mark.few(0)  # test_ninja.py interrupts steps
@pytest.mark.parametrize("kills", KILLS, ids=["before compilation", "from compilation on"])
def test_killed_builds_of_what_was_reverted_leave_nothing(
    right: Undisturbed, root: Path, kills: Sequence[Kill]
) -> None:
    edit(root, "model")
    hits = []
    for kill in kills:
        done, hit = killed_build(root, HOST, kill)
        hits.append(hit)
        assert hit != "killed" or not noise(done, kill), done.text
    assert "killed" in hits  # a busy machine may let some of them come late
    edit(root, "")
    done = build(root, HOST.arguments)
    assert done.status == 0, done.text
    assert not difference(products(root, HOST), right.products(HOST)), done.text


def test_each_step_has_its_kill_but_the_one_that_all_firmware_shares() -> None:
    assert {kill.step for kills in KILLS for kill in kills} == {*STEPS} - {"BIND"}


def test_four_builds_at_once_make_the_same(right: Undisturbed, root: Path) -> None:
    shutil.rmtree(root / "build" / "bindings")
    next((root / "build" / HOST.folder.removeprefix("build/")).glob("nodes_*.cc")).unlink()
    race(right, root, "one model four times", "", Tally("race"), "suite")


def test_a_full_disk_is_an_error_that_leaves_what_there_was(
    right: Undisturbed, warm: dict[str, Path]
) -> None:
    tally = Tally("disk")
    try:
        full_disk(right, warm, HOST.board, 0, tally, change="")
    except PermissionError:
        pytest.skip("no disk can be mounted here")
    assert tally.counts["disk full but for 0 KiB"]["refused"] == 1


@pytest.mark.skipif(os.getuid() != 0, reason="root alone can be another user")
def test_a_checkout_of_somebody_else_is_an_error(right: Undisturbed, warm: dict[str, Path]) -> None:
    tally = Tally("modes")
    read_only(right, warm, HOST.board, tally, ["read-only"], change="")
    assert tally.counts["read-only"]["refused"] == 1


def test_damaged_files_are_made_again(right: Undisturbed, root: Path) -> None:
    files = ("model.h", ".firmware.elf.seal", "obj/model.o", "firmware.elf")
    for file, how in zip(files, DAMAGES, strict=True):
        DAMAGES[how](root / HOST.folder / file, random.Random(file))
    DAMAGES["cut"](root / "build" / "used_ops" / ".tiny.json.seal", random.Random(2))
    DAMAGES["altered"](root / "build" / ".toolchain-host.json", random.Random(1))
    done = build(root, HOST.arguments)
    assert done.status == 0, done.text
    assert not difference(products(root, HOST), right.products(HOST)), done.text


def test_a_folder_in_the_way_of_a_product_is_an_error(root: Path) -> None:
    product = root / HOST.folder / "obj" / "model.o"
    product.unlink()
    product.mkdir()
    done = build(root, HOST.arguments)
    assert "error BLD035" in done.text
    assert not refusal(done.status, done.text), done.text


@pytest.mark.parametrize(
    "where", ["toolchain/opsmith/steps/making.py", "toolchain/opsmith/scons/endings.py"]
)
def test_what_nobody_foresaw_ends_with_a_code_in_whatever_thread(root: Path, where: str) -> None:
    """An unforeseen exception ends with a code, in a step and in SCons's own work between steps."""
    step, between = "def make_products(\n", "        def failed(self) -> None:\n"
    raising = "        def executed(self) -> None:\n            raise KeyError('x')\n\n"
    text = (root / where).read_text(encoding="utf-8")
    assert step in text or between in text
    text = text.replace(
        step, "def make_products(*_: object) -> int:\n    raise KeyError('x')\n\n\ndef _old(\n"
    )
    (root / where).write_text(text.replace(between, raising + between), encoding="utf-8")
    done = build(root, HOST.arguments)
    assert "error BLD099" in done.text
    assert not refusal(done.status, done.text), done.text
