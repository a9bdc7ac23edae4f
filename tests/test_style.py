"""The rules that programs check: lint, format, types, import layers, C++ format."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.copies import copied
from tests.english import SHIPPED, class_places, tracked, word_places
from tests.readme_op import write_files

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
CPP_FOLDERS = ("ops", "runtimes", "boards", "toolchain/opsmith/rig/plugin")


def check(*command: str | Path, root: Path = ROOT, env: Mapping[str, str] = os.environ) -> None:
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env=env)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"


@pytest.mark.slow
def test_ruff_finds_nothing() -> None:
    check(BIN / "ruff", "check", "--quiet", ".")


@pytest.mark.slow
def test_python_is_formatted() -> None:
    check(BIN / "ruff", "format", "--quiet", "--diff", ".")


@pytest.mark.slow
def test_mypy_finds_nothing(tmp_path: Path) -> None:
    """Mypy finds nothing in the tree and in the op of ops/README.md, checked in one run."""
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shown = write_files(tmp_path)
    assert {path.name for path in shown} == {"gain_model.py", "op.py", "test_gain.py"}
    # of what mypy finds out nobody in CI reads what it would write, which takes a fifth of its time
    kept = ["--cache-dir=/dev/null"] if os.environ.get("CI") else []
    check(BIN / "mypy", "--no-error-summary", *kept, *configured["tool"]["mypy"]["files"], *shown)


@pytest.mark.slow
def test_imports_point_down_the_layers() -> None:
    check(BIN / "lint-imports", "--no-cache")


@pytest.mark.slow
@pytest.mark.parametrize(
    "added",
    [
        {  # a package and a module that are in no layer
            "extra/__init__.py": ("", r"- opsmith\.extra\b"),
            "more.py": ("", r"- opsmith\.more\b"),
        },
        {
            "ir/extra.py": ("import opsmith.op", r"opsmith\.ir is not allowed to import"),
            "op/extra.py": ("import ops.add", "opsmith is not allowed to import ops"),
            "op/more.py": ("def f():\n    import tests", "opsmith is not allowed to import tests"),
            "board/extra.py": ("import opsmith.op", r"opsmith\.board is not allowed to import"),
            "runtimes/core/extra.py": (
                "import runtimes.families",
                r"runtimes\.core is not allowed to import runtimes\.families",
            ),
            "runtimes/families/extra.py": (
                "import opsmith.pipeline",
                r"runtimes\.families is not allowed to import opsmith\.pipeline",
            ),
        },
    ],
    ids=["in no layer", "not allowed"],
)
def test_what_the_layers_do_not_know_is_refused(
    tmp_path: Path, added: Mapping[str, tuple[str, str]]
) -> None:
    for folder in ("toolchain", "runtimes"):
        copied(ROOT / folder, tmp_path / folder)
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    for file, (text, _) in added.items():
        place = tmp_path / ("" if file.startswith("runtimes/") else "toolchain/opsmith") / file
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"{text}\n", encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(tmp_path / "toolchain")}
    with pytest.raises(AssertionError) as caught:
        check(BIN / "lint-imports", "--no-cache", root=tmp_path, env=env)
    for _, told in added.values():
        assert re.search(told, str(caught.value))


@pytest.mark.slow
def test_cpp_is_formatted() -> None:
    files = [
        path
        for folder in CPP_FOLDERS
        for pattern in ("*.h", "*.c", "*.cc")
        for path in sorted((ROOT / folder).rglob(pattern))
    ]
    assert files
    check(BIN / "clang-format", "--dry-run", "-Werror", *files)


@pytest.mark.slow
def test_files_are_short() -> None:
    long = {}
    for path in [
        ROOT / "SConstruct",
        *(
            path
            for folder in ("toolchain", "ops", "runtimes")
            for suffix in ("py", "h", "cc", "cl")
            for path in (ROOT / folder).rglob(f"*.{suffix}")
        ),
    ]:
        limit = 80 if path.name == "SConstruct" else 300
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > limit:
            long[str(path.relative_to(ROOT))] = lines
    assert not long


@pytest.mark.slow
def test_words_are_idiomatic_and_class_names_unique() -> None:
    files = tracked(SHIPPED)
    assert not [*word_places(files), *class_places(files)]
