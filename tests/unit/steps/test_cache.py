"""A shared cache gives back what a step made, and nothing that others wrote in its place."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.steps.cache import MAGIC, Cache
from opsmith.steps.cache_key import key_file
from opsmith.steps.making import make_products
from opsmith.steps.programs import Builds
from opsmith.steps.seal import SealedInputs, inputs_of
from opsmith.steps.sealed import Sealed

pytestmark = pytest.mark.slow

MADE = Path("build/made")
RULES = Path("build/made.d")
CC = Sealed([["cc"]], "CC", rules=RULES)
Poison = Callable[[Path, Path], object]  # of an entry, and of another step's


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter a project in a folder of its own, of a user without a key."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def build(source: str, cache: Cache) -> str:
    """Build from scratch; returns the products' content."""
    Path("source").write_text(source)
    shutil.rmtree("build", ignore_errors=True)
    builds = Builds(dict(os.environ))
    builds.cache = cache
    work = Sealed([["cp", "source", str(MADE)]], "COPY")
    assert make_products(work, [MADE], lambda: _inputs(work, builds), builds) == 0
    return MADE.read_text()


def _inputs(work: Sealed, builds: Builds) -> SealedInputs:
    return inputs_of(work.signature, [], ["source"], builds.digests)


def entries() -> list[Path]:
    """Entries of the cache, the oldest first."""
    found = [each for each in Path("../cache").rglob("*") if each.is_file()]
    return sorted(found, key=lambda each: each.stat().st_mtime_ns)


def _flipped(place: int) -> Poison:
    def flip(entry: Path, other: Path) -> None:
        content = bytearray(entry.read_bytes())
        content[place] ^= 1
        entry.write_bytes(content)

    return flip


def _replaced(make: Poison) -> Poison:
    def replace(entry: Path, other: Path) -> None:
        entry.rename("../moved")
        make(entry, other)

    return replace


def _forged(entry: Path, other: Path) -> None:
    """An entry that is right in all but the key, which another user does not have."""
    folder, key, name = (
        entry.parents[1],
        key_file().read_bytes(),
        entry.relative_to(entry.parents[1]),
    )
    key_file().unlink()
    theirs = Cache(Path("../theirs"))
    build("one", theirs)
    (content,) = [each.read_bytes() for each in Path("../theirs").rglob("*") if each.is_file()]
    (folder / name).write_bytes(content.replace(b"one", b"bad"))
    key_file().write_bytes(key)


def _linked_folder(entry: Path, other: Path) -> None:
    entry.parent.rename("../folder")
    entry.parent.symlink_to(Path("../folder").resolve())


POISONS = {
    "damaged content": _flipped(-1),
    "damaged head": _flipped(len(MAGIC) + 40),
    "damaged code": _flipped(len(MAGIC)),
    "another format": _flipped(3),
    "cut off": lambda entry, other: os.truncate(entry, entry.stat().st_size - 1),
    "empty": lambda entry, other: os.truncate(entry, 0),
    "longer": lambda entry, other: entry.write_bytes(entry.read_bytes() + b"x"),
    "swapped": lambda entry, other: shutil.copy(other, entry),
    "forged": _forged,
    "a link": _replaced(lambda entry, other: entry.symlink_to(Path("../moved").resolve())),
    "a hard link": _replaced(lambda entry, other: entry.hardlink_to("../moved")),
    "a pipe": _replaced(lambda entry, other: os.mkfifo(entry)),
    "a folder": _replaced(lambda entry, other: entry.mkdir()),
    "a link to its folder": _linked_folder,
}
STAYS = {"a folder", "a link to its folder"}  # no file can be put there


@pytest.mark.few(6)
@pytest.mark.parametrize("way", POISONS)
def test_a_poisoned_entry_is_named_and_made_again(
    way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    cache = Path("../cache")
    build("two", Cache(cache))
    build("one", Cache(cache))
    other, entry = entries()
    POISONS[way](entry, other)
    capfd.readouterr()
    again = Cache(cache)
    assert build("one", again) == "one"
    assert "0 of 1 steps found, 0 %; 1 damaged" in again.summary()
    assert f"{entry.parent.name}/{entry.name} " in capfd.readouterr().err
    last = Cache(cache)
    assert build("one", last) == "one"
    assert ("1 of 1 steps found, 100 %" in last.summary()) == (way not in STAYS)


def test_products_are_taken_and_none_is_stored_by_who_only_reads() -> None:
    cache = Path("../cache")
    build("one", Cache(cache))
    (entry,) = entries()
    readonly = Cache(cache, readonly=True)
    assert (build("one", readonly), build("two", readonly)) == ("one", "two")
    assert entries() == [entry]
    assert readonly.summary().endswith("1 of 2 steps found, 50 %")


def test_an_entry_counts_where_all_that_was_read_for_it_is_equal(tmp_path: Path) -> None:
    cache, header = Cache(Path("../cache")), tmp_path / "system.h"
    header.write_text("1")
    builds = Builds({})
    Path("source").write_text("one")
    Path("build").mkdir()
    MADE.write_text("one")
    RULES.write_text("made: source")
    inputs = inputs_of("cc", [], ["source"], builds.digests)
    cache.store(inputs, [MADE], [MADE, RULES], {str(header): builds.digests.of(str(header))})
    RULES.unlink()
    assert cache.restore(inputs, [MADE], CC, builds.digests) == [str(header)]
    assert RULES.read_text() == "made: source"
    header.write_text("22")
    assert cache.restore(inputs, [MADE], CC, builds.digests) is None


def test_users_with_other_keys_share_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    build("one", Cache(Path("../cache")))
    key_file().unlink()
    theirs = Cache(Path("../cache"))
    build("one", theirs)
    assert theirs.summary().endswith("0 of 1 steps found, 0 %; 1 stored")
    assert "cache:" not in capfd.readouterr().err


@pytest.mark.parametrize(("spoil", "says"), [
    (lambda key: key.chmod(0o644), "others may read or write it"),
    (lambda key: key.write_bytes(b"short"), "is no key of 32 bytes"),
    (lambda key: (key.unlink(), key.mkdir()), "cannot be read or made"),
])  # fmt: skip
def test_a_key_that_proves_nothing_is_refused(spoil: Callable[[Path], object], says: str) -> None:
    Cache(Path("../cache"))
    spoil(key_file())
    with pytest.raises(ToolchainError, match=f"BLD116: {says}"):
        Cache(Path("../cache"))


def test_a_folder_that_cannot_be_one_is_refused() -> None:
    Path("file").write_text("")
    with pytest.raises(ToolchainError, match="BLD115: cannot be used: Not a directory"):
        Cache(Path("file"))
    with pytest.raises(ToolchainError, match="BLD115: cannot be used: No such file"):
        Cache(Path("nowhere"), readonly=True)
