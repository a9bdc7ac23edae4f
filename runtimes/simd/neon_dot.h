// Needs Armv8.2 with the dot product. Fast because SDOT adds four products of bytes in each of four
// lanes.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

#include "runtimes/simd/few_bytes.h"
#include "runtimes/simd/neon_reals.h"
#include "runtimes/simd/rules.h"

namespace opsmith::simd {

struct NeonDot {
  static constexpr int32_t kLanes = 4, kGroup = 4, kRows = 4, kBlocks = 4, kChannels = 8;
  using Input = int8_t;
  using Sums = int32x4_t;
  using Weights = int8x16_t;

  static Sums zero() { return vdupq_n_s32(0); }
  static Weights weights(const int8_t* w) { return vld1q_s8(w); }
  static int8x16_t repeated(const Input* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
  }
  static Sums add_products(Sums sums, Weights w, int8x16_t x) { return vdotq_s32(sums, w, x); }

  static void copy(const int8_t* x, int32_t n, Input* to) {
    for (; n >= 16; n -= 16, x += 16, to += 16) vst1q_s8(to, vld1q_s8(x));
    for (int32_t i = 0; i < n; ++i) to[i] = x[i];
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x);
  }

  static Sums high_products(Sums x, int32_t factor) { return vqrdmulhq_n_s32(x, factor); }

  // Elements as words, and words that are elements.
  static Sums words(const int16_t* x) { return vmovl_s16(vld1_s16(x)); }
  static Sums words(const int8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof four);
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)))));
  }
  static Sums words(const uint8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof four);
    const uint16x8_t halves = vmovl_u8(vreinterpret_u8_s32(vdup_n_s32(four)));
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(halves)));
  }
  static void put(Sums x, int16_t* y) { vst1_s16(y, vmovn_s32(x)); }
  static void put(Sums x, void* y) {
    const int16x4_t halves = vmovn_s32(x);
    const int8x8_t bytes = vmovn_s16(vcombine_s16(halves, halves));
    const int32_t four = vget_lane_s32(vreinterpret_s32_s8(bytes), 0);
    __builtin_memcpy(y, &four, sizeof four);
  }

  // Words, which may be beyond bytes, plus a zero point.
  static int16x8_t halves(Sums a, Sums b, int32_t zero_point) {
    const int16x8_t more = vdupq_n_s16(static_cast<int16_t>(zero_point));
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(a), b), more);
  }
  static void put_bytes(const Sums (&x)[4], int32_t zero_point, int8_t* y) {
    const int8x8_t first = vqmovn_s16(halves(x[0], x[1], zero_point));
    vst1q_s8(y, vqmovn_high_s16(first, halves(x[2], x[3], zero_point)));
  }
  static void put_bytes(const Sums (&x)[4], int32_t zero_point, uint8_t* y) {
    const uint8x8_t first = vqmovun_s16(halves(x[0], x[1], zero_point));
    vst1q_u8(y, vqmovun_high_s16(first, halves(x[2], x[3], zero_point)));
  }

  // A table of 256 bytes, in four parts: TBX leaves what lies outside of one as it is.
  struct Table {
    static constexpr int32_t kBytes = 16;
    explicit Table(const uint8_t* values)
        : parts{vld1q_u8_x4(values), vld1q_u8_x4(values + 64), vld1q_u8_x4(values + 128),
                vld1q_u8_x4(values + 192)} {}

    void look_up(const uint8_t* from, uint8_t* to) const {
      const uint8x16_t x = vld1q_u8(from), part = vdupq_n_u8(64);
      uint8x16_t found = vqtbl4q_u8(parts[0], x), beyond = vsubq_u8(x, part);
      found = vqtbx4q_u8(found, parts[1], beyond);
      beyond = vsubq_u8(beyond, part);
      found = vqtbx4q_u8(found, parts[2], beyond);
      found = vqtbx4q_u8(found, parts[3], vsubq_u8(beyond, part));
      vst1q_u8(to, found);
    }

    uint8x16x4_t parts[4];
  };

  // One less below zero, where something is shifted: VRSHL takes halves up.
  static Sums shifted(Sums high, Sums right) {
    return vrshlq_s32(vaddq_s32(high, vshrq_n_s32(vandq_s32(high, right), 31)), right);
  }

  // A rule with its constants, which are in registers while many sums become outputs.
  struct FixedPoint {
    explicit FixedPoint(const int32_t* c)
        : bias(vld1q_s32(c)),
          factor(vld1q_s32(c + kLanes)),
          left(vld1q_s32(c + 2 * kLanes)),
          right(vnegq_s32(vld1q_s32(c + 3 * kLanes))) {}

    Sums operator()(Sums sums) const {
      return shifted(vqrdmulhq_s32(vshlq_s32(vaddq_s32(sums, bias), left), factor), right);
    }

    int32x4_t bias, factor, left, right;
  };

  // The same without a shift to the left, of twice the factor.
  struct Magnitudes {
    explicit Magnitudes(const int32_t* c)
        : bias(vld1q_s32(c)),
          factor(
              vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(vld1q_s32(c + kLanes)), 1))),
          right(vnegq_s32(vld1q_s32(c + 3 * kLanes))) {}

    Sums operator()(Sums sums) const {
      return shifted(vqrdmulhq_s32(vaddq_s32(sums, bias), factor), right);
    }

    int32x4_t bias, factor, right;
  };

  struct Singles {
    explicit Singles(const int32_t* c)
        : bias(vld1q_s32(c)), factor(vreinterpretq_f32_s32(vld1q_s32(c + kLanes))) {}

    Sums operator()(Sums sums) const {
      return vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(vaddq_s32(sums, bias)), factor));
    }

    int32x4_t bias;
    float32x4_t factor;
  };

  struct Doubles {
    explicit Doubles(const int32_t* c)
        : bias(vld1q_s32(c)),
          low(vreinterpretq_f64_s32(vld1q_s32(c + kLanes))),
          high(vreinterpretq_f64_s32(vld1q_s32(c + 2 * kLanes))) {}

    static int32x2_t halves_away(int32x2_t sums, float64x2_t scale) {
      return vmovn_s64(vcvtaq_s64_f64(vmulq_f64(vcvtq_f64_s64(vmovl_s32(sums)), scale)));
    }
    Sums operator()(Sums sums) const {
      sums = vaddq_s32(sums, bias);
      return vcombine_s32(halves_away(vget_low_s32(sums), low),
                          halves_away(vget_high_s32(sums), high));
    }

    int32x4_t bias;
    float64x2_t low, high;
  };

  // Bounds of outputs; halfwords saturate before the zero point is added, and after.
  struct Bounds {
    explicit Bounds(const Outputs& o)
        : zero_point(vdupq_n_s16(static_cast<int16_t>(o.zero_point))),
          low(vdup_n_s8(static_cast<int8_t>(o.low))),
          high(vdup_n_s8(static_cast<int8_t>(o.high))) {}

    int8x8_t bytes_of(Sums first, Sums second) const {
      const int16x8_t halves = vcombine_s16(vqmovn_s32(first), vqmovn_s32(second));
      return vmin_s8(vmax_s8(vqmovn_s16(vqaddq_s16(halves, zero_point)), low), high);
    }

    int16x8_t zero_point;
    int8x8_t low, high;
  };

  static void store_bytes(int8x8_t found, int8_t* y, int32_t n) {
    if (n >= kChannels) {
      vst1_s8(y, found);
    } else if (n == kLanes) {
      const int32_t four = vget_lane_s32(vreinterpret_s32_s8(found), 0);
      __builtin_memcpy(y, &four, sizeof four);
    } else {
      put_few_bytes(vget_lane_u64(vreinterpret_u64_s8(found), 0), y, n);
    }
  }
  static void store(Sums scaled, const Bounds& bounds, int8_t* y, int32_t n) {
    store_bytes(bounds.bytes_of(scaled, scaled), y, n);
  }

  // Sums of neighbours.
  static void store_pair(Sums first, Sums second, const Bounds& bounds, int8_t* y) {
    vst1_s8(y, bounds.bytes_of(first, second));
  }

  // Two taps of eight channels, in order.
  static int16x8_t wide(const int8_t* x, int32_t n) {
    if (n >= kChannels) return vmovl_s8(vld1_s8(x));
    return vmovl_s8(vreinterpret_s8_u64(vdup_n_u64(few_bytes(x, n))));
  }
  static int16x8_t wide(const uint8_t* x, int32_t n) {
    const auto* from = reinterpret_cast<const int8_t*>(x);
    const uint64_t few = n < kChannels ? few_bytes(from, n) : 0;
    const uint8x8_t found = n < kChannels ? vreinterpret_u8_u64(vdup_n_u64(few)) : vld1_u8(x);
    return vreinterpretq_s16_u16(vmovl_u8(found));
  }
  template <class T>
  static void add_tap(const T* x, int32_t n, const int16_t* w, Sums (&sums)[2]) {
    const int16x8_t input = wide(x, n), weight = vld1q_s16(w);
    sums[0] = vmlal_s16(sums[0], vget_low_s16(input), vget_low_s16(weight));
    sums[1] = vmlal_high_s16(sums[1], input, weight);
  }
  template <class T>
  static void add_taps(const T* a, const T* b, int32_t n, const int16_t* w, Sums (&sums)[2]) {
    add_tap(a, n, w, sums);
    add_tap(b, n, w + kChannels, sums);
  }
  static void in_order(Sums (& /*sums*/)[2]) {}
  static void store(const Sums (&scaled)[2], const Bounds& bounds, int8_t* y, int32_t n) {
    store_bytes(bounds.bytes_of(scaled[0], scaled[1]), y, n);
  }
};

// Weights of 16 bits, for bytes of uint8.
struct NeonHalves : NeonDot {
  static constexpr int32_t kGroup = 1;
  using Input = int16_t;
  using Weights = int16x4_t;

  static Weights weights(const int16_t* w) { return vld1_s16(w); }
  static int16x4_t repeated(const Input* x) { return vld1_dup_s16(x); }
  static Sums add_products(Sums sums, Weights w, int16x4_t x) { return vmlal_s16(sums, w, x); }
  static void copy(const uint8_t* x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = x[i];
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x);
  }
};

}  // namespace opsmith::simd
