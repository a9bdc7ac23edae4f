// Steps of vectors of floats with NEON.
#pragma once

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "runtimes/simd/real_steps.h"

namespace opsmith::simd {

template <>
struct RealSteps<sizeof(float32x4_t)> {
  using Wide = float64x2_t;
  using Longs = uint64x2_t;
  using Words = uint32x4_t;
  using Ints = int32x4_t;
  static void widened(float32x4_t x, Wide& low, Wide& high) {
    low = vcvt_f64_f32(vget_low_f32(x));
    high = vcvt_high_f64_f32(x);
  }
  static void widened(Ints x, Wide& low, Wide& high) {
    low = vcvtq_f64_s64(vmovl_s32(vget_low_s32(x)));
    high = vcvtq_f64_s64(vmovl_high_s32(x));
  }
  static void places(Words x, Longs& low, Longs& high) {
    low = vmovl_u32(vget_low_u32(x));
    high = vmovl_high_u32(x);
  }
  static float32x4_t narrowed(Wide low, Wide high) {
    return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
  }
  static float32x4_t larger(float32x4_t a, float32x4_t b) { return a > b ? a : b; }
  static float32x4_t smaller(float32x4_t a, float32x4_t b) { return a < b ? a : b; }
  static float32x4_t roots(float32x4_t x) { return vsqrtq_f32(x); }
  static Ints nearest(float32x4_t x) { return vcvtnq_s32_f32(x); }
  static bool any(Ints x) { return vminvq_s32(x) < 0; }
  static float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) {
    return vfmaq_f32(c, a, b);
  }
  static Wide fused(Wide a, Wide b, Wide c) { return vfmaq_f64(c, a, b); }
  static float32x4_t rounded_down(float32x4_t x) { return vrndmq_f32(x); }
  static Wide rounded_down(Wide x) { return vrndmq_f64(x); }
  static Wide where_odd(Longs x, Wide odd, Wide even) {
    return vbslq_f64(vtstq_u64(x, vdupq_n_u64(1)), odd, even);
  }
  static constexpr int kEntries = 8;
  static float32x4_t entries(const float (&table)[kEntries], Ints place) {
    const uint8x16x2_t bytes = vld1q_u8_x2(reinterpret_cast<const uint8_t*>(table));
    const Words first = (reinterpret_cast<Words>(place) & 7) * 0x04040404 + 0x03020100;
    return vreinterpretq_f32_u8(vqtbl2q_u8(bytes, vreinterpretq_u8_u32(first)));
  }
  template <class Row, class Columns>
  static void members(const Row (&rows)[16], const Columns&, Words places, Wide (&low)[2],
                      Wide (&high)[2]) {
    const auto two = [&](int i, Wide(&found)[2]) {
      const auto row = [&](int j) {
        return vld1q_f64(reinterpret_cast<const double*>(rows + (places[j] & 15)));
      };
      const Wide even = row(i), odd = row(i + 1);
      found[0] = vzip1q_f64(even, odd);
      found[1] = vzip2q_f64(even, odd);
    };
    two(0, low);
    two(2, high);
  }
  template <class T, int kSize>
  static Wide entries(const T (&table)[kSize], Longs place) {
    double found[2];
    memcpy(found, table + (place[0] & (kSize - 1)), sizeof(double));
    memcpy(found + 1, table + (place[1] & (kSize - 1)), sizeof(double));
    return vld1q_f64(found);
  }
};

}  // namespace opsmith::simd
