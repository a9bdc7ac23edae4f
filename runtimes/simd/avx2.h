// Needs AVX2. Fast because VPMADDWD adds two products of 16 bits in each of eight lanes.
#pragma once

#include <stdint.h>

#include "runtimes/simd/avx2_reals.h"
#include "runtimes/simd/few_bytes.h"
#include "runtimes/simd/rules.h"
#include "runtimes/simd/x86.h"

namespace opsmith::simd {

struct Avx2 {
  static constexpr int32_t kLanes = 8, kGroup = 2, kRows = 6, kBlocks = 2, kChannels = 16;
  using Input = int16_t;
  using Sums = __m256i;
  using Weights = __m256i;

  static __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static __m128i bytes(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
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

  static __m128i eight(const int8_t* from) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
  static void copy(const int8_t* x, int32_t n, Input* to) {
    int32_t i = 0;
    for (; i + 16 <= n; i += 16) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), weights(x + i));
    }
    if (n >= 8) {
      for (; i < n; i += 8) {  // the last ones end at the last input
        const int32_t at = i + 8 <= n ? i : n - 8;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), eight(x + at));
      }
    }
    for (; i < n; ++i) to[i] = x[i];
  }
  static void repeat(int32_t x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<Input>(x);
  }

  // round(x * factor / 2^31), ties up, whose odd factors are also in the even lanes of another.
  static Sums high_products(Sums x, Sums factor, Sums odd_factor) {
    const __m256i half = _mm256_set1_epi64x(1 << 30);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, factor), half);
    const __m256i odd =
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd_factor), half);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
  }
  static Sums high_products(Sums x, int32_t factor) {
    return high_products(x, _mm256_set1_epi32(factor), _mm256_set1_epi32(factor));
  }

  // Elements as words, and words that are elements.
  static Sums words(const int8_t* x) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
  }
  static Sums words(const uint8_t* x) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)));
  }
  static Sums words(const int16_t* x) {
    return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  }
  static __m128i halves(Sums x) {
    return _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  }
  static void put(Sums x, int8_t* y) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(y), _mm_packs_epi16(halves(x), halves(x)));
  }
  static void put(Sums x, uint8_t* y) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(y), _mm_packus_epi16(halves(x), halves(x)));
  }
  static void put(Sums x, int16_t* y) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), halves(x));
  }

  // Words, which may be beyond bytes, plus a zero point.
  static __m256i sixteen(Sums a, Sums b, int32_t zero_point) {
    const __m256i more = _mm256_set1_epi16(static_cast<int16_t>(zero_point));
    return _mm256_adds_epi16(_mm256_packs_epi32(a, b), more);
  }
  template <class Y>
  static void put_bytes(const Sums (&x)[4], int32_t zero_point, Y* y) {
    const __m256i a = sixteen(x[0], x[1], zero_point), b = sixteen(x[2], x[3], zero_point);
    const __m256i found = Y(-1) < 0 ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i ordered = _mm256_permutevar8x32_epi32(found, order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), ordered);
  }

  // A table of 256 bytes, of which VPSHUFB takes one of 16: bits of x choose among those.
  struct Table {
    static constexpr int32_t kBytes = 32;
    explicit Table(const uint8_t* values) : sixteens(reinterpret_cast<const __m128i*>(values)) {}

    template <int32_t kCount>
    __m256i among(int32_t first, __m256i x, __m256i low) const {
      if constexpr (kCount == 1) {
        const __m128i values = _mm_loadu_si128(sixteens + first);
        return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), low);
      } else {
        const __m256i one = among<kCount / 2>(first, x, low);
        const __m256i other = among<kCount / 2>(first + kCount / 2, x, low);
        constexpr int32_t kLeft = kCount == 16 ? 0 : kCount == 8 ? 1 : kCount == 4 ? 2 : 3;
        return _mm256_blendv_epi8(one, other, _mm256_slli_epi16(x, kLeft));
      }
    }
    void look_up(const uint8_t* from, uint8_t* to) const {
      const __m256i x = load(from);
      const __m256i found = among<16>(0, x, _mm256_and_si256(x, _mm256_set1_epi8(15)));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), found);
    }

    const __m128i* sixteens;
  };

  // A rule with its constants, which are in registers while many sums become outputs.
  struct FixedPoint {
    explicit FixedPoint(const int32_t* c)
        : bias(load(c)),
          factor(load(c + kLanes)),
          left(load(c + 2 * kLanes)),
          right(load(c + 3 * kLanes)),
          odd_factor(_mm256_srli_epi64(factor, 32)),
          less(_mm256_sub_epi32(right, _mm256_set1_epi32(1))),
          shifted(_mm256_cmpgt_epi32(right, zero())) {}

    Sums operator()(Sums sums) const {
      sums = _mm256_sllv_epi32(_mm256_add_epi32(sums, bias), left);
      const __m256i high = high_products(sums, factor, odd_factor);
      const __m256i negative = _mm256_and_si256(_mm256_srai_epi32(high, 31), shifted);
      const __m256i lowered = _mm256_add_epi32(high, negative);
      // Where nothing is shifted, the shift by 2^32 - 1 gives 0.
      const __m256i half = _mm256_and_si256(_mm256_srlv_epi32(lowered, less), _mm256_set1_epi32(1));
      return _mm256_add_epi32(_mm256_srav_epi32(lowered, right), half);
    }

    __m256i bias, factor, left, right, odd_factor, less, shifted;
  };

  // Products of magnitudes, to which the halves of both roundings are added at once.
  struct Magnitudes {
    explicit Magnitudes(const int32_t* c)
        : bias(load(c)),
          factor(load(c + kLanes)),
          odd_factor(_mm256_srli_epi64(factor, 32)),
          half(_mm256_or_si256(_mm256_slli_epi64(load(c + 2 * kLanes), 32), first_half())),
          odd_half(_mm256_blend_epi32(first_half(), load(c + 2 * kLanes), 0xaa)),
          right(_mm256_add_epi64(_mm256_blend_epi32(load(c + 3 * kLanes), zero(), 0xaa),
                                 _mm256_set1_epi64x(32))),
          odd_right(_mm256_srli_epi64(load(c + 3 * kLanes), 32)) {}

    Sums operator()(Sums sums) const {
      sums = _mm256_add_epi32(sums, bias);
      const __m256i x = _mm256_abs_epi32(sums);
      const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(x, factor), half);
      const __m256i odd =
          _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), odd_factor), odd_half);
      const __m256i found = _mm256_blend_epi32(_mm256_srlv_epi64(even, right),
                                               _mm256_srlv_epi64(odd, odd_right), 0xaa);
      return _mm256_sign_epi32(found, sums);
    }

    static __m256i first_half() { return _mm256_set1_epi64x(int64_t{1} << 31); }
    __m256i bias, factor, odd_factor, half, odd_half, right, odd_right;
  };

  struct Singles {
    explicit Singles(const int32_t* c)
        : bias(load(c)), factor(_mm256_castsi256_ps(load(c + kLanes))) {}

    Sums operator()(Sums sums) const {
      const __m256 x = _mm256_cvtepi32_ps(_mm256_add_epi32(sums, bias));
      return _mm256_cvtps_epi32(_mm256_mul_ps(x, factor));
    }

    __m256i bias;
    __m256 factor;
  };

  struct Doubles {
    explicit Doubles(const int32_t* c)
        : bias(load(c)),
          low(_mm256_castsi256_pd(load(c + kLanes))),
          high(_mm256_castsi256_pd(load(c + 2 * kLanes))) {}

    static __m128i halves_away(__m128i sums, __m256d scale) {
      const __m256d x = _mm256_mul_pd(_mm256_cvtepi32_pd(sums), scale);
      const __m256d sign = _mm256_and_pd(x, _mm256_set1_pd(-0.0));
      return _mm256_cvttpd_epi32(_mm256_add_pd(x, _mm256_or_pd(sign, _mm256_set1_pd(kBelowHalf))));
    }
    Sums operator()(Sums sums) const {
      sums = _mm256_add_epi32(sums, bias);
      return _mm256_set_m128i(halves_away(_mm256_extracti128_si256(sums, 1), high),
                              halves_away(_mm256_castsi256_si128(sums), low));
    }

    __m256i bias;
    __m256d low, high;
  };

  // Bounds of outputs; halfwords saturate before the zero point is added, and after.
  struct Bounds {
    explicit Bounds(const Outputs& o)
        : zero_point(_mm256_set1_epi16(static_cast<int16_t>(o.zero_point))),
          low(_mm_set1_epi8(static_cast<int8_t>(o.low))),
          high(_mm_set1_epi8(static_cast<int8_t>(o.high))) {}

    // 16 halfwords as bytes, in order of 128 bits.
    __m128i bytes_of(__m256i halves) const {
      halves = _mm256_adds_epi16(halves, zero_point);
      const __m128i found =
          _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
      return _mm_min_epi8(_mm_max_epi8(found, low), high);
    }

    __m256i zero_point;
    __m128i low, high;
  };

  // Fewer bytes than 16.
  static void put_first(__m128i found, int8_t* y, int32_t n) {
    put_few_bytes(static_cast<uint64_t>(_mm_cvtsi128_si64(found)), y, n < 8 ? n : 8);
    if (n > 8) put_few_bytes(static_cast<uint64_t>(_mm_extract_epi64(found, 1)), y + 8, n - 8);
  }
  static void store(Sums scaled, const Bounds& bounds, int8_t* y, int32_t n) {
    const __m128i found = bounds.bytes_of(_mm256_castsi128_si256(halves(scaled)));
    if (n >= kLanes) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(y), found);
    } else {
      put_first(found, y, n);
    }
  }

  // Sums of neighbours.
  static void store_pair(Sums first, Sums second, const Bounds& bounds, int8_t* y) {
    const __m128i found = bounds.bytes_of(_mm256_packs_epi32(first, second));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_shuffle_epi32(found, 0xd8));
  }

  // Two taps of 16 channels, whose weights are in the order that the sums have.
  static __m128i few(const int8_t* x, int32_t n) {
    const uint64_t first = few_bytes(x, n < 8 ? n : 8);
    const uint64_t others = n > 8 ? few_bytes(x + 8, n - 8) : 0;
    return _mm_set_epi64x(static_cast<int64_t>(others), static_cast<int64_t>(first));
  }
  static __m256i wide(const int8_t* x, int32_t n) {
    return n >= kChannels ? weights(x) : _mm256_cvtepi8_epi16(few(x, n));
  }
  static __m256i wide(const uint8_t* unsigned_x, int32_t n) {
    const auto* x = reinterpret_cast<const int8_t*>(unsigned_x);
    return _mm256_cvtepu8_epi16(n >= kChannels ? bytes(x) : few(x, n));
  }
  template <class T>
  static void add_taps(const T* a, const T* b, int32_t n, const int16_t* w, Sums (&sums)[2]) {
    const __m256i x = wide(a, n), z = wide(b, n);
    sums[0] = add_products(sums[0], load(w), _mm256_unpacklo_epi16(x, z));
    sums[1] = add_products(sums[1], load(w + 16), _mm256_unpackhi_epi16(x, z));
  }
  // Sums of 16 channels in their order.
  static void in_order(Sums (&sums)[2]) {
    const __m256i low = _mm256_permute2x128_si256(sums[0], sums[1], 0x20);
    sums[1] = _mm256_permute2x128_si256(sums[0], sums[1], 0x31);
    sums[0] = low;
  }
  static void store(const Sums (&scaled)[2], const Bounds& bounds, int8_t* y, int32_t n) {
    const __m128i found = bounds.bytes_of(_mm256_packs_epi32(scaled[0], scaled[1]));
    if (n >= kChannels) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(y), found);
    } else {
      put_first(found, y, n);
    }
  }
};

// Weights of 16 bits, for bytes of uint8.
struct Avx2Halves : Avx2 {
  static Weights weights(const int16_t* w) { return load(w); }
  static void copy(const uint8_t* x, int32_t n, Input* to) {
    for (int32_t i = 0; i < n; ++i) to[i] = x[i];
  }
};

}  // namespace opsmith::simd
