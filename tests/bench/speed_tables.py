"""The tables of the benchmark of speed, and the limits that firmware has to keep."""

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from pathlib import Path

from opsmith.text import escaped
from tests.bench.layers import Layer
from tests.bench.measured import FIGURES, Firmware, missing
from tests.bench.peers import DEFAULT

LIMITS = Path(__file__).parent / "limits.toml"
NAMES = {"instructions": "instructions", "modelled_cycles": "modelled cycles"}
HEAD = (
    f"{'core, opt':20} {'model':16}{'instructions':>14}{'peer':>13}{'ratio':>7}{'default':>7}"
    f"{'cycles':>14}{'peer':>13}{'ratio':>7}{'default':>7}{'limit':>12}{'ratio':>7}"
)

OPTIONS = {"": "", DEFAULT: " with its default options"}  # of the peer

Limits = Mapping[str, Mapping[str, int]]  # core and opt -> model -> most of its main figure


def read_limits() -> Limits:
    """Limits of limits.toml, by core and `opt`."""
    content = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    return {f"{core} {opt}": each for core, opts in content.items() for opt, each in opts.items()}


def total_line(firmware: Firmware, limits: Limits) -> str:
    """A line of the first table: figures beside the peer's and beside the limit, or the error."""
    line = f"{firmware.title:20} {escaped(firmware.model):16}"
    if firmware.error:
        return f"{line}  no firmware: {firmware.error}"
    for figure in FIGURES:
        ours = firmware.ours.get(figure)
        line += f"{'-' if ours is None else f'{ours:,}':>14}{firmware.ratios(figure)}"
    limit = _limit(firmware, limits)
    if limit is not None:
        line += f"{limit:12,}{firmware.ours[firmware.main] / limit:7.2f}"
    return f"{line}  {firmware.remark}".rstrip()


def mean_lines(found: Sequence[Firmware]) -> list[str]:
    """Geometric means of the ratios by core, opt and figure, and the models that they are of."""
    lines = ["geometric means of ours / the peer's:"]
    for title, group in _grouped(found):
        for figure, (options, words) in product(FIGURES, OPTIONS.items()):
            ratios = {each.model: ratio for each in group if (ratio := each.ratio(figure, options))}
            if ratios:
                models = ", ".join(map(escaped, ratios))
                mean = geometric_mean(list(ratios.values()))
                lines.append(f"  {mean:.3f}  {title}, {NAMES[figure]}{words}, of {models}")
    return lines if len(lines) > 1 else ["no model has a peer"]


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def worst_lines(found: Sequence[Firmware], most: int) -> list[str]:
    """For each core and opt the layers that are worst beside the peer's, by the main figure."""
    lines = []
    for title, group in _grouped(found):
        layers = [
            (layer.ratio([*layer.ours][-1]), each, layer) for each in group for layer in each.layers
        ]
        slower = sum(bool(layer.worse) for each in group for layer in each.layers)
        count = sum(len(each.layers) for each in group)
        if count:
            lines.append(f"{title}: {slower} of {count} layers are slower than the peer's; worst:")
        for _, each, layer in sorted(layers, key=lambda entry: -entry[0])[:most]:
            lines.append(f"  {escaped(each.model):16} {layer_line(layer)}")
    return lines or ["no model has a peer with figures of layers"]


def layer_lines(found: Sequence[Firmware]) -> list[list[str]]:
    """Lines of a table of layers, for each firmware that has a peer's beside it."""
    return [
        [f"{each.title}, {escaped(each.model)}", *map(layer_line, each.layers)]
        for each in found
        if each.layers
    ]


def layer_line(layer: Layer) -> str:
    """A line about a layer: operators, both figures, their ratio, and whether ours is worse."""
    figures = "".join(_beside(layer.ours.get(name), layer.peers.get(name)) for name in FIGURES)
    worse = f"  SLOWER in {', '.join(layer.worse)}" if layer.worse else ""
    return f"{layer.number:>5} {escaped(layer.title):45}{figures}{worse}"


def summary(found: Sequence[Firmware]) -> list[str]:
    """How many models were measured, have peers, and have no firmware, with the reasons."""
    models = dict.fromkeys(each.model for each in found)
    peers = {each.model for each in found if each.peer}
    without = missing(found)
    lines = [f"{len(models)} models, {len(peers)} with a peer, {len(without)} without firmware"]
    return lines + [f"  {escaped(name)}: {error}" for name, error in without.items()]


def broken_limits(found: Sequence[Firmware], limits: Limits) -> list[str]:
    """Sentences about broken limits: of limits.toml, or that no layer be slower than the peer's."""
    lines = []
    for each in found:
        limit = _limit(each, limits)
        if limit is None:
            continue
        where = f"{each.title}, {escaped(each.model)}"
        if each.error:
            lines.append(f"{where}: no firmware, and a limit of {limit:,}")
        elif each.ours[each.main] > limit:
            ratio = each.ours[each.main] / limit
            lines.append(f"{where}: {ratio:.2f} of the limit of {limit:,} {NAMES[each.main]}")
        if slower := [layer.number for layer in each.layers if layer.worse]:
            lines.append(f"{where}: slower than the peer in layers {', '.join(slower)}")
    return lines


def _limit(firmware: Firmware, limits: Limits) -> int | None:
    """Limit of a model; None where its file is not the one that the limit was set for."""
    return None if firmware.remark else limits.get(firmware.title, {}).get(firmware.model)


def _grouped(found: Sequence[Firmware]) -> Iterator[tuple[str, list[Firmware]]]:
    for title, group in groupby(found, key=lambda each: each.title):
        yield title, list(group)


def _beside(ours: int | None, peer: int | None) -> str:
    left = "-" if ours is None else f"{ours:,}"
    right = "-" if peer is None else f"{peer:,}"
    ratio = f"{ours / peer:.2f}" if ours is not None and peer else "-"
    return f"{left:>14}{right:>12}{ratio:>7}"
