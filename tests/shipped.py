"""The shipped op folders and backends, listed and digested once in a process of tests.

No test edits them, and each command that a test runs would read all their files.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from opsmith.discover import kept_claims
from opsmith.home import HOME, RUNTIMES
from opsmith.registration import all_names

SHIPPED = (HOME / "ops", RUNTIMES)
digest, listed = kept_claims._digest, cache(all_names)


@cache
def digested(folder: Path) -> str:
    return digest(folder, listed(folder))


def quick_files(folder: Path) -> list[str]:
    return (listed if folder.parent in SHIPPED else all_names)(folder)


def quick_digest(root: Path, files: Iterable[str]) -> str:
    return digested(root) if root.parent in SHIPPED else digest(root, files)


@pytest.fixture(scope="session", autouse=True)
def shipped_once() -> Iterator[None]:
    """Let commands that run in this process take what is known of the shipped folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_claims, "all_names", quick_files)
        patch.setattr(kept_claims, "_digest", quick_digest)
        yield
