"""The picture of a plan: every tensor once, in its arena, and the peak marked."""

import cmath
import itertools
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from opsmith.emit.manifest import manifest
from opsmith.report.plan_svg import HEIGHT, PEAK, TOP, Box, _label, peak_nodes, plan_svg
from opsmith.testing.known_ops import shipped_ops
from tests.each import for_each
from tests.fuzz.graphs.networks import network
from tests.programs import compiled

TURNED = re.compile(r"translate\(([\d.]+) ([\d.]+)\) rotate\((-\d+)\)")
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
    """Titles and rectangles of all elements of the picture that have a title."""
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


@pytest.mark.parametrize(("width", "height", "shown"), [
    (120, 20, ">activation_2_Relu<"),
    (60, 200, 'rotate(-90)">activation_2_Relu<'),
    (60, 80, 'rotate(-90)">acti…_2_Relu<'),
    (60, 40, ""),
    (120, 8, ""),
])  # fmt: skip
def test_a_label_is_read_or_left_out(width: float, height: float, shown: str) -> None:
    text = "".join(_label("activation_2_Relu", Box(0, 0, width, height), [], []))
    assert text.endswith(f"{shown}/text>" if shown else "")
    assert bool(text) == bool(shown)


def test_the_peak_is_marked() -> None:
    assert peak_nodes(MODEL["tensors"][:3], 2) == [0, 1]  # type: ignore[index]
    marks = [rect for title, rect in drawn() if title == "the peak"]
    assert [rect.attrib["stroke"] for rect in marks] == [PEAK] * 2  # one of two nodes, one of one


def corners(text: ElementTree.Element) -> list[complex]:
    """Corners of a text in a monospaced font, whose letters are 0.6 of the font's size wide."""
    size = float(text.attrib.get("font-size", 10))
    length, turn = len(text.text or "") * 0.6 * size, 1 + 0j
    if turned := TURNED.match(text.get("transform", "")):
        x, y = float(turned[1]), float(turned[2])
        turn = cmath.exp(1j * math.radians(int(turned[3])))
    else:
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
    start = -length if text.get("text-anchor") == "end" else 0
    box = [(start, -0.75), (start + length, -0.75), (start + length, 0.2), (start, 0.2)]
    return [complex(x, y) + complex(along, up * size) * turn for along, up in box]


def apart(one: list[complex], other: list[complex]) -> bool:
    """Whether a line lies between two rectangles."""
    sides = [b - a for each in (one, other) for a, b in itertools.pairwise(each[:3])]
    for side in sides:
        first, second = ([(p * side.conjugate()).real for p in each] for each in (one, other))
        if max(first) <= min(second) + 0.1 or max(second) <= min(first) + 0.1:
            return True
    return False


def misplaced(picture: str) -> list[str]:
    """Texts that overlap a different text, or leave the picture."""
    root = ElementTree.fromstring(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    texts = [(str(each.text), corners(each)) for each in root.iter(f"{SPACE}text")]
    found = [
        f"{text} leaves the picture"
        for text, box in texts
        if not all(0 <= p.real <= width and 0 <= p.imag <= height for p in box)
    ]
    pairs = itertools.combinations(texts, 2)
    return found + [f"{a} overlaps {b}" for (a, one), (b, two) in pairs if not apart(one, two)]


def picture_of(model: Path | bytes) -> str:
    return plan_svg(manifest(compiled(model), shipped_ops()))


@pytest.mark.slow
@for_each(*range(20))
def test_no_label_of_a_network_overlaps_another(seed: int) -> None:
    assert misplaced(picture_of(network(seed))) == []


def test_no_label_of_the_digits_overlaps_another() -> None:
    assert misplaced(picture_of(Path("tests/models/digits_int8.tflite"))) == []


def test_names_are_escaped_and_the_bound_is_reported() -> None:
    text = plan_svg(MODEL)
    assert "a&lt;b" in text
    assert "m: 96 bytes in ram, lower bound 80" in text
