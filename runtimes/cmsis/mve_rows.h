// Sums of one row by four rows of weights, for Helium. Fast because VMLADAVA adds sixteen products
// at once, and each vector of inputs that is loaded serves four channels.
#pragma once

#include "runtimes/cmsis/mve.h"

namespace opsmith::mve {

// A vector of inputs by the weights of four channels.
#define OPSMITH_MVE_STEP(multiply)       \
  "vldrb.8 q0, [%[x]], #16\n\t"          \
  "vldrb.8 q1, [%[w]], #16\n\t" multiply \
  " %[a], q1, q0\n\t"                    \
  "vldrb.8 q2, [%[w]], #16\n\t" multiply \
  " %[b], q2, q0\n\t"                    \
  "vldrb.8 q1, [%[w]], #16\n\t" multiply \
  " %[c], q1, q0\n\t"                    \
  "vldrb.8 q2, [%[w]], #16\n\t" multiply " %[d], q2, q0\n\t"

// The first step, of `tail` inputs.
#define OPSMITH_MVE_TAIL        \
  "vctp.8 %[tail]\n\t"          \
  "vpst\n\t"                    \
  "vldrbt.u8 q0, [%[x]]\n\t"    \
  "add %[x], %[tail]\n\t"       \
  "vldrb.8 q1, [%[w]]\n\t"      \
  "add %[w], %[tail]\n\t"       \
  "vmladav.s8 %[a], q1, q0\n\t" \
  "vldrb.8 q2, [%[w]]\n\t"      \
  "add %[w], %[tail]\n\t"       \
  "vmladav.s8 %[b], q2, q0\n\t" \
  "vldrb.8 q1, [%[w]]\n\t"      \
  "add %[w], %[tail]\n\t"       \
  "vmladav.s8 %[c], q1, q0\n\t" \
  "vldrb.8 q2, [%[w]]\n\t"      \
  "add %[w], %[tail]\n\t"       \
  "vmladav.s8 %[d], q2, q0\n\t"
// Sums of four channels, `first` being how they begin.
#define OPSMITH_MVE_SUMS(first) \
  __asm volatile(first                                                                            \
                 "2:\n\t"                                                                         \
                 "wls lr, %[steps], 4f\n"                                                         \
                 "3:\n\t" OPSMITH_MVE_STEP("vmladava.s8")                                         \
                 "le lr, 3b\n"                                                                    \
                 "4:"                                                                             \
                 : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [x] "+r"(x),       \
                   [w] "+r"(w)                                                                    \
                 : [tail] "r"(tail), [steps] "r"(steps)                                           \
                 : "q0", "q1", "q2", "p0", "lr", "cc", "memory")

// The sums of products of four channels; returns the weights that follow. The first step, of `tail`
// inputs or of 16, multiplies without adding. Where it is known to be whole, no code is for others.
inline const int8_t* dot_products(const int8_t* x, const int8_t* w, int32_t tail, int32_t steps,
                                  int32_t (&sums)[4]) {
  int32_t a, b, c, d;
  if (__builtin_constant_p(tail) && tail == 0) {
    OPSMITH_MVE_SUMS(OPSMITH_MVE_STEP("vmladav.s8"));
  } else {
    OPSMITH_MVE_SUMS(
        "cmp %[tail], #0\n\t"
        "beq 1f\n\t" OPSMITH_MVE_TAIL
        "b 2f\n"
        "1:\n\t" OPSMITH_MVE_STEP("vmladav.s8"));
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
  return w;
}

// The same as a vector.
inline const int8_t* dot_products(const int8_t* x, const int8_t* w, int32_t tail, int32_t steps,
                                  int32x4_t& sums) {
  int32_t each[4];
  w = dot_products(x, w, tail, steps, each);
  sums = gather(each[0], each[1], each[2], each[3]);
  return w;
}

#undef OPSMITH_MVE_SUMS
#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::mve
