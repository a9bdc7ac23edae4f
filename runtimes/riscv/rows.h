// Needs Zve32x. Fast because an input is multiplied by the weights of as many output channels as
// eight vector registers have sums of, and because weights that are loaded serve three pixels.
#pragma once

#include "runtimes/riscv/vectors.h"

namespace opsmith::riscv {

// Adds the products of inputs [input][pixel] and weights [input][channel] to the sums.
template <int32_t kSums>
void add_products(const int8_t* x, int32_t inputs, const int8_t* weights, int32_t channels,
                  int32_t taken) {
  int32_t first, second, third;
  __asm volatile(
      "vsetvli zero, %[taken], e16, m4, ta, ma\n"
      "1:\n\t"
      "lb %[first], 0(%[x])\n\t"
      ".if %[sums] > 1\n\t"
      "lb %[second], 1(%[x])\n\t"
      "lb %[third], 2(%[x])\n\t"
      ".endif\n\t"
      "vle8.v v0, (%[weights])\n\t"
      "addi %[x], %[x], %[sums]\n\t"
      "add %[weights], %[weights], %[channels]\n\t"
      "vsext.vf2 v4, v0\n\t"
      "vwmacc.vx v8, %[first], v4\n\t"
      ".if %[sums] > 1\n\t"
      "vwmacc.vx v16, %[second], v4\n\t"
      "vwmacc.vx v24, %[third], v4\n\t"
      ".endif\n\t"
      "bne %[x], %[end], 1b"
      : [x] "+&r"(x), [weights] "+&r"(weights), [first] "=&r"(first), [second] "=&r"(second),
        [third] "=&r"(third)
      :
      [end] "r"(x + kSums * inputs), [channels] "r"(channels), [taken] "r"(taken), [sums] "i"(kSums)
      : "memory");
}

// All channels of `count` pixels, of which x has kSums.
template <class Rule, int32_t kSums>
[[gnu::noinline]] void multiply(const Outputs& p, const int8_t* x, int32_t inputs,
                                const int8_t* weights, int32_t count, int8_t* y) {
  for (int32_t c = 0; c < p.channels;) {
    const int32_t taken = take(p.channels - c);
    Rule::begin(p.constants + c, taken);
    add_products<kSums>(x, inputs, weights + c, p.channels, taken);
    Rule::template scale<kSums>(p, p.constants + c, taken);
    store<kSums>(p, taken, count, y + c);
    c += taken;
  }
}

}  // namespace opsmith::riscv
