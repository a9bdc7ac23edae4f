"""The chart and the tables of README.md are those of the recorded results, to scale."""

import re
from datetime import date
from xml.etree import ElementTree

import pytest

from tests.bench.chart import BAR, COLORS, FIGURES, TITLES, chart, path
from tests.bench.result_tables import FRONT_PAGE, README, with_front_row, with_tables
from tests.bench.results import FIGURES as RECORDED
from tests.bench.results import RESULTS, peer, results, results_text


@pytest.mark.parametrize("scheme", COLORS)
def test_the_chart_is_current(scheme: str) -> None:
    drawn = chart(results(), peer(), COLORS[scheme])
    redraw = "run: .venv/bin/python -m tests.bench.chart"
    assert path(scheme).read_text(encoding="utf-8") == drawn, redraw
    ElementTree.fromstring(drawn)


def test_the_tables_are_current() -> None:
    readme = README.read_text(encoding="utf-8")
    again = "run: .venv/bin/python -m tests.bench.results --tables"
    assert readme == with_tables(readme, results(), peer()), again
    with pytest.raises(SystemExit, match="put the lines .* around it"):
        with_tables(readme.replace("End of speed", ""), results(), peer())


def test_the_front_page_is_current() -> None:
    page = FRONT_PAGE.read_text(encoding="utf-8")
    again = "run: .venv/bin/python -m tests.bench.results --tables"
    assert page == with_front_row(page, results(), peer()), again
    with pytest.raises(SystemExit, match="no row of KWS"):
        with_front_row(page.replace("| KWS", "| Kws"), results(), peer())


def test_bars_have_the_ratio_of_their_figures() -> None:
    ours = {"title": "Ours & more", "board": "b", "date": "d"}
    peers = {"title": "Theirs", "date": "e"}
    found = dict.fromkeys(TITLES, dict.fromkeys((figure.key for figure in FIGURES), 250_000))
    larger = dict.fromkeys(TITLES, dict.fromkeys((figure.key for figure in FIGURES), 1_000_000))
    drawn = chart(ours | found, peers | larger, COLORS["light"])
    bars = re.findall(r'<rect [^>]*width="([\d.]+)" height="14" fill="(#\w+)"/>', drawn)
    assert len(bars) == 2 * len(TITLES) * len(FIGURES)
    wanted = [(f"{BAR / 4:.1f}", COLORS["light"].ours), (f"{BAR:.1f}", COLORS["light"].peers)]
    assert bars == wanted * (len(bars) // 2)
    assert "Ours &amp; more" in drawn
    assert ">250<" in drawn
    assert ">0.25<" in drawn


def test_results_read_back() -> None:
    found = results()
    models = {name: found[name] for name in TITLES}
    assert results_text(models, found["date"]) == RESULTS.read_text(encoding="utf-8")
    assert isinstance(found["date"], date)
    assert all(set(values) == set(RECORDED) for values in models.values())
