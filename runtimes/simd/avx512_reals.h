// Steps of vectors of floats with AVX-512.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/x86.h"

namespace opsmith::simd {

template <>
struct RealSteps<sizeof(__m512)> {
  using Wide = __m512d;
  using Longs [[gnu::vector_size(64)]] = uint64_t;
  using Words [[gnu::vector_size(64)]] = uint32_t;
  using Ints [[gnu::vector_size(64)]] = int32_t;
  static void widened(__m512 x, Wide& low, Wide& high) {
    low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
    high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
  }
  static void widened(Ints words, Wide& low, Wide& high) {
    const auto x = reinterpret_cast<__m512i>(words);
    low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(x));
    high = _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(x, 1));
  }
  static void places(Words words, Longs& low, Longs& high) {
    const auto x = reinterpret_cast<__m512i>(words);
    low = reinterpret_cast<Longs>(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(x)));
    high = reinterpret_cast<Longs>(_mm512_cvtepu32_epi64(_mm512_extracti32x8_epi32(x, 1)));
  }
  static __m512 narrowed(Wide low, Wide high) {
    const __m512 first = _mm512_castps256_ps512(_mm512_cvtpd_ps(low));
    return _mm512_insertf32x8(first, _mm512_cvtpd_ps(high), 1);
  }
  static __m512 larger(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
  static __m512 smaller(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
  static __m512 roots(__m512 x) { return _mm512_sqrt_ps(x); }
  static Ints nearest(__m512 x) { return reinterpret_cast<Ints>(_mm512_cvtps_epi32(x)); }
  static bool any(Ints x) { return _mm512_movepi32_mask(reinterpret_cast<__m512i>(x)) != 0; }
  static __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
  static Wide fused(Wide a, Wide b, Wide c) { return _mm512_fmadd_pd(a, b, c); }
  static __m512 rounded_down(__m512 x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_FLOOR | _MM_FROUND_NO_EXC);
  }
  static Wide rounded_down(Wide x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_FLOOR | _MM_FROUND_NO_EXC);
  }
  static Wide where_odd(Longs x, Wide odd, Wide even) {
    const auto places = reinterpret_cast<__m512i>(x);
    return _mm512_mask_mov_pd(even, _mm512_test_epi64_mask(places, _mm512_set1_epi64(1)), odd);
  }
  static constexpr int kEntries = 32;
  static __m512 entries(const float (&table)[kEntries], Ints place) {
    const auto low = _mm512_loadu_ps(table), high = _mm512_loadu_ps(table + 16);
    return _mm512_permutex2var_ps(low, reinterpret_cast<__m512i>(place), high);
  }
  template <class T>
  static Wide sixteen(const T* table, Longs place) {
    const auto low = _mm512_loadu_pd(table), high = _mm512_loadu_pd(table + 8);
    return _mm512_permutex2var_pd(low, reinterpret_cast<__m512i>(place), high);
  }
  template <class Row, class Columns>
  static void members(const Row (&)[16], const Columns& columns, Words words, Wide (&low)[2],
                      Wide (&high)[2]) {
    Longs first, second;
    places(words, first, second);
    for (int i = 0; i < 2; ++i) {
      low[i] = sixteen(columns.of[i], first);
      high[i] = sixteen(columns.of[i], second);
    }
  }
  template <class T>
  static Wide entries(const T (&table)[16], Longs place) {
    return sixteen(table, place);
  }
  template <class T>
  static Wide entries(const T (&table)[32], Longs place) {
    const auto upper =
        _mm512_test_epi64_mask(reinterpret_cast<__m512i>(place), _mm512_set1_epi64(16));
    return _mm512_mask_mov_pd(sixteen(table, place), upper, sixteen(table + 16, place));
  }
};

}  // namespace opsmith::simd
