// Needs Zve32x. Fast because VLUXEI8 looks a byte up for each element of eight vector registers.
#pragma once

#include <stdint.h>

namespace opsmith::riscv {

// y[i] = values[x[i]]. In assembly, since GCC 12 has no intrinsics; a function of its own, since
// calls clobber vector registers, for which it has no names either.
[[gnu::noinline]] inline void look_up(int32_t elements, const void* values, const void* x,
                                      void* y) {
  int32_t taken;
  __asm volatile(
      "beqz %1, 2f\n\t"
      "1: vsetvli %0, %1, e8, m8, ta, ma\n\t"
      "vle8.v v8, (%2)\n\t"
      "vluxei8.v v16, (%4), v8\n\t"
      "vse8.v v16, (%3)\n\t"
      "sub %1, %1, %0\n\t"
      "add %2, %2, %0\n\t"
      "add %3, %3, %0\n\t"
      "bnez %1, 1b\n\t"
      "2:"
      : "=&r"(taken), "+r"(elements), "+r"(x), "+r"(y)
      : "r"(values)
      : "memory");
}

template <class P, class T>
void bytes(const P& p, const T* values, const T* x, T* y) {
  look_up(p.elements, values, x, y);
}

}  // namespace opsmith::riscv
