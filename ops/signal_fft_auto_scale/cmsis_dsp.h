// Needs the DSP extension. Fast because a word has two samples: SSUB16 and SEL find the greater and
// the lesser of two pairs at once.
#pragma once

#include "ops/signal_fft_auto_scale/reference.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::signal_fft_auto_scale {

// The greater halfwords, and the lesser ones.
inline uint32_t greater_halves(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub16 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}
inline uint32_t lesser_halves(uint32_t a, uint32_t b) {
  uint32_t result;
  __asm("ssub16 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(result) : "r"(a), "r"(b) : "cc");
  return result;
}

// What the definition finds. It takes the magnitude of -32768 for less than all others, so that the
// order counts: only there samples go one by one.
inline int16_t largest_of_words(const int16_t* x, int32_t elements) {
  uint32_t most = 0, least = 0;
#pragma GCC unroll 4
  for (int32_t i = 0; i + 2 <= elements; i += 2) {
    const uint32_t word = dsp::load_word(x + i);
    most = greater_halves(most, word);
    least = lesser_halves(least, word);
  }
  if (elements % 2 != 0) {
    const uint32_t last = static_cast<uint16_t>(x[elements - 1]);
    most = greater_halves(most, last);
    least = lesser_halves(least, last);
  }
  least = lesser_halves(least, least >> 16);
  most = greater_halves(most, most >> 16);
  const int16_t low = static_cast<int16_t>(least), high = static_cast<int16_t>(most);
  if (low == INT16_MIN) return largest_magnitude(x, elements);
  return static_cast<int16_t>(high > -low ? high : -low);
}

template <class P>
void signal_fft_auto_scale_cmsis_dsp(const P& p, const In& in, const Out& out) {
  const int32_t bits = headroom(largest_of_words(in.x, p.elements));
#pragma GCC unroll 4
  for (int32_t i = 0; i + 2 <= p.elements; i += 2) {
    const uint32_t word = dsp::load_word(in.x + i);
    dsp::store_word(out.y + i, dsp::pkhbt(word << bits, (word >> 16) << bits));
  }
  const int32_t last = p.elements - 1;
  if (last % 2 == 0) out.y[last] = static_cast<int16_t>(in.x[last] * (1 << bits));
  *out.bits = bits;
}

}  // namespace opsmith::signal_fft_auto_scale
