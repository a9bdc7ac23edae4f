// Steps of functions of vectors of floats. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {
namespace simd {

// Of vectors of this many bytes, by the header of an instruction set. Wide are as many bytes of
// doubles: widened() are those of both halves of floats or words, places() words as Longs, and
// narrowed() the nearest floats. nearest() integers, halves to even, are any words for floats that
// have none. fused() rounds a * b + c once; larger() and smaller() are b where a or b is NaN;
// roots() of negative floats are NaN of any sign; entries() are of a table, by the last bits of
// places, which of kEntries floats are taken from registers; members() are both doubles of rows of
// a table, which another has as columns, for both halves of places.
template <uint32_t kBytes>
struct RealSteps;

}  // namespace simd

template <class W>
using StepsOf = simd::RealSteps<sizeof(W)>;

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W with_sign(W x, W sign) {
  using Ints = decltype(x < x);
  return reinterpret_cast<W>((reinterpret_cast<Ints>(x) & INT32_MAX) |
                             (reinterpret_cast<Ints>(sign) & INT32_MIN));
}

}  // namespace opsmith
