// SquaredDifference, the definition (tensorflow/lite/kernels/squared_difference.cc).
#pragma once

#include "runtimes/families/binary.h"
#include "squared_difference.op.h"

namespace opsmith::squared_difference {

// Bits of headroom: the square of a difference has twice as many.
template <class T>
inline constexpr int32_t kHeadroom = sizeof(T) == 1 ? 7 : 0;

// Integers wrap.
struct SquaredDifference {
  constexpr int32_t operator()(int32_t a, int32_t b) const {
    const uint32_t difference = static_cast<uint32_t>(a) - static_cast<uint32_t>(b);
    return static_cast<int32_t>(difference * difference);
  }
  constexpr float operator()(float a, float b) const { return (a - b) * (a - b); }
};

template <class P, class T>
void quantised(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, [&p](T a, T b) {
    return binary::rescaled<kHeadroom<T>>(p, a, b, SquaredDifference{});
  });
}

template <class P>
void reference(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  quantised(p, in, out);
}

template <class P>
void reference(const P& p, const In<int16_t>& in, const Out<int16_t>& out) {
  quantised(p, in, out);
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  for_each_pair(p, in.a, in.b, out.y, SquaredDifference{});
}

}  // namespace opsmith::squared_difference
