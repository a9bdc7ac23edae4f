"""Figures of other software that runs the same models, read from files of peers.

README.md has the format. Such a file may be a user's own: whatever is wrong in it is one error.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MLPERF_TINY = HERE / "peer_mlperf_tiny.toml"
SHIPPED = (MLPERF_TINY, HERE / "peer_keras.toml", HERE / "peer_zoo.toml")
DEFAULT = "default_"  # in front of a figure: measured with the peer's default options
FIGURES = (
    *("instructions", "modelled_cycles", f"{DEFAULT}instructions", f"{DEFAULT}modelled_cycles"),
    *("flash", "ram", "initialisation_instructions"),
)
_MODEL_KEYS = ("sha256", "columns", "layers")

Figures = Mapping[str, int]


class Unusable(Exception):
    """Raised when what the command line names cannot be used; one sentence says what, and why."""


@dataclass(frozen=True)
class Row:
    """Figures of the peer for one operator, by core and name."""

    operator: str
    output: str  # its shape
    figures: Mapping[str, Figures]


@dataclass(frozen=True)
class PeerModel:
    """Peer's figures of a model: of all by core and name, and of each operator, where measured."""

    figures: Mapping[str, Figures]
    sha256: str = ""
    rows: Sequence[Row] = ()

    def is_of(self, model: Path) -> bool:
        """Whether a peer's figures belong to this model file, not to another of its name."""
        return self.sha256 in ("", hashlib.sha256(model.read_bytes()).hexdigest())


@dataclass(frozen=True)
class Peers:
    """Content of files of peers: title and models."""

    title: str
    models: Mapping[str, PeerModel] = field(default_factory=dict)


def read_peers(files: Iterable[Path] = SHIPPED) -> Peers:
    """Content of several files of peers as one. Raises Unusable about the first mistake."""
    titles: dict[str, date] = {}
    models: dict[str, PeerModel] = {}
    for file in files:
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
            title, measured, found = _read(content)
            if twice := sorted(models.keys() & found.keys()):
                raise ValueError(f"{twice[0]} is in another file of peers, too")
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise Unusable(f"{file}: {reason}") from error
        titles[title] = max(measured, titles.get(title, measured))
        models |= found
    return Peers("; ".join(f"{name}, {day}" for name, day in titles.items()), models)


def _read(content: Mapping[str, Any]) -> tuple[str, date, dict[str, PeerModel]]:
    title, measured = content.get("title"), content.get("date")
    if not isinstance(title, str) or not isinstance(content.get("method"), str):
        raise ValueError("`title` and `method` must be texts: who was measured, and how")
    if not isinstance(measured, date):
        raise ValueError("`date` must be a date, such as 2026-08-01")
    models = content.get("models")
    if not isinstance(models, dict) or not models:
        raise ValueError("there are no tables [models.NAME]")
    return title, measured, {name: _model(name, each) for name, each in models.items()}


def _model(name: str, content: object) -> PeerModel:
    where = f"[models.{name}]"
    if not isinstance(content, dict):
        raise ValueError(f"{where} must be a table")
    cores = {key: value for key, value in content.items() if key not in _MODEL_KEYS}
    for core, figures in cores.items():
        if not isinstance(figures, dict):
            raise ValueError(f"{where}: `{core}` is neither a core's figures nor a known key")
        for figure, value in figures.items():
            _check_name(where, core, figure)
            _check_value(f"{where} {core}.{figure}", value)
    sha256 = content.get("sha256", "")
    if not isinstance(sha256, str):
        raise ValueError(f"{where}: `sha256` must be a text")
    return PeerModel(cores, sha256, _rows(where, content))


def _rows(where: str, content: Mapping[str, Any]) -> list[Row]:
    columns, layers = content.get("columns", []), content.get("layers", [])
    if not isinstance(columns, list) or not isinstance(layers, list):
        raise ValueError(f"{where}: `columns` and `layers` must be lists")
    names = [str(column).partition(".")[::2] for column in columns]
    for core, figure in names:
        _check_name(where, core, figure)
    return [_row(f"{where} layer {i}", names, each) for i, each in enumerate(layers)]


def _row(where: str, names: Sequence[tuple[str, str]], row: object) -> Row:
    if not isinstance(row, list) or len(row) != 3 + len(names):
        raise ValueError(f"{where}: an operator, a shape, its MACs and {len(names)} figures wanted")
    operator, output, macs, *values = row
    if not isinstance(operator, str) or not isinstance(output, str):
        raise ValueError(f"{where}: operator and shape must be texts")
    found: dict[str, dict[str, int]] = {}
    _check_value(f"{where} MACs", macs)
    for (core, figure), value in zip(names, values, strict=True):
        _check_value(f"{where} {core}.{figure}", value)
        found.setdefault(core, {})[figure] = value
    return Row(operator, output, found)


def _check_name(where: str, core: str, figure: str) -> None:
    if not core or figure not in FIGURES:
        known = ", ".join(FIGURES)
        raise ValueError(f"{where}: '{core}.{figure}' is not CORE.FIGURE with one of {known}")


def _check_value(where: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{where} must be a count, not {value!r}")
