"""Mutants that compute the same for every node, though not by the same instructions, and why."""

_TAIL = "the last whole word is left to the tail, which computes the same one by one"

# (file, way, text of the line) -> why no test can tell
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "ops/mean/mve.h",
        "bound",
        "for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {",
    ): "one more turn adds no pixels: its sums stay zero",
    (
        "runtimes/cmsis/mve_elements.h",
        "bound",
        "if (high < INT8_MAX) x = vminq_s8(x, vdupq_n_s8(static_cast<int8_t>(high)));",
    ): "the least of an element and the greatest int8 is the element",
    ("ops/mean/lanes.h", "bound", "for (; c + 4 <= p.kept[3]; c += 4) {"): _TAIL,
    (
        "runtimes/cmsis/lanes.h",
        "bound",
        "for (; elements >= 4; elements -= 4, a += 4, b += 4, y += 4) {",
    ): _TAIL,
}
