// Needs the DSP extension. Fast because each two inputs that are loaded serve eight output channels
// and SMLAD adds two products at once. Sums of 32 bits are requantised by integers, where these are
// proved to round as double precision does; others by SMLALD and double precision.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/dsp_narrow.h"
#include "runtimes/core/exact_scale.h"

namespace opsmith::fully_connected::i16x8 {

constexpr int32_t kChannels = 8;

// Products of two inputs, x, with four channels.
#define OPSMITH_FOUR(a, b, c, d)          \
  "ldr %[first], [%[weights]], #4\n\t"    \
  "ldr %[second], [%[weights]], #4\n\t"   \
  "sxtb16 %[high], %[first], ror #8\n\t"  \
  "sxtb16 %[first], %[first]\n\t"         \
  "smlad %[" a "], %[first], %[x], %[" a  \
  "]\n\t"                                 \
  "smlad %[" b "], %[high], %[x], %[" b   \
  "]\n\t"                                 \
  "sxtb16 %[high], %[second], ror #8\n\t" \
  "sxtb16 %[second], %[second]\n\t"       \
  "smlad %[" c "], %[second], %[x], %[" c \
  "]\n\t"                                 \
  "smlad %[" d "], %[high], %[x], %[" d "]\n\t"
#define OPSMITH_STEP                                                   \
  "ldr %[x], [%[inputs]], #4\n\t" OPSMITH_FOUR("s0", "s1", "s2", "s3") \
      OPSMITH_FOUR("s4", "s5", "s6", "s7")
constexpr int32_t kStepBytes = 4 * (1 + 2 * 10);

// Adds the products of all inputs up to `end` to the sums of eight channels. Shared by all layers.
__attribute__((noinline)) inline void add_products(const int16_t* inputs, const int16_t* end,
                                                   const uint32_t* weights,
                                                   int32_t (&sums)[kChannels]) {
  const int32_t skipped = (end - inputs) % 4 != 0 ? kStepBytes : 0;  // of the first turn
  uint32_t x, first, second, high;
  __asm volatile(
      "ldr %[x], %[skipped]\n\t"
      "add pc, %[x]\n\t"
      "nop\n"
      "1:\n\t" OPSMITH_STEP OPSMITH_STEP
      "ldr %[x], %[end]\n\t"
      "cmp %[inputs], %[x]\n\t"
      "bne 1b"
      : [s0] "+r"(sums[0]), [s1] "+r"(sums[1]), [s2] "+r"(sums[2]), [s3] "+r"(sums[3]),
        [s4] "+r"(sums[4]), [s5] "+r"(sums[5]), [s6] "+r"(sums[6]), [s7] "+r"(sums[7]),
        [inputs] "+r"(inputs), [weights] "+r"(weights), [x] "=&r"(x), [first] "=&r"(first),
        [second] "=&r"(second), [high] "=&r"(high)
      : [skipped] "m"(skipped), [end] "m"(end)
      : "cc", "memory");
}
#undef OPSMITH_STEP
#undef OPSMITH_FOUR

// Eight channels of a row, of which `count` are there.
template <class P>
void eight_channels(const P& p, const int16_t* x, const int16_t* end, const uint32_t* weights,
                    const Exact* constants, int32_t count, int16_t* y) {
  int32_t sums[kChannels];
#pragma GCC unroll 8
  for (int32_t i = 0; i < kChannels; ++i) sums[i] = constants[i].bias;
  add_products(x, end, weights, sums);
  for (int32_t i = 0; i < kChannels && i < count; ++i) {
    y[i] = dsp::clamped16(p, scaled(sums[i], constants[i].scale));
  }
}

// The same with sums of 64 bits, two channels at a time.
template <class P>
void eight_channels(const P& p, const int16_t* x, const int16_t* end, const uint32_t* weights,
                    const Real* constants, int32_t count, int16_t* y) {
  for (int32_t i = 0; i < count; i += 2, ++weights) {
    int64_t first = 0, second = 0;
    const uint32_t* w = weights;
    for (const int16_t* inputs = x; inputs != end; inputs += 2, w += kChannels / 2) {
      const uint32_t two = dsp::load_word(inputs);
      first = dsp::smlald(dsp::sxtb16(*w), two, first);
      second = dsp::smlald(dsp::sxtb16_ror8(*w), two, second);
    }
    y[i] = dsp::clamped16(p, requantize(first, constants[i]));
    if (i + 1 < count) y[i + 1] = dsp::clamped16(p, requantize(second, constants[i + 1]));
  }
}

template <class P, class C>
void all_rows(const P& p, const int16_t* from, const uint32_t* weights, const C* constants,
              int16_t* row, int16_t* y) {
  const int32_t depth = (p.depth + 1) & ~1, words = depth * kChannels / 4;
  for (int32_t i = 0; i < p.rows; ++i, from += p.depth) {
    const int16_t* x = from;
    if (p.depth % 2 != 0) {  // what is after it meets weights of zero
      memcpy(row, x, static_cast<size_t>(2 * p.depth));
      x = row;
    }
    const uint32_t* w = weights;
    for (int32_t c = 0; c < p.channels; c += kChannels, w += words) {
      const int32_t left = p.channels - c, count = left < kChannels ? left : kChannels;
      eight_channels(p, x, x + depth, w, constants + c, count, y);
      y += count;
    }
  }
}

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.weights);
  if (p.wide) {
    const auto* constants = reinterpret_cast<const Real*>(tables.requantization);
    all_rows(p, in.x, weights, constants, scratch.row, out.y);
  } else {
    const auto* constants = reinterpret_cast<const Exact*>(tables.requantization);
    all_rows(p, in.x, weights, constants, scratch.row, out.y);
  }
}

}  // namespace opsmith::fully_connected::i16x8
