// Bounds of y for kernels that compute channel by channel and leave the clamp to the end, when a
// word has four outputs. Needs the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// Clamps N neighbouring elements of y, a word at a time. Shared by all layers.
__attribute__((noinline)) inline void clamp_bytes(int32_t low, int32_t high, int32_t size,
                                                  int8_t* y) {
  const uint32_t lows = static_cast<uint8_t>(low) * 0x01010101u;
  const uint32_t highs = static_cast<uint8_t>(high) * 0x01010101u;
  for (; size >= 4; size -= 4, y += 4) {
    uint32_t word = load_word(y), less;
    __asm volatile(
        "ssub8 %[less], %[word], %[lows]\n\t"
        "sel %[word], %[word], %[lows]\n\t"
        "ssub8 %[less], %[highs], %[word]\n\t"
        "sel %[word], %[word], %[highs]"
        : [word] "+r"(word), [less] "=&r"(less)
        : [lows] "r"(lows), [highs] "r"(highs)
        : "cc");
    store_word(y, word);
  }
  clamp_outputs(Bounds{low, high}, size, 1, y);
}

// Clamps an image of int8, or a channel of it, to the bounds of P.
template <class P>
void clamp_image(const P& p, int32_t size, int8_t* y) {
  if (p.activation_max - p.activation_min == 255) return;
  clamp_bytes(p.activation_min, p.activation_max, size, y);
}
template <class P>
void clamp_image(const P& /*p*/, int32_t /*size*/, uint8_t* /*y*/) {}
template <class P>
void clamp_channel(const P& p, int32_t size, int32_t pitch, int8_t* y) {
  clamp_outputs(Bounds{p.activation_min, p.activation_max}, size, pitch, y);
}

}  // namespace opsmith::dsp
