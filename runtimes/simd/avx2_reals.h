// Steps of vectors of floats with AVX2 and FMA.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/simd/real_steps.h"
#include "runtimes/simd/x86.h"

namespace opsmith::simd {

template <>
struct RealSteps<sizeof(__m256)> {
  using Wide = __m256d;
  using Longs [[gnu::vector_size(32)]] = uint64_t;
  using Words [[gnu::vector_size(32)]] = uint32_t;
  using Ints [[gnu::vector_size(32)]] = int32_t;
  static void widened(__m256 x, Wide& low, Wide& high) {
    low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
  }
  static void widened(Ints words, Wide& low, Wide& high) {
    const auto x = reinterpret_cast<__m256i>(words);
    low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(x));
    high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1));
  }
  static void places(Words words, Longs& low, Longs& high) {
    const auto x = reinterpret_cast<__m256i>(words);
    low = reinterpret_cast<Longs>(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(x)));
    high = reinterpret_cast<Longs>(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(x, 1)));
  }
  static __m256 narrowed(Wide low, Wide high) {
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
  }
  static __m256 larger(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
  static __m256 smaller(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
  static __m256 roots(__m256 x) { return _mm256_sqrt_ps(x); }
  static Ints nearest(__m256 x) { return reinterpret_cast<Ints>(_mm256_cvtps_epi32(x)); }
  static bool any(Ints x) { return _mm256_movemask_ps(reinterpret_cast<__m256>(x)) != 0; }
  static __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
  static Wide fused(Wide a, Wide b, Wide c) { return _mm256_fmadd_pd(a, b, c); }
  static __m256 rounded_down(__m256 x) { return _mm256_floor_ps(x); }
  static Wide rounded_down(Wide x) { return _mm256_floor_pd(x); }
  static Wide where_odd(Longs x, Wide odd, Wide even) {
    return _mm256_blendv_pd(even, odd, reinterpret_cast<Wide>(x << 63));
  }
  static constexpr int kEntries = 8;
  static __m256 entries(const float (&table)[kEntries], Ints place) {
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), reinterpret_cast<__m256i>(place));
  }
  template <class Row, class Columns>
  static void members(const Row (&rows)[16], const Columns&, Words places, Wide (&low)[2],
                      Wide (&high)[2]) {
    uint32_t at[8];  // in bytes
    const Words offsets = (places & 15) * uint32_t{sizeof(Row)};
    memcpy(at, &offsets, sizeof at);
    const auto row = [&](int i) {
      const char* found = reinterpret_cast<const char*>(rows) + at[i];
      return _mm_loadu_pd(reinterpret_cast<const double*>(found));
    };
    const auto four = [&](int i, Wide(&found)[2]) {
      const Wide even = _mm256_set_m128d(row(i + 2), row(i));
      const Wide odd = _mm256_set_m128d(row(i + 3), row(i + 1));
      found[0] = _mm256_unpacklo_pd(even, odd);
      found[1] = _mm256_unpackhi_pd(even, odd);
    };
    four(0, low);
    four(4, high);
  }
  template <class T, int kSize>
  static Wide entries(const T (&table)[kSize], Longs place) {
    const auto at = [&](uint64_t each) {
      double found;
      memcpy(&found, table + (each & (kSize - 1)), sizeof found);
      return found;
    };
    return _mm256_setr_pd(at(place[0]), at(place[1]), at(place[2]), at(place[3]));
  }
};

}  // namespace opsmith::simd
