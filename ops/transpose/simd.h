// Needs vectors of 16 bytes. Fast because squares of elements are loaded by rows, turned in
// registers and stored by rows. Freestanding C++17.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtimes/core/fixed_point.h"

namespace opsmith::transpose {

// Elements of this many bytes, of whatever type, in a vector; and the lower or upper halves of two
// vectors, one element of each after the other.
template <int kBytes>
struct Zipped;
template <>
struct Zipped<1> {
  using Lanes [[gnu::vector_size(16)]] = uint8_t;
  static Lanes low(Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  static Lanes high(Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
  }
};
template <>
struct Zipped<2> {
  using Lanes [[gnu::vector_size(16)]] = uint16_t;
  static Lanes low(Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static Lanes high(Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
};
template <>
struct Zipped<4> {
  using Lanes [[gnu::vector_size(16)]] = uint32_t;
  static Lanes low(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
  static Lanes high(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
};
template <>
struct Zipped<8> {
  using Lanes [[gnu::vector_size(16)]] = uint64_t;
  static Lanes low(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 0, 2); }
  static Lanes high(Lanes a, Lanes b) { return __builtin_shufflevector(a, b, 1, 3); }
};

// Writes columns of a square of x as rows of y. Pitches are bytes between rows.
template <int kBytes>
void turn_square(const uint8_t* x, ptrdiff_t x_pitch, uint8_t* y, ptrdiff_t y_pitch) {
  using Z = Zipped<kBytes>;
  constexpr int kSize = 16 / kBytes;
  typename Z::Lanes rows[kSize], zipped[kSize];
#pragma GCC unroll 16
  for (int i = 0; i < kSize; ++i) memcpy(rows + i, x + i * x_pitch, 16);
#pragma GCC unroll 4
  for (int round = 1; round < kSize; round *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kSize / 2; ++i) {
      zipped[2 * i] = Z::low(rows[i], rows[i + kSize / 2]);
      zipped[2 * i + 1] = Z::high(rows[i], rows[i + kSize / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kSize; ++i) rows[i] = zipped[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kSize; ++i) memcpy(y + i * y_pitch, rows + i, 16);
}

// As movement::gather, where neighbours of x lie p.y_pitch elements apart in y, and neighbours of y
// p.x_pitch elements in x. The last squares end at the last neighbours.
template <class T, class P>
void turned(const P& p, const void* x, void* y) {
  constexpr int32_t kBytes = sizeof(T), kSize = 16 / kBytes;
  constexpr int32_t kAxes = sizeof(p.size) / sizeof(p.size[0]);
  const ptrdiff_t x_pitch = ptrdiff_t{kBytes} * p.x_pitch, y_pitch = ptrdiff_t{kBytes} * p.y_pitch;
  for (int32_t part = 0; part < p.parts; ++part) {
    ptrdiff_t of_x = p.first, of_y = 0;
    for (int32_t axis = kAxes - 1, rest = part; axis >= 0; rest /= p.size[axis--]) {
      of_x += ptrdiff_t{rest % p.size[axis]} * p.step[axis];
      of_y += ptrdiff_t{rest % p.size[axis]} * p.to[axis];
    }
    const uint8_t* from = static_cast<const uint8_t*>(x) + kBytes * of_x;
    uint8_t* to = static_cast<uint8_t*>(y) + kBytes * of_y;
    for (int32_t i = 0; i < p.x_neighbours; i += kSize) {
      const int32_t row = min(i, p.x_neighbours - kSize);
      for (int32_t j = 0; j < p.y_neighbours; j += kSize) {
        const int32_t column = min(j, p.y_neighbours - kSize);
        turn_square<kBytes>(from + column * x_pitch + row * kBytes, x_pitch,
                            to + row * y_pitch + column * kBytes, y_pitch);
      }
    }
  }
}

}  // namespace opsmith::transpose
