"""Tests of the paths that ninja's check looks at, so that a build uses the programs that SCons
would find.
"""

from pathlib import Path

import pytest

from opsmith.scons.ninja import on_path


def test_all_that_decides_which_compiler_is_found_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that decides which compiler is found is looked at: folders of PATH, links and
    executables.
    """
    folders = [tmp_path / name for name in ("absent", "plain", "dangling", "right", "empty")]
    for folder in folders[1:]:
        folder.mkdir()
    for name, mode in (("plain", 0o644), ("right", 0o755)):
        (tmp_path / name / "g++").touch(mode)
    (tmp_path / "dangling" / "g++").symlink_to("nowhere")
    monkeypatch.setenv("PATH", ":".join(map(str, folders)))
    found = [str(Path(path).relative_to(tmp_path)) for path in on_path(["g++", "gcc"])]
    assert found == ["absent", "plain/g++", "dangling/g++", "right/g++"]
