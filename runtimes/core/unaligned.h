// Integers at any address, by memcpy; on cores that have no unaligned loads, such as the Cortex-M0,
// without it, since GCC calls it there even for four bytes. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith {

#if defined(__arm__) && !defined(__ARM_FEATURE_UNALIGNED)

template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};

template <class T>
__attribute__((always_inline)) inline T load_unaligned(const void* from) {
  return static_cast<const Unaligned<T>*>(from)->value;
}

template <class T>
__attribute__((always_inline)) inline void store_unaligned(void* to, T value) {
  static_cast<Unaligned<T>*>(to)->value = value;
}

// Copies N bytes, which do not overlap.
template <int32_t N>
__attribute__((always_inline)) inline void copy_few(void* to, const void* from) {
  auto* const y = static_cast<uint8_t*>(to);
  const auto* const x = static_cast<const uint8_t*>(from);
  if constexpr (N >= 4) {
    const auto first = load_unaligned<uint32_t>(x);
    copy_few<N - 4>(y + 4, x + 4);
    store_unaligned(y, first);
  } else if constexpr (N > 0) {
    const uint8_t first = *x;
    copy_few<N - 1>(y + 1, x + 1);
    *y = first;
  }
}

#else

template <class T>
__attribute__((always_inline)) inline T load_unaligned(const void* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
__attribute__((always_inline)) inline void store_unaligned(void* to, T value) {
  memcpy(to, &value, sizeof value);
}

template <int32_t N>
__attribute__((always_inline)) inline void copy_few(void* to, const void* from) {
  memcpy(to, from, N);
}

#endif

}  // namespace opsmith
