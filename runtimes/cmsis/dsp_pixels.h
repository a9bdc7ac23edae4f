// All channels of four pixels, for kernels that require `dsp`. Fast because each pair of weights
// that is loaded serves four pixels and two output channels: eight sums stay in registers, SMLAD
// adds two products at once, and only one of the two channels' weights are unpacked.
#pragma once

#include "runtimes/cmsis/dsp_columns.h"
#include "runtimes/cmsis/dsp_output_steps.h"
#include "runtimes/cmsis/dsp_pixel_steps.h"

namespace opsmith::dsp {

constexpr int32_t kPixelStepBytes = 56;
constexpr int32_t kSteps = 8;  // of a turn of the loop; the first turn leaves out what is too many

// Bytes of the loop that are jumped over to take all steps but the first.
constexpr int32_t skipped_bytes(int32_t words) {
  return ((1 - (words >> 2)) & (kSteps - 1)) * kPixelStepBytes;  // kPixels words are a step
}

// Weights of windows that lack their first or last inputs: N words follow those of each pair
// of channels that are not multiplied.
struct PartOfWeights {
  const uint32_t* weights;
  int32_t skipped;
};

inline const uint32_t* first_of(const uint32_t* weights) { return weights; }
inline const uint32_t* first_of(const PartOfWeights& part) { return part.weights; }
inline void skip(const uint32_t* /*all*/, const uint32_t*& /*weights*/) {}
inline void skip(const PartOfWeights& part, const uint32_t*& weights) { weights += part.skipped; }

// All channels of four pixels whose columns of N words are filled. `channels` are also the
// bytes from a pixel of y to the next. Shared by all layers that requantise alike. W: all weights
// of windows, or a part.
template <class O, class C, class W>
__attribute__((noinline)) void four_pixels(const O& o, const uint32_t* filled, int32_t words,
                                           W from, const C* constants, int32_t channels,
                                           int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_bytes(words);
  const uint32_t* end = filled + words;
  for (int32_t c = 0; c < channels; c += 2, y += 2, constants += 2) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(OPSMITH_MULTIPLY
                   : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
                     [both0] "=&r"(both0), [both1] "=&r"(both1), [both2] "=&r"(both2),
                     [both3] "=&r"(both3), [columns] "+r"(columns), [weights] "+r"(weights),
                     [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair)
                   : [skipped] "m"(skipped), [end] "m"(end)
                   : "cc", "memory");
    skip(from, weights);
    const C a = constants[0];
    y[0] = requantize(o, a0, a);
    y[channels] = requantize(o, a1, a);
    y[2 * channels] = requantize(o, a2, a);
    y[3 * channels] = requantize(o, a3, a);
    if (c + 1 == channels) break;
    const C b = constants[1];
    y[1] = requantize(o, (both0 - a0) >> 8, b);
    y[channels + 1] = requantize(o, (both1 - a1) >> 8, b);
    y[2 * channels + 1] = requantize(o, (both2 - a2) >> 8, b);
    y[3 * channels + 1] = requantize(o, (both3 - a3) >> 8, b);
  }
}

// The same for thresholds known at compile time, with no more instructions than it takes: what the
// compiler does with the sums costs half as much again. kEven: no channel is without a second.
template <int32_t kLeft, int32_t kRight, bool kUnsigned, bool kEven, class W>
__attribute__((noinline)) void four_by_thresholds(const uint32_t* filled, int32_t words, W from,
                                                  const Threshold* constants, int32_t channels,
                                                  int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_bytes(words);
  const uint32_t* end = filled + words;
  // a channel without a second
  const int8_t* alone = !kEven && channels % 2 ? y + channels - 1 : nullptr;
  for (int32_t pairs = (channels + 1) >> 1; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(
        OPSMITH_MULTIPLY
        "sub %[both0], %[both0], %[a0]\n\t"
        "sub %[both1], %[both1], %[a1]\n\t"
        "sub %[both2], %[both2], %[a2]\n\t"
        "sub %[both3], %[both3], %[a3]\n\t"
        "ldr %[pair], %[constants]\n\t"
        "ldr %[x], %[y]\n\t"
        "ldr %[next], %[channels]\n\t"
        "ldr %[w], [%[pair]], #4\n\t"  // multiplier and offset; loads in a row take one cycle
        "ldr %[columns], [%[pair]], #4\n\t" OPSMITH_REQUANTIZE("a0", "left")
            OPSMITH_REQUANTIZE("a1", "left") OPSMITH_REQUANTIZE("a2", "left") OPSMITH_REQUANTIZE(
                "a3",
                "left") "ldrd %[w], %[columns], [%[pair]], #8\n\t" OPSMITH_REQUANTIZE("both0",
                                                                                      "left_of_b")
                OPSMITH_REQUANTIZE("both1", "left_of_b") OPSMITH_REQUANTIZE("both2", "left_of_b")
                    OPSMITH_REQUANTIZE("both3",
                                       "left_of_b") "str %[pair], %[constants]\n\t" OPSMITH_STORE
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [both0] "=&r"(both0),
          [both1] "=&r"(both1), [both2] "=&r"(both2), [both3] "=&r"(both3), [columns] "+r"(columns),
          [weights] "+r"(weights), [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next),
          [pair] "=&r"(pair), [y] "+m"(y), [constants] "+m"(constants)
        : [skipped] "m"(skipped), [end] "m"(end), [channels] "m"(channels), [alone] "m"(alone),
          [left] "i"(kLeft), [left_of_b] "i"(kLeft - 8), [right] "i"(kRight),
          [is_unsigned] "i"(kUnsigned), [even] "i"(kEven)
        : "cc", "memory");
    skip(from, weights);
  }
}

template <int32_t kLeft, int32_t kRight, class W>
__attribute__((always_inline)) inline void four_pixels(
    const StaticOutputs<kLeft, kRight, -128, 127>&, const uint32_t* filled, int32_t words,
    W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  if (channels % 2 == 0) {
    four_by_thresholds<kLeft, kRight, false, true>(filled, words, weights, constants, channels, y);
  } else {
    four_by_thresholds<kLeft, kRight, false, false>(filled, words, weights, constants, channels, y);
  }
}

// For outputs of uint8.
template <int32_t kLeft, int32_t kRight, class W>
__attribute__((always_inline)) inline void four_pixels(const StaticOutputs<kLeft, kRight, 0, 255>&,
                                                       const uint32_t* filled, int32_t words,
                                                       W weights, const Threshold* constants,
                                                       int32_t channels, int8_t* y) {
  if (channels % 2 == 0) {
    four_by_thresholds<kLeft, kRight, true, true>(filled, words, weights, constants, channels, y);
  } else {
    four_by_thresholds<kLeft, kRight, true, false>(filled, words, weights, constants, channels, y);
  }
}

template <bool kUnsigned, class W>
__attribute__((noinline)) void four_by_any_thresholds(int32_t left, int32_t right,
                                                      const uint32_t* filled, int32_t words, W from,
                                                      const Threshold* constants, int32_t channels,
                                                      int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_bytes(words);
  const uint32_t* end = filled + words;
  const int8_t* alone = channels % 2 ? y + channels - 1 : nullptr;
  for (int32_t pairs = (channels + 1) >> 1; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(OPSMITH_MULTIPLY
                   "sub %[both0], %[both0], %[a0]\n\t"
                   "sub %[both1], %[both1], %[a1]\n\t"
                   "sub %[both2], %[both2], %[a2]\n\t"
                   "sub %[both3], %[both3], %[a3]\n\t"
                   "ldr %[pair], %[constants]\n\t"
                   "ldr %[x], %[left]\n\t"
                   "ldr %[next], %[right]\n\t"
                   "ldr %[w], [%[pair]], #4\n\t"
                   "ldr %[columns], [%[pair]], #4\n\t"
                   OPSMITH_SHIFT("a0")
                   OPSMITH_SHIFT("a1")
                   OPSMITH_SHIFT("a2")
                   OPSMITH_SHIFT("a3")
                   "ldrd %[w], %[columns], [%[pair]], #8\n\t"
                   "sub %[x], %[x], #8\n\t"
                   OPSMITH_SHIFT("both0")
                   OPSMITH_SHIFT("both1")
                   OPSMITH_SHIFT("both2")
                   OPSMITH_SHIFT("both3")
                   "str %[pair], %[constants]\n\t"
                   "ldr %[x], %[y]\n\t"
                   "ldr %[next], %[channels]\n\t"
                   OPSMITH_STORE
                   : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
                     [both0] "=&r"(both0), [both1] "=&r"(both1), [both2] "=&r"(both2),
                     [both3] "=&r"(both3), [columns] "+r"(columns), [weights] "+r"(weights),
                     [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair),
                     [y] "+m"(y), [constants] "+m"(constants)
                   : [skipped] "m"(skipped), [end] "m"(end), [channels] "m"(channels),
                     [alone] "m"(alone), [left] "m"(left), [right] "m"(right),
                     [is_unsigned] "i"(kUnsigned), [even] "i"(false)
                   : "cc", "memory");
    skip(from, weights);
  }
}

// For a Params read at run time.
template <class T, class W>
void four_pixels(const OutputsOf<T>& o, const uint32_t* filled, int32_t words, W weights,
                 const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_any_thresholds<static_cast<T>(-1) == 255>(o.left_shift, o.right_shift, filled, words,
                                                    weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}

// The same with double rounding; b's sums come 256 times too large. kOwn: channels may round once.
template <bool kEven, bool kOwn, class W>
__attribute__((noinline)) inline void four_by_rounding(const uint32_t* filled, int32_t words,
                                                       W from, const Rounding* constants,
                                                       int32_t channels, int8_t* y) {
  const uint32_t* weights = first_of(from);
  const int32_t skipped = skipped_bytes(words);
  const uint32_t* end = filled + words;
  const int8_t* alone = !kEven && channels % 2 ? y + channels - 1 : nullptr;
  for (int32_t pairs = (channels + 1) >> 1; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(OPSMITH_MULTIPLY
                   "sub %[both0], %[both0], %[a0]\n\t"
                   "sub %[both1], %[both1], %[a1]\n\t"
                   "sub %[both2], %[both2], %[a2]\n\t"
                   "sub %[both3], %[both3], %[a3]\n\t"
                   "ldr %[x], %[constants]\n\t"
                   OPSMITH_ROUND_FOUR("a0", "a1", "a2", "a3", "lsl #1")
                   OPSMITH_ROUND_FOUR("both0", "both1", "both2", "both3", "asr #7")
                   "str %[x], %[constants]\n\t"
                   "ldr %[x], %[y]\n\t"
                   "ldr %[next], %[channels]\n\t"
                   OPSMITH_STORE
                   : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
                     [both0] "=&r"(both0), [both1] "=&r"(both1), [both2] "=&r"(both2), [both3] "=&r"(both3),
                     [columns] "+r"(columns), [weights] "+r"(weights), [w] "=&r"(w), [x] "=&r"(x),
                     [next] "=&r"(next), [pair] "=&r"(pair), [y] "+m"(y),
                     [constants] "+m"(constants)
                   : [skipped] "m"(skipped), [end] "m"(end), [channels] "m"(channels),
                     [alone] "m"(alone), [even] "i"(kEven), [own] "i"(kOwn)
                   : "cc", "memory");
    skip(from, weights);
  }
}

template <bool kOwn, class W>
__attribute__((always_inline)) inline void four_by_rounding(const uint32_t* filled, int32_t words,
                                                            W weights, const Rounding* constants,
                                                            int32_t channels, int8_t* y) {
  if (channels % 2 == 0) {
    four_by_rounding<true, kOwn>(filled, words, weights, constants, channels, y);
  } else {
    four_by_rounding<false, kOwn>(filled, words, weights, constants, channels, y);
  }
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
  four_by_rounding<false, false>(filled, words, weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
template <class W>
void four_pixels(const OwnOutputs<OutputsOf<int8_t>>& o, const uint32_t* filled, int32_t words,
                 W weights, const Rounding* constants, int32_t channels, int8_t* y) {
  four_by_rounding<false, true>(filled, words, weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
#undef OPSMITH_ROUND_FOUR
#undef OPSMITH_ROUND_ONCE
#undef OPSMITH_ROUND
#undef OPSMITH_STORE
#undef OPSMITH_SHIFT
#undef OPSMITH_REQUANTIZE
#undef OPSMITH_MULTIPLY
#undef OPSMITH_STEP

}  // namespace opsmith::dsp
