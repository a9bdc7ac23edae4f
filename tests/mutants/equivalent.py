"""Mutants that compute the same for every node, though not by the same instructions, and why."""

_TAIL = "the last whole word is left to the tail, which computes the same one by one"

_NO_PIXELS = "one more turn adds no pixels: its sums stay zero"

# (file, way, text of the line) -> why no test can tell
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "ops/mean/mve.h",
        "bound",
        "for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {",
    ): _NO_PIXELS,
    (
        "runtimes/cmsis/mve_elements.h",
        "bound",
        "if (high < Limits<T>::kHigh) x = vminq(x, all(static_cast<T>(high)));",
    ): "the least of an element and the greatest of its type is the element",
    ("ops/mean/lanes.h", "bound", "for (; c + 4 <= p.kept[3]; c += 4) {"): _TAIL,
    (
        "ops/mean/lanes.h",
        "bound",
        "for (int32_t first = 0; first < reduced; first += kLanePixels) {",
    ): _NO_PIXELS,
    (
        "runtimes/cmsis/lanes.h",
        "bound",
        "for (; elements >= kElements; elements -= kElements) {",
    ): _TAIL,
}
