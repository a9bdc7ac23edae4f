"""Mutants that compute the same for every node, though not by the same instructions, and why."""

_TAIL = "whole words are left to the tail, which computes the same one by one"
_NO_PIXELS = "one more turn adds no pixels: its sums stay zero"
_NO_LANES = "one more turn has no lanes: it neither loads nor stores"
_WHOLE = "the limit has no fraction, and the other way keeps it, too"
_NO_SHIFT = "0 and -shift are the same where the shift is 0"

# (file, way, text of the line) -> why no test can tell
EQUIVALENT: dict[tuple[str, str, str], str] = {
    ("ops/floor_div/reference.h", "bound",
     "const bool down = a % b != 0 && (a < 0) != (b < 0);"):
        "0 leaves no remainder, and is no divisor here",
    ("ops/signal_framer/reference.h", "bound",
     "*state.missing = *state.missing > frames ? *state.missing - frames : 0;"):
        "the difference of equal numbers is 0",
    ("ops/leaky_relu/dsp.h", "bound",
     "return clamp(dsp::Word{x.value < 0 ? y.value * p.sign : y.value}, INT16_MIN, INT16_MAX);"):
        "0 is 0 by either sign",
    ("ops/mean/mve.h", "bound",
     "for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {"): _NO_PIXELS,
    ("runtimes/cmsis/mve_elements.h", "bound",
     "if (high < Limits<T>::kHigh) x = vminq(x, all(static_cast<T>(high)));"):
        "the least of an element and the greatest of its type is the element",
    ("ops/batch_matmul/mve.h", "bound",
     "for (int32_t left = depth; left > 0; left -= 8, x += 8 * step, to += 8) {"): _NO_LANES,
    ("ops/batch_matmul/dsp_narrow.h", "bound",
     "for (int32_t i = 0; i < p.stream_count; i += 2) {"): "one more turn stores nothing",
    ("ops/floor_div/reference.h", "bound",
     "if (!(y > -limit && y < limit)) return static_cast<float>(y);"): _WHOLE,
    ("runtimes/core/real_exponential.h", "bound",
     "if (x > 89.0f) return __builtin_inff();"): "exp(89) is infinite, too",
    ("runtimes/families/binary.h", "bound",
     "if (p.activation_min > INT32_MIN && y < p.activation_min) return p.activation_min;"):
        "the minimum is the minimum",
    ("runtimes/core/real_rounding.h", "bound",
     "const bool has_fraction = with_sign(x, 1.0f) < 8388608.0f;  // 2^23"): _WHOLE,
    ("ops/softmax/mve.h", "bound", "for (int32_t i = 0; i < depth; i += 8) {"): _NO_LANES,
    ("runtimes/cmsis/mve_words.h", "bound",
     "const Words shifted = shift > 0 ? shift_left(x, shift) : x;"): "a shift by 0 changes nothing",
    ("runtimes/cmsis/mve_narrow_pixels.h", "bound",
     "if (count < p.filter_height || width < p.filter_width) {"):
        "a window that is copied whole may be cleared before",
    ("runtimes/cmsis/mve_narrow_pixels.h", "bound",
     "if (size <= 16) {"): "pieces of any size can be copied either way",
    ("runtimes/cmsis/mve_words.h", "bound",
     "return rounding_divide_by_pot(high, shift > 0 ? 0 : -shift);"): _NO_SHIFT,
    ("runtimes/core/fixed_point.h", "bound",
     "const int32_t right = shift > 0 ? 0 : -shift;"): _NO_SHIFT,
    ("runtimes/families/lookup.h", "dropped tail", "for (; i < p.elements - 3; i += 4) {"): _TAIL,
    ("runtimes/families/lane_sums.h", "bound",
     "for (int32_t first = 0; first < reduced; first += kLanePixels) {"): _NO_PIXELS,
    ("runtimes/cmsis/lanes.h", "bound",
     "for (; elements >= kElements; elements -= kElements) {"): _TAIL,
}  # fmt: skip
