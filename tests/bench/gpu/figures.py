"""Figures of programs on any GPU: figures.toml, from what the compiler reports."""

import json
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.commands import convert, resolve
from opsmith.testing.checkout import ROOT
from tests.bench.gpu.networks import mobilenet_v1

RECORDED = Path(__file__).parent / "figures.toml"
NETWORK = "mobilenet_v1_224"  # which the tests write
SHIPPED = "digits_int8"
REAL = ("vww_int8", "resnet_int8", "kws_int8", "ad_int8")
HEAD = """\
# One inference with all nodes on the GPU (affinity=*:gpu), on any device; tests/gpu/test_figures.py
# fails where a program differs. moved_bytes are those of all tensors and constants that launches
# read and write; macs are multiplications with weights. The device has an arena and the constants;
# cpu_arena_bytes are the arena of runtime=reference on the host.
# Written by `.venv/bin/python -m tests.bench.gpu --models=DIR --record`.
"""


def recorded() -> dict[str, dict[str, float]]:
    """Recorded figures of figures.toml: model -> figure -> value."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def written_network(folder: Path) -> Path:
    """Path of MobileNetV1 224 of int8, written to a folder."""
    path = folder / f"{NETWORK}.tflite"
    path.write_bytes(mobilenet_v1())
    return path


def shipped() -> Path:
    """Path of a model that this checkout has."""
    return ROOT / "tests" / "models" / f"{SHIPPED}.tflite"


def figures(model: Path) -> dict[str, float]:
    """Figures of a model's program for any GPU, by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = listed_ops(model, folder)
        gpu = converted(folder / "gpu", given, "host_gpu", "gpu", "--affinity=*:gpu")
        cpu = converted(folder / "cpu", given, "host", "reference")
    return _figures(gpu, cpu)


def listed_ops(model: Path, folder: Path) -> list[str]:
    """List the ops of a model in a folder; returns the arguments that all its conversions share."""
    used = folder / "used_ops.json"
    given = ["--model", str(model)]
    resolve.main([*given, "--ops", str(ROOT / "ops"), "--out", str(used)])
    return [*given, "--used", str(used), "--boards", str(ROOT / "boards"), "--name", "model"]


def converted(folder: Path, given: list[str], board: str, runtime: str, *more: str) -> Any:
    """Content of model.json after converting a model."""
    target = ["--board", board, "--runtime", runtime, "--out", str(folder)]
    convert.main([*given, *target, *more])
    return json.loads((folder / "model.json").read_text(encoding="utf-8"))


def _figures(gpu: Mapping[str, Any], cpu: Mapping[str, Any]) -> dict[str, float]:
    emitted = gpu["emitted"]
    launches = emitted["launches"]
    moved = sum(each["bytes"] for each in launches)
    return {
        "launches": len(launches),
        "kernels": len({each["kernel"] for each in launches}),
        "nodes_on_cpu": gpu["placement"]["sides"]["cpu"]["nodes"],
        "work_items": sum(each["items"] for each in launches),
        "moved_bytes": moved,
        "moved_bytes_per_launch": moved // len(launches),
        "macs": gpu["macs"],
        "macs_per_byte": round(gpu["macs"] / moved, 2),
        "arena_bytes": emitted["arena_bytes"],
        "constant_bytes": emitted["constant_bytes"],
        "cpu_arena_bytes": sum(each["bytes"] for each in cpu["arena"].values()),
    }


def write_records(found: Mapping[str, Mapping[str, float]]) -> None:
    """Write figures.toml anew."""
    lines = [HEAD.rstrip()]
    for model, values in found.items():
        lines += ["", f"[{model}]", *(f"{name} = {value}" for name, value in values.items())]
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def told(values: Mapping[str, float]) -> str:
    """Figures of a program as a sentence for a reader."""
    whole = values["arena_bytes"] + values["constant_bytes"]
    return (
        f"{values['launches']} launches of {values['kernels']} kernels, "
        f"{values['work_items']:,} work-items, {values['moved_bytes_per_launch']:,} B moved per "
        f"launch, {values['macs_per_byte']} MACs per byte; on the device {whole:,} B, of which "
        f"{values['arena_bytes']:,} B are the arena; the CPU's has {values['cpu_arena_bytes']:,} B"
    )
