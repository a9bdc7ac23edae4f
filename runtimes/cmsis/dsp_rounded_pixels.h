// All channels of four pixels with double rounding, as dsp_pixels.h has them with thresholds.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"
#include "runtimes/cmsis/dsp_output_steps.h"
#include "runtimes/cmsis/dsp_pixel_steps.h"

namespace opsmith::dsp {

constexpr int32_t kPixelStepBytes = 56;
constexpr int32_t kSteps = 8;  // of a turn of the loop; the first turn leaves out what is too many

// Bytes of the loop that are jumped over to take all steps but the first.
constexpr int32_t skipped_bytes(int32_t words, bool apart) {
  const int32_t step = kPixelStepBytes + (apart ? 4 : 0);
  return ((1 - (words >> 2)) & (kSteps - 1)) * step;  // kPixels words are a step
}

// Weights whose pairs are two bytes, since some would not fit a halfword as 256 * b + a.
struct WeightsApart {
  const uint32_t* weights;

  void operator+=(int32_t words) { weights += words; }
};

// Weights of windows that lack their first or last inputs: N words follow those of each pair
// of channels that are not multiplied.
template <class W>
struct PartOf {
  W weights;
  int32_t skipped;
};

template <class W>
inline constexpr bool kApart = false;
template <>
inline constexpr bool kApart<WeightsApart> = true;
template <class W>
inline constexpr bool kApart<PartOf<W>> = kApart<W>;
template <class W>
inline constexpr bool kPart = false;
template <class W>
inline constexpr bool kPart<PartOf<W>> = true;

// The weights of a Params, where `unpaired` is a member of one whose pairs do not all fit.
template <class P>
constexpr auto weights_of(const P& /*p*/, const int8_t* packed) {
  const auto* words = reinterpret_cast<const uint32_t*>(packed);
  if constexpr (has_unpaired(static_cast<const P*>(nullptr))) {
    return WeightsApart{words};
  } else {
    return words;
  }
}

inline const uint32_t* first_of(const uint32_t* weights) { return weights; }
inline const uint32_t* first_of(const WeightsApart& apart) { return apart.weights; }
template <class W>
const uint32_t* first_of(const PartOf<W>& part) {
  return first_of(part.weights);
}
template <class W>
constexpr int32_t unread_bytes(const W& /*all*/) {
  return 0;
}
template <class W>
constexpr int32_t unread_bytes(const PartOf<W>& part) {
  return 4 * part.skipped;
}

// Sums of each second channel come 256 times too large. kOwn: channels may round once.
template <bool kOwn, class W>
__attribute__((noinline, noclone)) inline void four_by_rounding(const uint32_t* filled,
                                                                int32_t words, W from,
                                                                const Rounding* constants,
                                                                int32_t channels, int8_t* y) {
  const int32_t skipped = skipped_bytes(words, kApart<W>), unread = unread_bytes(from);
  const uint32_t *end = filled + words, *weights = first_of(from), *columns;
  const int8_t* const limit = y + channels;  // of the first pixel
  int32_t a0, a1, a2, a3, both0, both1, both2, both3;
  uint32_t w, x, next, pair;
  __asm volatile(OPSMITH_BEGIN OPSMITH_MULTIPLY
                 "ldr %[x], %[constants]\n\t"
                 OPSMITH_ROUND_FOUR("a0", "a1", "a2", "a3", "lsl #1")
                 OPSMITH_ROUND_FOUR("both0", "both1", "both2", "both3", "asr #7")
                 "str %[x], %[constants]\n\t"
                 "ldr %[x], %[y]\n\t"
                 "ldr %[next], %[channels]\n\t"
                 OPSMITH_STORE
                 : OPSMITH_REGISTERS
                 : OPSMITH_OPERANDS
                 : "cc", "memory");
}

template <int32_t kLeft, class W>
__attribute__((always_inline)) inline void four_pixels(const StaticOutputs<kLeft, 0, -128, 127>&,
                                                       const uint32_t* filled, int32_t words,
                                                       W weights, const Rounding* constants,
                                                       int32_t channels, int8_t* y) {
  four_by_rounding<false>(filled, words, weights, constants, channels, y);
}
template <int32_t kLeft, class W>
__attribute__((always_inline)) inline void four_pixels(
    const OwnOutputs<StaticOutputs<kLeft, 0, -128, 127>>&, const uint32_t* filled, int32_t words,
    W weights, const Rounding* constants, int32_t channels, int8_t* y) {
  four_by_rounding<true>(filled, words, weights, constants, channels, y);
}

// For a Params read at run time.
template <class W>
void four_pixels(const OutputsOf<int8_t>& o, const uint32_t* filled, int32_t words, W weights,
                 const Rounding* constants, int32_t channels, int8_t* y) {
  four_by_rounding<false>(filled, words, weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
template <class W>
void four_pixels(const OwnOutputs<OutputsOf<int8_t>>& o, const uint32_t* filled, int32_t words,
                 W weights, const Rounding* constants, int32_t channels, int8_t* y) {
  four_by_rounding<true>(filled, words, weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
#undef OPSMITH_OWN_PAIR
#undef OPSMITH_LONG_FOUR
#undef OPSMITH_LONG
#undef OPSMITH_ROUND_FOUR
#undef OPSMITH_ROUND_FOUR_IN
#undef OPSMITH_ROUND_ONCE
#undef OPSMITH_ROUND
#undef OPSMITH_OPERANDS
#undef OPSMITH_REGISTERS
#undef OPSMITH_STORE
#undef OPSMITH_BEGIN
#undef OPSMITH_SHIFT
#undef OPSMITH_REQUANTIZE
#undef OPSMITH_MULTIPLY
#undef OPSMITH_SECOND
#undef OPSMITH_STEP
#undef OPSMITH_UNPACK

}  // namespace opsmith::dsp
