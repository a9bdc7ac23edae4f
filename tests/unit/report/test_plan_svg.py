"""The picture of a plan: every tensor once, in its arena, and the peak marked."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from opsmith.report.plan_svg import HEIGHT, PEAK, TOP, _label, peak_nodes, plan_svg

SPACE = "{http://www.w3.org/2000/svg}"


def placed(name: str, offset: int, size: int, first: int, last: int, memory: str = "ram") -> Any:
    return {
        "id": name, "memory": memory, "offset": offset, "bytes": size, "first": first, "last": last
    }  # fmt: skip


MODEL = {
    "name": "m",
    "arena": {"ram": {"bytes": 96, "alignment": 16, "lower_bound": 80},
              "ccm": {"bytes": 16, "alignment": 16, "lower_bound": 16}},
    "nodes": [{"op": "copy"}, {"op": "a<b"}],
    "tensors": [placed("x", 0, 32, -1, 0), placed("y", 32, 64, 0, 1), placed("z", 0, 16, 1, 2),
                placed("y.s", 0, 16, 0, 0, "ccm")],
}  # fmt: skip


def drawn() -> list[tuple[str, ElementTree.Element]]:
    """The title and the rectangle of everything that has one."""
    root = ElementTree.fromstring(plan_svg(MODEL))
    titles = ((rect.findtext(f"{SPACE}title"), rect) for rect in root.iter(f"{SPACE}rect"))
    return [(title, rect) for title, rect in titles if title]


def test_every_tensor_is_drawn_once_and_inside_its_panel() -> None:
    found = {title.partition(":")[0]: rect for title, rect in drawn() if title != "the peak"}
    assert set(found) == {"x", "y", "z", "y.s"}
    for name, rect in found.items():
        top = TOP + (TOP + HEIGHT if name == "y.s" else 0)
        y, height = float(rect.attrib["y"]), float(rect.attrib["height"])
        assert top - 0.1 <= y and y + height <= top + HEIGHT - TOP + 0.1


@pytest.mark.parametrize(
    ("width", "height", "shown"),
    [
        (120, 20, ">activation_2_Relu<"),
        (60, 200, 'rotate(-90)" text-anchor="middle">activation_2_Relu<'),
        (60, 80, 'rotate(-90)" text-anchor="middle">acti…_2_Relu<'),
        (60, 40, ""),
        (120, 8, ""),
    ],
)
def test_a_label_is_read_or_left_out(width: float, height: float, shown: str) -> None:
    text = "".join(_label("activation_2_Relu", 0, 0, width, height))
    assert text.endswith(f"{shown}/text>" if shown else "")
    assert bool(text) == bool(shown)


def test_the_peak_is_marked() -> None:
    assert peak_nodes(MODEL["tensors"][:3], 2) == [0, 1]  # type: ignore[index]
    marks = [rect for title, rect in drawn() if title == "the peak"]
    assert [rect.attrib["stroke"] for rect in marks] == [PEAK] * 3


def test_names_are_escaped_and_the_bound_is_reported() -> None:
    text = plan_svg(MODEL)
    assert "a&lt;b" in text
    assert "m: 96 bytes in ram, lower bound 80" in text
