// Needs Thumb-2. Fast because a weight that is loaded serves two pixels and an input four output
// channels: eight sums in registers, which the compiler does not find by itself.
#pragma once

#include "ops/conv_2d/pixel_groups.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_groups {

// The sums of the products of four channels with two windows, whose bytes take turns. Eight sums,
// two pointers and three bytes leave one register of fourteen to the loop; what the compiler finds
// by itself spills sums.
struct Thumb2Multiply {
  using Input = int8_t;
  using Weight = int8_t;
  static constexpr int32_t kPixels = 2;
  static constexpr int32_t kChannels = 4;

  // What a group of channels has of weights for N inputs.
  static constexpr int32_t weights(int32_t size) { return kChannels * size; }

  template <class From>
  static void put(int32_t inputs, int32_t pixel, Input* windows, int32_t at, From from) {
    Input* to = windows + kPixels * at + pixel;
#pragma GCC unroll 4
    for (int32_t i = 0; i < inputs; ++i) to[kPixels * i] = from(i);
  }

  // Multiplies an input of each pixel by four weights. At -Og a closure is in memory, and assembly
  // lacks registers.
  __attribute__((always_inline)) static void step(const int8_t*& x, const int8_t*& w, int32_t& a0,
                                                  int32_t& b0, int32_t& c0, int32_t& d0,
                                                  int32_t& a1, int32_t& b1, int32_t& c1,
                                                  int32_t& d1) {
    int32_t x0, x1, weight;
    __asm volatile(
        "ldrsb %[x0], [%[x]], #1\n\t"
        "ldrsb %[x1], [%[x]], #1\n\t"
        "ldrsb %[weight], [%[w]], #1\n\t"
        "mla %[a0], %[weight], %[x0], %[a0]\n\t"
        "mla %[a1], %[weight], %[x1], %[a1]\n\t"
        "ldrsb %[weight], [%[w]], #1\n\t"
        "mla %[b0], %[weight], %[x0], %[b0]\n\t"
        "mla %[b1], %[weight], %[x1], %[b1]\n\t"
        "ldrsb %[weight], [%[w]], #1\n\t"
        "mla %[c0], %[weight], %[x0], %[c0]\n\t"
        "mla %[c1], %[weight], %[x1], %[c1]\n\t"
        "ldrsb %[weight], [%[w]], #1\n\t"
        "mla %[d0], %[weight], %[x0], %[d0]\n\t"
        "mla %[d1], %[weight], %[x1], %[d1]"
        : [a0] "+r"(a0), [b0] "+r"(b0), [c0] "+r"(c0), [d0] "+r"(d0), [a1] "+r"(a1), [b1] "+r"(b1),
          [c1] "+r"(c1), [d1] "+r"(d1), [x] "+r"(x), [w] "+r"(w), [x0] "=&r"(x0), [x1] "=&r"(x1),
          [weight] "=&r"(weight)
        :
        : "memory");
  }

  __attribute__((noinline)) static void sums_of(const int8_t* x, int32_t size, const int8_t* w,
                                                int32_t (&sums)[kPixels][kChannels],
                                                int32_t /*pixels*/) {
    int32_t a0 = 0, b0 = 0, c0 = 0, d0 = 0, a1 = 0, b1 = 0, c1 = 0, d1 = 0;
    const int8_t* end = x + kPixels * size;
    const int8_t* last = x + kPixels * (size & ~3);
    while (x != last) {
      step(x, w, a0, b0, c0, d0, a1, b1, c1, d1);
      step(x, w, a0, b0, c0, d0, a1, b1, c1, d1);
      step(x, w, a0, b0, c0, d0, a1, b1, c1, d1);
      step(x, w, a0, b0, c0, d0, a1, b1, c1, d1);
    }
    while (x != end) step(x, w, a0, b0, c0, d0, a1, b1, c1, d1);
    sums[0][0] = a0, sums[0][1] = b0, sums[0][2] = c0, sums[0][3] = d0;
    sums[1][0] = a1, sums[1][1] = b1, sums[1][2] = c1, sums[1][3] = d1;
  }
};

}  // namespace pixel_groups

template <class P, class S>
void thumb2(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
            const S& scratch) {
  pixel_groups::convolve<pixel_groups::Thumb2Multiply>(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
