"""`package` leaves the last package where Conan makes no other."""

from pathlib import Path
from typing import Any

import pytest

from opsmith.commands.package import main
from opsmith.errors import ToolchainError
from opsmith.package.conan import Conan

BOARDS = Path(__file__).parents[3] / "boards"


@pytest.mark.slow
def test_what_conan_refuses_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Conan, *arguments: str, fix: str) -> Any:
        assert (self.home.parent / "conanfile.py").is_file()
        raise ToolchainError.of("BLD081", "refused", where="", fix=fix)

    monkeypatch.setattr(Conan, "run", refuse)
    (tmp_path / "model.json").write_text('{"name": "kws", "model": "kws.tflite", "sha256": "0"}')
    (tmp_path / "conan").mkdir()
    kept = {name: tmp_path / "conan" / name for name in ("kws-1.0.tgz", "conanfile.py")}
    for name, file in kept.items():
        file.write_text(name)
    arguments = [f"--build={tmp_path}", "--board=host", f"--boards={BOARDS}", "--name=kws"]
    with pytest.raises(ToolchainError, match="BLD081"):
        main([*arguments, "--version=2.0", "--variant=default", "--compiler-major=12"])
    assert {path.name: path.read_text() for path in (tmp_path / "conan").iterdir()} == {
        name: name for name in kept
    }
    assert not (tmp_path / ".conan").exists()
