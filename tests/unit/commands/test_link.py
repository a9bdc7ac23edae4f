"""A firmware that needs too much RAM: the error names what fits, with figures."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.commands import convert, link, resolve
from opsmith.commands.streamed_ram import QUANTISE, TRY, WHOLE
from opsmith.report import finish
from opsmith.report.size import SMALLER, OverBudget, Overflow
from opsmith.testing.checkout import ROOT
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal
from tests.unit.stream_models import Layers, tower

REST = 9_000  # bytes of stack, and of all that is no model's


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], int, int]:
    """Arguments that convert a model, and the RAM it needs whole and row by row."""
    folder = tmp_path_factory.mktemp("pool")
    layers = Layers(64, 8, 4)
    data = layers.done(layers.pool("MAX_POOL_2D", layers.x, (2, 2), "VALID"))
    given = arguments(folder, data)
    whole = converted([*given, f"--out={folder / 'whole'}"], folder / "whole")
    rows = converted([*given, "--stream=rows", f"--out={folder / 'rows'}"], folder / "rows")
    return [*given, f"--out={folder / 'whole'}"], whole, rows


def arguments(folder: Path, content: bytes) -> list[str]:
    """Arguments that convert a model, without a folder for what is made."""
    model = folder / "m.tflite"
    model.write_bytes(content)
    given, used = [f"--model={model}"], folder / "used.json"
    resolve.main([*given, f"--ops={ROOT / 'ops'}", f"--out={used}"])
    given += [f"--used={used}", f"--boards={ROOT / 'boards'}", "--board=mps2_an386", "--name=m"]
    return [*given, "--runtime=reference"]


def converted(arguments: list[str], out: Path) -> int:
    convert.main(arguments)
    model = json.loads((out / "model.json").read_text(encoding="utf-8"))
    return int(model["arena"]["ram"]["bytes"] + model["state_bytes"])


def refused(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], *overflows: Overflow
) -> list[str]:
    """Fixes that `link` gives where the linker reports the given overflows."""

    def over(command: Any) -> int:
        assert command == ["--build=here", "--", "gcc"]
        raise OverBudget(*overflows)

    monkeypatch.setattr(finish, "main", over)
    error = refusal(link.main, ["--build=here", "--converted", *arguments, "--", "gcc"])
    assert {each.code for each in error.problems} == {"BLD020"}
    return [each.fix for each in error.problems]


@pytest.mark.slow
def test_streaming_is_named_with_what_it_needs_where_that_fits(
    pool: tuple[list[str], int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, whole, rows = pool
    need = rows + REST + 32 + 8 * 4  # the counter of passes, alignment, and a row of the input
    assert need < whole + REST
    (fix,) = refused(monkeypatch, arguments, Overflow("ram", whole + REST, need, "here"))
    assert fix.startswith(f"build with stream=rows, which needs at most {need} bytes of ram and ")
    assert refused(monkeypatch, arguments, Overflow("ram", whole + REST, need - 1, "here")) == [
        SMALLER
    ]


@pytest.mark.slow
def test_streaming_is_not_named_where_it_is_on_impossible_or_saves_nothing(
    pool: tuple[list[str], int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, whole, _ = pool
    ram = Overflow("ram", whole + REST, whole + REST - 1, "here")
    for more in ("--stream=rows", "--guards", "--arena=caller"):
        assert refused(monkeypatch, [*arguments, more], ram) == [SMALLER]
    flash = Overflow("flash", 2000, 1000, "here")
    assert refused(monkeypatch, arguments, flash, ram) == [SMALLER, SMALLER]
    # whatever else is wrong, the error stays that of the memory
    assert refused(monkeypatch, [*arguments, "--input-shape=nothing:1"], ram) == [SMALLER]


@pytest.mark.slow
def test_a_budget_is_named_where_rows_within_invoke_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = arguments(tmp_path, tower()), tmp_path / "out"
    limit = 8_000  # of the tensors of 4,096 and 16,384 bytes
    whole = converted([*given, f"--out={out}"], out)
    ram = Overflow("ram", whole + REST, limit + REST, "here")
    (fix,) = refused(monkeypatch, [*given, f"--out={out}"], ram)
    named = re.match(r"build with ram_budget=(\d+), which needs at most ", fix)
    assert named is not None, fix
    budget = int(named[1])
    rows = converted([*given, f"--out={out}", f"--ram-budget={budget}"], out)
    assert rows <= budget <= limit < whole
    assert refused(monkeypatch, [*given, f"--out={out}", "--stepwise"], ram) == [WHOLE + SMALLER]


@pytest.mark.slow
def test_less_code_is_named_where_code_is_what_does_not_fit(
    pool: tuple[list[str], int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments, *_ = pool
    flash = Overflow("flash", 2000, 1000, "here")
    assert refused(monkeypatch, arguments, flash) == [TRY + SMALLER]
    assert refused(monkeypatch, [*arguments, "--opt=size"], flash) == [SMALLER]
    (tmp_path / "model.json").write_text(json.dumps({"constant_bytes": 1000}))
    assert refused(monkeypatch, [*arguments, f"--out={tmp_path}"], flash) == [SMALLER]


@pytest.mark.slow
def test_integers_are_named_for_floats_that_would_fit_in_a_quarter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = ModelWriter()
    x, y = m.input("x", (1, 64), "float32"), m.tensor("y", (1, 200), "float32")
    weights = m.constant("w", np.arange(12_800, dtype=np.float32).reshape(200, 64))
    m.node("FULLY_CONNECTED", [x, weights, None], [y])
    m.output(y)
    given, out = arguments(tmp_path, m.bytes()), tmp_path / "out"
    arena = converted([*given, f"--out={out}"], out)
    given, constants = [*given, f"--out={out}"], 200 * 64 * 4
    flash = Overflow("flash", constants + REST, constants // 4 + REST, "here")
    assert refused(monkeypatch, given, flash) == [QUANTISE + SMALLER]
    larger = Overflow("flash", constants + REST, constants // 5 + REST, "here")
    assert refused(monkeypatch, given, larger) == [SMALLER]
    ram = Overflow("ram", arena + REST, arena // 4 + REST, "here")
    assert refused(monkeypatch, given, flash, ram) == [QUANTISE + SMALLER] * 2
