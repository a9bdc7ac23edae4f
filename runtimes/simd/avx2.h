// Needs AVX2. Fast because VPMADDWD adds two products of 16 bits in each of eight lanes.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/simd/rules.h"

namespace opsmith::simd {

struct Avx2 {
  static constexpr int32_t kLanes = 8, kGroup = 2, kRows = 4, kBlocks = 2, kChannels = 16;
  using Input = int16_t;
  using Sums = __m256i;
  using Weights = __m256i;

  static __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static __m128i bytes(const int8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }

  static Sums zero() { return _mm256_setzero_si256(); }
  static Weights weights(const int8_t* w) { return _mm256_cvtepi8_epi16(bytes(w)); }
  static Sums repeated(const Input* x) {
    int32_t two;
    __builtin_memcpy(&two, x, sizeof two);
    return _mm256_set1_epi32(two);
  }
  static Sums add_products(Sums sums, Weights w, Sums x) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(x, w));
  }

  static void copy(const int8_t* x, int32_t n, Input* to) {
    for (; n >= 16; n -= 16, x += 16, to += 16) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), weights(x));
    }
    for (int32_t i = 0; i < n; ++i) to[i] = x[i];
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x);
  }

  static Sums by_fixed_point(Sums sums, const int32_t* c) {
    const __m256i half = _mm256_set1_epi64x(1 << 30), one = _mm256_set1_epi32(1);
    const __m256i factor = load(c + kLanes), right = load(c + 3 * kLanes);
    sums = _mm256_sllv_epi32(_mm256_add_epi32(sums, load(c)), load(c + 2 * kLanes));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(sums, factor), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(sums, 32), _mm256_srli_epi64(factor, 32)), half);
    const __m256i high =
        _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    // Where nothing is shifted, the shift of 1 by 2^32 - 1 gives 0.
    const __m256i more = _mm256_sllv_epi32(one, _mm256_sub_epi32(right, one));
    const __m256i shifted = _mm256_cmpgt_epi32(right, zero());
    const __m256i negative = _mm256_and_si256(_mm256_srai_epi32(high, 31), shifted);
    return _mm256_srav_epi32(_mm256_add_epi32(_mm256_add_epi32(high, negative), more), right);
  }

  static Sums by_singles(Sums sums, const int32_t* c) {
    const __m256 x = _mm256_cvtepi32_ps(_mm256_add_epi32(sums, load(c)));
    return _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_castsi256_ps(load(c + kLanes))));
  }

  static __m128i halves_away(__m128i sums, const int32_t* scales) {
    const __m256d scale = _mm256_castsi256_pd(load(scales));
    const __m256d x = _mm256_mul_pd(_mm256_cvtepi32_pd(sums), scale);
    const __m256d sign = _mm256_and_pd(x, _mm256_set1_pd(-0.0));
    return _mm256_cvttpd_epi32(_mm256_add_pd(x, _mm256_or_pd(sign, _mm256_set1_pd(kBelowHalf))));
  }
  static Sums by_doubles(Sums sums, const int32_t* c) {
    sums = _mm256_add_epi32(sums, load(c));
    const __m128i low = halves_away(_mm256_castsi256_si128(sums), c + kLanes);
    return _mm256_set_m128i(halves_away(_mm256_extracti128_si256(sums, 1), c + 2 * kLanes), low);
  }

  static Sums clamped(Sums scaled, const Outputs& o) {
    scaled = _mm256_add_epi32(scaled, _mm256_set1_epi32(o.zero_point));
    scaled = _mm256_max_epi32(scaled, _mm256_set1_epi32(o.low));
    return _mm256_min_epi32(scaled, _mm256_set1_epi32(o.high));
  }
  static void store(Sums scaled, const Outputs& o, int8_t* y, int32_t n) {
    const __m256i found = clamped(scaled, o);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
    const int64_t eight = _mm_cvtsi128_si64(_mm_packs_epi16(words, words));
    __builtin_memcpy(y, &eight, static_cast<size_t>(n));
  }

  // Two taps of 16 channels, whose weights are in the order that the sums have.
  static __m256i wide(const int8_t* x, int32_t n) {
    if (n >= kChannels) return weights(x);
    int8_t some[kChannels] = {};
    __builtin_memcpy(some, x, static_cast<size_t>(n));
    return weights(some);
  }
  static void add_taps(const int8_t* a, const int8_t* b, int32_t n, const int16_t* w,
                       Sums (&sums)[2]) {
    const __m256i x = wide(a, n), z = wide(b, n);
    sums[0] = add_products(sums[0], load(w), _mm256_unpacklo_epi16(x, z));
    sums[1] = add_products(sums[1], load(w + 16), _mm256_unpackhi_epi16(x, z));
  }
  static void store(const Sums (&scaled)[2], const Outputs& o, int8_t* y, int32_t n) {
    const __m256i both = _mm256_packs_epi32(clamped(scaled[0], o), clamped(scaled[1], o));
    const __m128i found =
        _mm_packs_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    if (n >= kChannels) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(y), found);
    } else {
      __builtin_memcpy(y, &found, static_cast<size_t>(n));
    }
  }
};

}  // namespace opsmith::simd
