"""Firmware of a model as the benchmark of speed sees it: its figures, its layers, its peer."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opsmith.text import escaped
from tests.bench.layers import Layer, compare
from tests.bench.peers import DEFAULT, Figures, PeerModel, Unusable
from tests.bench.recorded import profile

FIGURES = ("instructions", "modelled_cycles")
_ERROR = re.compile(r"\b[A-Z]{3}\d{3}\b")


@dataclass(frozen=True)
class Firmware:
    """Figures of one firmware, and the peer's of the same model; `error` where there are none."""

    model: str
    core: str
    opt: str
    ours: Figures = field(default_factory=dict)
    peer: Figures = field(default_factory=dict)
    layers: Sequence[Layer] = ()
    remark: str = ""  # why there is no peer, where one has its name
    error: str = ""

    @property
    def title(self) -> str:
        """Title of the firmware: core and opt."""
        return f"{self.core} {self.opt}"

    @property
    def main(self) -> str:
        """Name of the measured figure that is nearest to time."""
        return next((name for name in reversed(FIGURES) if name in self.ours), FIGURES[0])

    def ratio(self, figure: str, options: str = "") -> float | None:
        """Our figure as a share of the peer's, where both were measured; `options`: DEFAULT for the
        peer's figure with its default options, else its best.
        """
        theirs = self.peer.get(options + figure)
        return self.ours[figure] / theirs if theirs and figure in self.ours else None

    def ratios(self, figure: str) -> str:
        """Text of the peer's figure, then ours as a share of its best and of its default figure."""
        return f"{_cell(self.peer.get(figure), ',', 13)}" + "".join(
            _cell(self.ratio(figure, options), ".2f", 7) for options in ("", DEFAULT)
        )


def named_models(folder: Path, only: Sequence[str] | None = None) -> dict[str, Path]:
    """Models below a folder by name: the file's name or, where several files share it, the path.

    Raises Unusable where the folder has no models, or `only` has a name that no model has.
    """
    files = sorted(folder.rglob("*.tflite"))
    if not files:
        raise Unusable(f"{folder}: no .tflite file is below it, or it is no folder")
    count = Counter(file.stem for file in files)
    found = {
        file.stem if count[file.stem] == 1 else str(file.relative_to(folder).with_suffix("")): file
        for file in files
    }
    if unknown := sorted(set(only or ()) - found.keys()):
        names = ", ".join(map(escaped, found))
        raise Unusable(f"--only={unknown[0]}: no such model; there are {names}")
    return {name: file.resolve() for name, file in found.items() if not only or name in only}


def measure(
    name: str,
    file: Path,
    board: str,
    core: str,
    runtime: str,
    opt: str,
    peers: Mapping[str, PeerModel],
) -> Firmware:
    """Build and profile one firmware, and set it beside the peer's of the same file."""
    peer = peers.get(name, PeerModel({}))
    remark = "" if peer.is_of(file) else "the peer's is another file of this name"
    found, said = profile(file, board, opt, runtime)
    if found is None:
        return Firmware(name, core, opt, remark=remark, error=first_error(said))
    ours = {figure: int(found[figure]) for figure in FIGURES if figure in found}
    if remark:
        return Firmware(name, core, opt, ours, remark=remark)
    try:
        layers = compare(found["nodes"], peer.rows, core, list(ours))
    except ValueError as error:
        return Firmware(name, core, opt, ours, remark=str(error))
    return Firmware(name, core, opt, ours, peer.figures.get(core, {}), layers)


def _cell(value: float | None, form: str, width: int) -> str:
    return format("-" if value is None else format(value, form), f">{width}")


def first_error(said: str) -> str:
    """The first error with a code in what a build said, or its last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    coded = (line for line in lines if _ERROR.search(line))
    return escaped(next(coded, lines[-1] if lines else "it said nothing"))


def missing(found: Sequence[Firmware]) -> dict[str, str]:
    """Models of which there is no firmware, with the first error of each."""
    errors: dict[str, str] = {}
    for each in found:
        if each.error:
            errors.setdefault(each.model, each.error)
    return errors
