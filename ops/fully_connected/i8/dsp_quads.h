// Needs the DSP extension. Fast because each four inputs that are loaded and unpacked serve four
// output channels, and SMLAD adds two products at once; for sums and weights of any size.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::fully_connected::i8 {

#define OPSMITH_CHANNEL(w, sum)             \
  "sxtb16 %[t], %[" w                       \
  "]\n\t"                                   \
  "sxtb16 %[" w "], %[" w                   \
  "], ror #8\n\t"                           \
  "smlad %[" sum "], %[t], %[even], %[" sum \
  "]\n\t"                                   \
  "smlad %[" sum "], %[" w "], %[odd], %[" sum "]\n\t"
#define OPSMITH_QUAD \
  "ldr %[odd], [%[x]], #4\n\t"            \
  "ldr %[v], [%[weights]], #4\n\t"        \
  "ldr %[w], [%[weights]], #4\n\t"        \
  "sxtb16 %[even], %[odd]\n\t"            \
  "sxtb16 %[odd], %[odd], ror #8\n\t"     \
  OPSMITH_CHANNEL("v", "a")               \
  OPSMITH_CHANNEL("w", "b")               \
  "ldr %[v], [%[weights]], #4\n\t"        \
  "ldr %[w], [%[weights]], #4\n\t"        \
  OPSMITH_CHANNEL("v", "c")               \
  OPSMITH_CHANNEL("w", "d")

// The sums of four channels, whose words of weights take turns; after an input's last word these
// are zero. A turn is two words; of an odd number the first turn begins with its second. Shared by
// all layers; returns the weights of the next channels.
__attribute__((noinline)) inline const uint32_t* four_sums(const int8_t* x, int32_t depth,
                                                           const uint32_t* weights,
                                                           int32_t (&sums)[4]) {
  int32_t a = 0, b = 0, c = 0, d = 0;
  const int8_t* const end = x + (depth & ~3);
  if (x != end) {
    uint32_t even, odd, v, w, t;
    __asm volatile(
        "sub %[t], %[end], %[x]\n\t"
        "lsls %[t], %[t], #29\n\t"
        "bmi 2f\n"
        "1:\n\t" OPSMITH_QUAD "2:\n\t" OPSMITH_QUAD
        "cmp %[x], %[end]\n\t"
        "bne 1b"
        : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [x] "+r"(x), [weights] "+r"(weights),
          [even] "=&r"(even), [odd] "=&r"(odd), [v] "=&r"(v), [w] "=&r"(w), [t] "=&r"(t)
        : [end] "r"(end)
        : "cc", "memory");
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
  if ((depth & 3) == 0) return weights;
  for (int32_t k = 0; k < (depth & 3); ++k) {
    const int8_t* w = reinterpret_cast<const int8_t*>(weights) + k;
    for (int32_t i = 0; i < 4; ++i) sums[i] += x[k] * w[4 * i];
  }
  return weights + 4;
}
#undef OPSMITH_QUAD
#undef OPSMITH_CHANNEL

template <class P>
void dsp_quads(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
               const PackedMatrix& tables) {
  const int32_t depth = p.depth, channels = p.channels;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row, x += depth) {
    const auto* constants = rule_or<LongThreshold>(p, tables.requantization);
    const auto* weights = reinterpret_cast<const uint32_t*>(tables.weights);
    for (int32_t left = channels; left > 0; left -= 4) {
      int32_t sums[4];
      weights = four_sums(x, depth, weights, sums);
      const int32_t count = left < 4 ? left : 4;
      for (int32_t i = 0; i < count; ++i) *y++ = dsp::requantize(p, sums[i], *constants++);
    }
  }
}

}  // namespace opsmith::fully_connected::i8
