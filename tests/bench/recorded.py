"""Instruction counts that firmware had when they were last recorded: instructions.toml."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons

RECORDED = Path(__file__).parent / "instructions.toml"
BOARDS = ("mps2_an386", "mps3_an547")  # Cortex-M4F, Cortex-M55
SHIPPED = "digits_int8"
MODELS = (SHIPPED, "kws_int8", "vww_int8", "resnet_int8", "ad_int8", "sww_int8")
TOLERANCE = 0.01
HEAD = """\
# Executed instructions of one invoke() in QEMU: runtime=cmsis opt=balanced, gcc 12.2, on the input
# of `run`. tests/system/test_speed.py fails where firmware differs by more than 1 %, up or down.
# Written by `.venv/bin/python -m tests.bench.speed --models=DIR --record`.
"""


def recorded() -> dict[str, dict[str, int]]:
    """Recorded instruction counts: board -> model -> instructions."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def profiled(model: Path, board: str, opt: str = "balanced", outputs: str = "") -> dict[str, Any]:
    """profile.json of this model's firmware with runtime=cmsis, as it is now; `outputs` names inner
    tensors that are outputs, too.
    """
    found, said = profile(model, board, opt, outputs=outputs)
    assert found is not None, said
    return found


def profile(
    model: Path, board: str, opt: str, runtime: str = "cmsis", outputs: str = ""
) -> tuple[dict[str, Any] | None, str]:
    """profile.json of this model's firmware, or None; and what the build said."""
    settings = [f"board={board}", f"model={model}", f"runtime={runtime}", f"opt={opt}"]
    settings += [f"outputs={outputs}"] if outputs else []
    done = scons(*settings, "profile")
    said = done.stdout + done.stderr
    if done.returncode:
        return None, said
    path = products(*settings) / "profile.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found, said


def count(model: Path, board: str, outputs: str = "") -> int:
    """The instructions of one invoke() of this model's firmware, as it is now."""
    return int(profiled(model, board, outputs=outputs)["instructions"])


def write_records(models: Path) -> list[str]:
    """Count everything and write instructions.toml; a line about each firmware: what changed."""
    before = recorded() if RECORDED.exists() else {}
    counts = {
        board: {name: count(find(models, name), board) for name in MODELS} for board in BOARDS
    }
    RECORDED.write_text(records_text(counts), encoding="utf-8")
    return [
        f"{board:12}{name:14}{value:12,}{value / before.get(board, {}).get(name, value) - 1:+9.2%}"
        for board, found in counts.items()
        for name, value in found.items()
    ]


def records_text(counts: Mapping[str, Mapping[str, int]]) -> str:
    """The text of instructions.toml."""
    lines = [HEAD.rstrip()]
    for board, models in counts.items():
        lines += ["", f"[{board}]", *(f"{name} = {value}" for name, value in models.items())]
    return "\n".join(lines) + "\n"


def find(models: Path, name: str) -> Path:
    """Path of a model by name: a model that ships, or a file below `models`."""
    shipped = ROOT / "tests" / "models" / f"{name}.tflite"
    found = [shipped] if name == SHIPPED else sorted(models.rglob(f"{name}.tflite"))
    if not found:
        raise SystemExit(f"{name}.tflite is not below {models}")
    return found[0].resolve()
