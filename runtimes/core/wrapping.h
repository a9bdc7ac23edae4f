// Sums, differences and products of integers that wrap, where C++ would be undefined. Freestanding
// C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

template <class T>
inline constexpr bool kWraps = T{1} / 2 == 0;  // whether T is a type of integers

// T has up to 64 bits.
template <class T>
constexpr T wrapping_sum(T a, T b) {
  static_assert(kWraps<T>, "only integers wrap; floats have +, - and *");
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <class T>
constexpr T wrapping_difference(T a, T b) {
  static_assert(kWraps<T>, "only integers wrap; floats have +, - and *");
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

template <class T>
constexpr T wrapping_product(T a, T b) {
  static_assert(kWraps<T>, "only integers wrap; floats have +, - and *");
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace opsmith
