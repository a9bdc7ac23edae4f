// All channels of four pixels, for kernels that require `dsp`. Fast because each pair of weights
// that is loaded serves four pixels and two output channels: eight sums stay in registers, SMLAD
// adds two products at once, and only one of the two channels' weights are unpacked.
#pragma once

#include "runtimes/cmsis/dsp_rounded_pixels.h"
#include "runtimes/cmsis/dsp_output_steps.h"
#include "runtimes/cmsis/dsp_pixel_steps.h"

namespace opsmith::dsp {

// All channels of four pixels whose columns of N words are filled. `channels` are also the
// bytes from a pixel of y to the next. W: all weights of windows, or a part. Shared by all layers
// that requantise alike, like those below: with -O3, GCC would clone them for layers of equal
// sizes.
template <class O, class C, class W>
__attribute__((noinline, noclone)) void four_pixels(const O& o, const uint32_t* filled,
                                                    int32_t words, W from, const C* constants,
                                                    int32_t channels, int8_t* y) {
  const int32_t skipped = skipped_bytes(words, kApart<W>);
  const uint32_t *end = filled + words, *weights = first_of(from);
  for (int32_t c = 0; c < channels; c += 2, y += 2, constants += 2) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, both0, both1, both2, both3;
    uint32_t w, x, next, pair;
    __asm volatile(OPSMITH_MULTIPLY
                   : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
                     [both0] "=&r"(both0), [both1] "=&r"(both1), [both2] "=&r"(both2),
                     [both3] "=&r"(both3), [columns] "+r"(columns), [weights] "+r"(weights),
                     [w] "=&r"(w), [x] "=&r"(x), [next] "=&r"(next), [pair] "=&r"(pair)
                   : [skipped] "m"(skipped), [end] "m"(end), [weighing] "i"(kApart<W>)
                   : "cc", "memory");
    weights += unread_bytes(from) / 4;
    const C a = constants[0];
    y[0] = requantize(o, a0, a);
    y[channels] = requantize(o, a1, a);
    y[2 * channels] = requantize(o, a2, a);
    y[3 * channels] = requantize(o, a3, a);
    if (c + 1 == channels) break;
    const C b = constants[1];
    y[1] = requantize(o, both0 >> 8, b);
    y[channels + 1] = requantize(o, both1 >> 8, b);
    y[2 * channels + 1] = requantize(o, both2 >> 8, b);
    y[3 * channels + 1] = requantize(o, both3 >> 8, b);
  }
}

// The same for thresholds known at compile time, with no more instructions than it takes: what the
// compiler does with the sums costs half as much again.
// kOwn: some pairs of channels have 1, Rounding, or
// 2, LongThreshold; 4: outputs are of uint8.
template <int32_t kLeft, int32_t kRight, int32_t kOwn, class W>
__attribute__((noinline, noclone)) void four_by_thresholds(const uint32_t* filled, int32_t words,
                                                           W from, const Threshold* constants,
                                                           int32_t channels, int8_t* y) {
  const int32_t skipped = skipped_bytes(words, kApart<W>), unread = unread_bytes(from);
  const uint32_t *end = filled + words, *weights = first_of(from), *columns;
  const int8_t* const limit = y + channels;  // of the first pixel
  int32_t a0, a1, a2, a3, both0, both1, both2, both3;
  uint32_t w, x, next, pair;
  __asm volatile(
      OPSMITH_BEGIN OPSMITH_MULTIPLY
      "ldr %[pair], %[constants]\n\t"
      "ldr %[x], %[y]\n\t"
      "ldr %[next], %[channels]\n\t"
      "ldr %[w], [%[pair]], #4\n\t"  // multiplier and offset; loads in a row take one cycle
      "ldr %[columns], [%[pair]], #4\n\t" OPSMITH_OWN_PAIR OPSMITH_REQUANTIZE("a0", "")
          OPSMITH_REQUANTIZE("a1", "") OPSMITH_REQUANTIZE("a2", "") OPSMITH_REQUANTIZE(
              "a3", "") "ldrd %[w], %[columns], [%[pair]], #8\n\t" OPSMITH_REQUANTIZE("both0",
                                                                                      " - 8")
              OPSMITH_REQUANTIZE("both1", " - 8") OPSMITH_REQUANTIZE("both2", " - 8")
                  OPSMITH_REQUANTIZE("both3",
                                     " - 8") "7:\n\tstr %[pair], %[constants]\n\t" OPSMITH_STORE
      : OPSMITH_REGISTERS
      : OPSMITH_OPERANDS, [left] "i"(kLeft), [right] "i"(kRight)
      : "cc", "memory");
}

template <int32_t kLeft, int32_t kRight, class W>
__attribute__((always_inline)) inline void four_pixels(
    const StaticOutputs<kLeft, kRight, -128, 127>&, const uint32_t* filled, int32_t words,
    W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_thresholds<kLeft, kRight, 0>(filled, words, weights, constants, channels, y);
}

template <int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax, class W>
__attribute__((always_inline)) inline void four_pixels(
    const OwnOutputs<StaticOutputs<kLeft, kRight, kMin, kMax>>&, const uint32_t* filled,
    int32_t words, W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_thresholds<kLeft, kRight, 1>(filled, words, weights, constants, channels, y);
  clamp_outputs(OutputsOf<int8_t>{{kLeft, kRight, kMin, kMax}}, kPixels * channels, 1, y);
}

template <int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax, class W>
__attribute__((always_inline)) inline void four_pixels(
    const LongOwnOutputs<StaticOutputs<kLeft, kRight, kMin, kMax>>&, const uint32_t* filled,
    int32_t words, W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_thresholds<kLeft, kRight, 2>(filled, words, weights, constants, channels, y);
  clamp_outputs(OutputsOf<int8_t>{{kLeft, kRight, kMin, kMax}}, kPixels * channels, 1, y);
}

// For outputs of uint8.
template <int32_t kLeft, int32_t kRight, class W>
__attribute__((always_inline)) inline void four_pixels(const StaticOutputs<kLeft, kRight, 0, 255>&,
                                                       const uint32_t* filled, int32_t words,
                                                       W weights, const Threshold* constants,
                                                       int32_t channels, int8_t* y) {
  four_by_thresholds<kLeft, kRight, 4>(filled, words, weights, constants, channels, y);
}

template <int32_t kOwn, class W>
__attribute__((noinline, noclone)) void four_by_any_thresholds(int32_t left, int32_t right,
                                                               const uint32_t* filled,
                                                               int32_t words, W from,
                                                               const Threshold* constants,
                                                               int32_t channels, int8_t* y) {
  const int32_t skipped = skipped_bytes(words, kApart<W>), unread = unread_bytes(from);
  const uint32_t *end = filled + words, *weights = first_of(from), *columns;
  const int8_t* const limit = y + channels;  // of the first pixel
  int32_t a0, a1, a2, a3, both0, both1, both2, both3;
  uint32_t w, x, next, pair;
  __asm volatile(OPSMITH_BEGIN OPSMITH_MULTIPLY
                   "ldr %[pair], %[constants]\n\t"
                   "ldr %[x], %[left]\n\t"
                   "ldr %[next], %[right]\n\t"
                   "ldr %[w], [%[pair]], #4\n\t"
                   "ldr %[columns], [%[pair]], #4\n\t"
                   OPSMITH_OWN_PAIR
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
                   "7:\n\t"
                   "str %[pair], %[constants]\n\t"
                   "ldr %[x], %[y]\n\t"
                   "ldr %[next], %[channels]\n\t"
                   OPSMITH_STORE
                   : OPSMITH_REGISTERS
                 : OPSMITH_OPERANDS, [left] "m"(left), [right] "m"(right)
                 : "cc", "memory");
}

// For a Params read at run time.
template <class T, class W>
void four_pixels(const OutputsOf<T>& o, const uint32_t* filled, int32_t words, W weights,
                 const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_any_thresholds<static_cast<T>(-1) == 255 ? 4 : 0>(o.left_shift, o.right_shift, filled,
                                                            words, weights, constants, channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
template <class W>
void four_pixels(const OwnOutputs<OutputsOf<int8_t>>& o, const uint32_t* filled, int32_t words,
                 W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_any_thresholds<1>(o.left_shift, o.right_shift, filled, words, weights, constants,
                            channels, y);
  clamp_outputs(o, kPixels * channels, 1, y);
}
template <class W>
void four_pixels(const LongOwnOutputs<OutputsOf<int8_t>>& o, const uint32_t* filled, int32_t words,
                 W weights, const Threshold* constants, int32_t channels, int8_t* y) {
  four_by_any_thresholds<2>(o.left_shift, o.right_shift, filled, words, weights, constants,
                            channels, y);
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
