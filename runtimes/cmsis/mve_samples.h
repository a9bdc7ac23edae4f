// The functions of runtimes/core/sigmoid.h, four at a time, for Helium.
#pragma once

#include "runtimes/cmsis/mve_words.h"

namespace opsmith::mve {

// Which function each element is of, in the terms of sigmoid.h: (±found + what follows) >> shift.
struct Sampled {
  int32_t bits[4];   // of a position between two samples
  int32_t most[4];   // after the last sample
  int32_t above[4];  // where x is 0 or more
  int32_t below[4];
  int32_t shift[4];
};

// Bits of `logistic` that are set are elements of that, the others of tanh.
constexpr Sampled sampled(uint32_t logistic) {
  Sampled s = {};
  for (uint32_t i = 0; i < 4; ++i) {
    const bool is_logistic = (logistic >> i & 1) != 0;
    s.bits[i] = is_logistic ? 9 : 8;
    s.most[i] = is_logistic ? 0x7fff << 10 : 0xffff << 8;
    s.above[i] = is_logistic ? 1 << 9 : (1 << 7) - (1 << 23);
    s.below[i] = is_logistic ? (1 << 25) + (1 << 9) - 1 : (1 << 23) + (1 << 7) - 1;
    s.shift[i] = is_logistic ? 10 : 8;
  }
  return s;
}

// The functions in Q0.15 at these positions.
inline int32x4_t functions_by_samples(int32x4_t positions, const uint16_t* samples,
                                      const Sampled& s) {
  const int32x4_t bits = vldrwq_s32(s.bits), size = vabsq_s32(positions);
  const int32x4_t whole = vshlq_s32(size, vnegq_s32(bits));
  const mve_pred16_t beyond = vcmpgeq_n_s32(whole, 255);
  const uint32x4_t place = vreinterpretq_u32_s32(vminq_s32(whole, vdupq_n_s32(254)));
  const int32x4_t value = vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(samples, place));
  const int32x4_t next =
      vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(samples + 1, place));
  const int32x4_t rest = vsubq_s32(size, vshlq_s32(whole, bits));
  int32x4_t found = vaddq_s32(vshlq_s32(value, bits), vmulq_s32(rest, vsubq_s32(next, value)));
  found = vpselq_s32(vldrwq_s32(s.most), found, beyond);
  const mve_pred16_t negative = vcmpltq_n_s32(positions, 0);
  const int32x4_t above = vaddq_s32(vldrwq_s32(s.above), found);
  const int32x4_t below = vsubq_s32(vldrwq_s32(s.below), found);
  return vshlq_s32(vpselq_s32(below, above, negative), vnegq_s32(vldrwq_s32(s.shift)));
}

// The logistic function, or tanh, in Q0.15 at these positions: first without what it is at 0, so
// that a negative position inverts all bits.
template <bool kLogistic>
int32x4_t function_by_samples(int32x4_t positions, const uint16_t* samples) {
  constexpr int32_t kBits = kLogistic ? 9 : 8, kAtZero = 1 << (15 + kBits);
  constexpr int32_t kMost = (kLogistic ? 0x7fff << 10 : 0xffff << 8) - kAtZero;
  const int32x4_t size = vabsq_s32(positions), whole = vshrq_n_s32(size, kBits);
  const uint32x4_t place = vreinterpretq_u32_s32(vminq_s32(whole, vdupq_n_s32(254)));
  const int32x4_t value = vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(samples, place));
  const int32x4_t next =
      vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(samples + 1, place));
  const int32x4_t rest = vmlaq_n_s32(size, whole, -(1 << kBits));
  const int32x4_t slope = vmulq_s32(rest, vsubq_s32(next, value));
  int32x4_t found = vaddq_s32(vshlq_n_s32(vsubq_n_s32(value, 1 << 15), kBits), slope);
  found = vpselq_s32(vdupq_n_s32(kMost), found, vcmpgeq_n_s32(whole, 255));
  found = veorq_s32(found, vshrq_n_s32(positions, 31));
  if constexpr (!kLogistic) return vrshrq_n_s32(found, kBits);
  return vaddq_n_s32(vrshrq_n_s32(found, kBits + 1), 1 << 14);
}

// The same of every element.
template <bool kLogistic, class P>
void elements_by_samples(const P& p, const uint16_t* samples, const int16_t* x, int16_t* y) {
  const auto found = [&](Words each) {
    const int32x4_t positions = vrshlq_n_s32(vmulq_n_s32(each.value, p.multiplier), -p.shift);
    return Words{function_by_samples<kLogistic>(positions, samples)};
  };
  for_each_four(p.elements, y, found, x);
}

}  // namespace opsmith::mve
