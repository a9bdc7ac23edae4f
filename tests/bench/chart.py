"""Draw the chart of README.md: `.venv/bin/python -m tests.bench.chart` writes two SVG files.

Flash, RAM and cycles of each model beside the peer's, each pair scaled to its longer bar. The
figures are those of results.toml and peer_mlperf_tiny.toml.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tests.bench.results import peer, results

FOLDER = Path(__file__).parent
TITLES = {
    "kws_int8": "Keyword spotting",
    "vww_int8": "Visual wake words",
    "resnet_int8": "Image classification",
    "ad_int8": "Anomaly detection",
    "sww_int8": "Streaming wake word",
}
WIDTH = 860
LEFT, PANEL, BAR = 150, 235, 160  # pixels: names of models, one figure, its longest bar
TOP, ROW, THICK = 84, 44, 14  # the head, one model, one bar


@dataclass(frozen=True)
class Colors:
    """Colours of the chart; the background is the page's."""

    text: str
    faint: str
    ours: str
    peers: str


COLORS = {
    "light": Colors("#1f2328", "#59636e", "#0969da", "#c8d1da"),
    "dark": Colors("#f0f6fc", "#9198a1", "#4493f8", "#3d444d"),
}


@dataclass(frozen=True)
class Figure:
    """Figure of firmware that has a column in the chart."""

    key: str
    title: str
    unit: float
    digits: int

    def label(self, value: int) -> str:
        """Label of a bar: the value in the figure's unit."""
        return f"{value / self.unit:,.{self.digits}f}"


FIGURES = (
    Figure("flash", "Flash, KB", 1e3, 0),
    Figure("ram", "RAM, KB", 1e3, 1),
    Figure("modelled_cycles", "Cycles of one inference, million", 1e6, 2),
)


def main() -> int:
    """Write one file for each colour scheme."""
    for scheme, colors in COLORS.items():
        path(scheme).write_text(chart(results(), peer(), colors), encoding="utf-8")
    return 0


def path(scheme: str) -> Path:
    """Path of the chart's file for a colour scheme, 'light' or 'dark'."""
    return FOLDER / f"mlperf_tiny_{scheme}.svg"


def chart(ours: dict[str, Any], peers: dict[str, Any], colors: Colors) -> str:
    """Chart as the text of an SVG file."""
    height = TOP + ROW * len(TITLES) + 34
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} fill="{colors.text}">']
    lines += _legend(str(ours["title"]), str(peers["title"]), colors)
    for place, figure in enumerate(FIGURES):
        x = LEFT + place * PANEL
        lines.append(_text(x, TOP - 14, figure.title, weight="600"))
        for row, model in enumerate(TITLES):
            y = TOP + row * ROW
            lines += _pair(x, y, figure, (ours[model], peers[model]), colors)
    for row, title in enumerate(TITLES.values()):
        lines.append(_text(LEFT - 12, TOP + row * ROW + 19, title, anchor="end"))
    note = f"MLPerf Tiny, int8, Cortex-M4F ({ours['board']} in QEMU, modelled cycles), measured "
    note += f"{ours['date']}; the peer {peers['date']}. Shorter is better."
    lines.append(_text(12, height - 12, note, color=colors.faint))
    return "\n".join([*lines, "</svg>", ""])


def _legend(ours: str, peers: str, colors: Colors) -> Iterator[str]:
    for x, color, name in ((LEFT, colors.ours, ours), (LEFT + 100, colors.peers, peers)):
        yield f'<rect x="{x}" y="16" width="12" height="12" fill="{color}"/>'
        yield _text(x + 18, 26, name)


def _pair(
    x: int, y: int, figure: Figure, models: tuple[dict[str, int], dict[str, int]], colors: Colors
) -> Iterator[str]:
    """Two bars in SVG: our figure above the peer's."""
    most = max(values[figure.key] for values in models)
    bars = zip(models, (colors.ours, colors.peers), ("600", "400"), strict=True)
    for place, (values, color, weight) in enumerate(bars):
        value, top = values[figure.key], y + place * (THICK + 2)
        width = BAR * value / most
        yield f'<rect x="{x}" y="{top}" width="{width:.1f}" height="{THICK}" fill="{color}"/>'
        yield _text(x + width + 6, top + 11, figure.label(value), weight=weight)


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", weight: str = "400", color: str = ""
) -> str:
    fill = f' fill="{color}"' if color else ""
    at = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"{fill}'
    return f"<text {at}>{escape(text)}</text>"


if __name__ == "__main__":
    sys.exit(main())
