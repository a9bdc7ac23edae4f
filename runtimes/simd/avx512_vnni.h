// Needs AVX-512 with VNNI and VBMI. Fast because VPDPBUSD adds four products of bytes in each of 16
// lanes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/simd/avx512_reals.h"
#include "runtimes/simd/rules.h"
#include "runtimes/simd/x86.h"

namespace opsmith::simd {

struct Avx512Vnni {
  static constexpr int32_t kLanes = 16, kGroup = 4, kRows = 6, kBlocks = 4, kChannels = 32;
  using Input = uint8_t;  // 128 more, which the constants take off
  using Sums = __m512i;
  using Weights = __m512i;

  static __m512i load(const void* from) { return _mm512_loadu_si512(from); }

  static Sums zero() { return _mm512_setzero_si512(); }
  static Weights weights(const int8_t* w) { return _mm512_loadu_si512(w); }
  static Sums repeated(const Input* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof four);
    return _mm512_set1_epi32(four);
  }
  static Sums add_products(Sums sums, Weights w, Sums x) { return _mm512_dpbusd_epi32(sums, x, w); }

  static __mmask64 first(int32_t n) { return n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0}; }

  static void copy(const int8_t* x, int32_t n, Input* to) {
    const __m512i flip = _mm512_set1_epi8(-128);
    for (; n > 0; n -= 64, x += 64, to += 64) {
      const __m512i part = _mm512_maskz_loadu_epi8(first(n), x);
      _mm512_mask_storeu_epi8(to, first(n), _mm512_xor_si512(part, flip));
    }
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x ^ 128);
  }

  // round(x * factor / 2^31), ties up, whose odd factors are also in the even lanes of another.
  static Sums high_products(Sums x, Sums factor, Sums odd_factor) {
    const __m512i half = _mm512_set1_epi64(1 << 30);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, factor), half);
    const __m512i odd =
        _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), odd_factor), half);
    return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
  }
  static Sums high_products(Sums x, int32_t factor) {
    return high_products(x, _mm512_set1_epi32(factor), _mm512_set1_epi32(factor));
  }

  // Elements as words, and words that are elements.
  static __m128i bytes(const void* x) { return _mm_loadu_si128(static_cast<const __m128i*>(x)); }
  static Sums words(const int8_t* x) { return _mm512_cvtepi8_epi32(bytes(x)); }
  static Sums words(const uint8_t* x) { return _mm512_cvtepu8_epi32(bytes(x)); }
  static Sums words(const int16_t* x) {
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  }
  static void put(Sums x, void* y) {
    _mm_storeu_si128(static_cast<__m128i*>(y), _mm512_cvtepi32_epi8(x));
  }
  static void put(Sums x, int16_t* y) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm512_cvtepi32_epi16(x));
  }

  // Words, which may be beyond bytes, plus a zero point.
  static __m512i halves(Sums a, Sums b, int32_t zero_point) {
    const __m512i more = _mm512_set1_epi16(static_cast<int16_t>(zero_point));
    return _mm512_adds_epi16(_mm512_packs_epi32(a, b), more);
  }
  template <class Y>
  static void put_bytes(const Sums (&x)[4], int32_t zero_point, Y* y) {
    const __m512i a = halves(x[0], x[1], zero_point), b = halves(x[2], x[3], zero_point);
    const __m512i found = Y(-1) < 0 ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(y, _mm512_permutexvar_epi32(order, found));
  }

  // A table of 256 bytes, of which VPERMI2B takes one of 128: the first bit of x chooses the half.
  struct Table {
    static constexpr int32_t kBytes = 64;
    explicit Table(const uint8_t* values)
        : parts{load(values), load(values + 64), load(values + 128), load(values + 192)} {}

    void look_up(const uint8_t* from, uint8_t* to) const {
      const __m512i x = load(from);
      const __m512i low = _mm512_permutex2var_epi8(parts[0], x, parts[1]);
      const __m512i high = _mm512_permutex2var_epi8(parts[2], x, parts[3]);
      _mm512_storeu_si512(to, _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high));
    }

    __m512i parts[4];
  };

  // A rule with its constants, which are in registers while many sums become outputs.
  struct FixedPoint {
    explicit FixedPoint(const int32_t* c)
        : bias(load(c)),
          factor(load(c + kLanes)),
          left(load(c + 2 * kLanes)),
          right(load(c + 3 * kLanes)),
          odd_factor(_mm512_srli_epi64(factor, 32)),
          less(_mm512_sub_epi32(right, _mm512_set1_epi32(1))),
          shifted(_mm512_test_epi32_mask(right, right)) {}

    Sums operator()(Sums sums) const {
      sums = _mm512_sllv_epi32(_mm512_add_epi32(sums, bias), left);
      const __m512i high = high_products(sums, factor, odd_factor);
      const __m512i negative = _mm512_maskz_srai_epi32(shifted, high, 31);
      const __m512i lowered = _mm512_add_epi32(high, negative);
      // Where nothing is shifted, the shift by 2^32 - 1 gives 0.
      const __m512i half = _mm512_and_si512(_mm512_srlv_epi32(lowered, less), _mm512_set1_epi32(1));
      return _mm512_add_epi32(_mm512_srav_epi32(lowered, right), half);
    }

    __m512i bias, factor, left, right, odd_factor, less;
    __mmask16 shifted;
  };

  // Products of magnitudes, to which the halves of both roundings are added at once.
  struct Magnitudes {
    explicit Magnitudes(const int32_t* c)
        : bias(load(c)),
          factor(load(c + kLanes)),
          odd_factor(_mm512_srli_epi64(factor, 32)),
          half(_mm512_or_si512(_mm512_slli_epi64(load(c + 2 * kLanes), 32), first_half())),
          odd_half(_mm512_mask_blend_epi32(0xaaaa, first_half(), load(c + 2 * kLanes))),
          right(_mm512_add_epi64(_mm512_maskz_mov_epi32(0x5555, load(c + 3 * kLanes)),
                                 _mm512_set1_epi64(32))),
          odd_right(_mm512_srli_epi64(load(c + 3 * kLanes), 32)) {}

    Sums operator()(Sums sums) const {
      sums = _mm512_add_epi32(sums, bias);
      const __m512i x = _mm512_abs_epi32(sums);
      const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(x, factor), half);
      const __m512i odd =
          _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), odd_factor), odd_half);
      const __m512i found = _mm512_mask_blend_epi32(0xaaaa, _mm512_srlv_epi64(even, right),
                                                    _mm512_srlv_epi64(odd, odd_right));
      return _mm512_mask_sub_epi32(found, _mm512_movepi32_mask(sums), zero(), found);
    }

    static __m512i first_half() { return _mm512_set1_epi64(int64_t{1} << 31); }
    __m512i bias, factor, odd_factor, half, odd_half, right, odd_right;
  };

  struct Singles {
    explicit Singles(const int32_t* c)
        : bias(load(c)), factor(_mm512_castsi512_ps(load(c + kLanes))) {}

    Sums operator()(Sums sums) const {
      const __m512 x = _mm512_cvtepi32_ps(_mm512_add_epi32(sums, bias));
      return _mm512_cvtps_epi32(_mm512_mul_ps(x, factor));
    }

    __m512i bias;
    __m512 factor;
  };

  struct Doubles {
    explicit Doubles(const int32_t* c)
        : bias(load(c)), low(_mm512_loadu_pd(c + kLanes)), high(_mm512_loadu_pd(c + 2 * kLanes)) {}

    static __m256i halves_away(__m256i sums, __m512d scale) {
      const __m512d x = _mm512_mul_pd(_mm512_cvtepi32_pd(sums), scale);
      const __m512d sign = _mm512_and_pd(x, _mm512_set1_pd(-0.0));
      return _mm512_cvttpd_epi32(_mm512_add_pd(x, _mm512_or_pd(sign, _mm512_set1_pd(kBelowHalf))));
    }
    Sums operator()(Sums sums) const {
      sums = _mm512_add_epi32(sums, bias);
      const __m256i first = halves_away(_mm512_castsi512_si256(sums), low);
      const __m256i second = halves_away(_mm512_extracti64x4_epi64(sums, 1), high);
      return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }

    __m512i bias;
    __m512d low, high;
  };

  // Bounds of outputs; halfwords saturate before the zero point is added, and after.
  struct Bounds {
    explicit Bounds(const Outputs& o)
        : zero_point(_mm512_set1_epi16(static_cast<int16_t>(o.zero_point))),
          low(_mm256_set1_epi8(static_cast<int8_t>(o.low))),
          high(_mm256_set1_epi8(static_cast<int8_t>(o.high))) {}

    // 32 halfwords as bytes.
    __m256i bytes_of(__m512i halves) const {
      const __m256i found = _mm512_cvtsepi16_epi8(_mm512_adds_epi16(halves, zero_point));
      return _mm256_min_epi8(_mm256_max_epi8(found, low), high);
    }

    __m512i zero_point;
    __m256i low, high;
  };

  static void store(Sums scaled, const Bounds& bounds, int8_t* y, int32_t n) {
    const __m256i halves = _mm512_cvtsepi32_epi16(scaled);
    const __m128i found = _mm256_castsi256_si128(bounds.bytes_of(_mm512_castsi256_si512(halves)));
    _mm_mask_storeu_epi8(y, static_cast<__mmask16>(first(n)), found);
  }

  // Sums of neighbours.
  static void store_pair(Sums first, Sums second, const Bounds& bounds, int8_t* y) {
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtsepi32_epi16(first));
    const __m512i halves = _mm512_inserti64x4(low, _mm512_cvtsepi32_epi16(second), 1);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), bounds.bytes_of(halves));
  }

  // Two taps of 32 channels, whose weights are in the order that the sums have.
  static __m512i wide(const int8_t* x, int32_t n) {
    return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(static_cast<__mmask32>(first(n)), x));
  }
  static __m512i wide(const uint8_t* x, int32_t n) {
    return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(static_cast<__mmask32>(first(n)), x));
  }
  template <class T>
  static void add_taps(const T* a, const T* b, int32_t n, const int16_t* w, Sums (&sums)[2]) {
    const __m512i x = wide(a, n), z = wide(b, n);
    sums[0] = _mm512_dpwssd_epi32(sums[0], _mm512_unpacklo_epi16(x, z), _mm512_loadu_si512(w));
    sums[1] = _mm512_dpwssd_epi32(sums[1], _mm512_unpackhi_epi16(x, z), _mm512_loadu_si512(w + 32));
  }
  // Sums of 32 channels in their order.
  static void in_order(Sums (&sums)[2]) {
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const __m512i first = _mm512_permutex2var_epi64(sums[0], low, sums[1]);
    sums[1] = _mm512_permutex2var_epi64(sums[0], high, sums[1]);
    sums[0] = first;
  }
  static void store(const Sums (&scaled)[2], const Bounds& bounds, int8_t* y, int32_t n) {
    const __m256i found = bounds.bytes_of(_mm512_packs_epi32(scaled[0], scaled[1]));
    _mm256_mask_storeu_epi8(y, static_cast<__mmask32>(first(n)), found);
  }
};

// Weights of 16 bits, for bytes of uint8.
struct Avx512Halves : Avx512Vnni {
  static constexpr int32_t kGroup = 2;
  using Input = int16_t;

  static Weights weights(const int16_t* w) { return load(w); }
  static Sums repeated(const Input* x) {
    int32_t two;
    __builtin_memcpy(&two, x, sizeof two);
    return _mm512_set1_epi32(two);
  }
  static Sums add_products(Sums sums, Weights w, Sums x) { return _mm512_dpwssd_epi32(sums, x, w); }
  static void copy(const uint8_t* x, int32_t n, Input* to) {
    for (; n > 0; n -= 32, x += 32, to += 32) {
      _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(first(n)), wide(x, n));
    }
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x);
  }
};

}  // namespace opsmith::simd
