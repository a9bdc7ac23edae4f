"""Commands that Opsmith prints for its own place."""

import shlex
from pathlib import Path

import pytest

from opsmith import home


def test_commands_for_a_folder_with_spaces_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "HOME", tmp_path / "my tools")
    pip, *arguments = shlex.split(home.with_our_pip("pip install 'opsmith[rig]'"))
    assert (pip, arguments) == (str(home.HOME / ".venv/bin/pip"), ["install", "opsmith[rig]"])
    assert shlex.split(home.doctor()) == [str(home.HOME / ".venv/bin/opsmith"), "doctor"]
