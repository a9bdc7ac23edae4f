// What kernels of int16 activations and int8 weights share that need Helium.
#pragma once

#include "runtimes/cmsis/mve.h"
#include "runtimes/core/narrow.h"

namespace opsmith::mve {

// Weights of four channels come vector by vector: `tail` inputs of each channel, 1 to 8, and then
// `steps` times eight of each.
struct Vectors {
  int32_t tail;
  int32_t steps;
};

constexpr Vectors vectors(int32_t inputs) { return {(inputs - 1) % 8 + 1, (inputs - 1) / 8}; }

// A vector of inputs by the weights of four channels.
#define OPSMITH_MVE_STEP          \
  "vldrh.u16 q0, [%[x]], #16\n\t" \
  "vldrb.s16 q1, [%[w]], #8\n\t"  \
  "vmladava.s16 %[a], q1, q0\n\t" \
  "vldrb.s16 q2, [%[w]], #8\n\t"  \
  "vmladava.s16 %[b], q2, q0\n\t" \
  "vldrb.s16 q1, [%[w]], #8\n\t"  \
  "vmladava.s16 %[c], q1, q0\n\t" \
  "vldrb.s16 q2, [%[w]], #8\n\t"  \
  "vmladava.s16 %[d], q2, q0\n\t"
// Weights of a channel in a first step, which is as long as `tail` says. VLDRB.S16 needs one of the
// low registers.
#define OPSMITH_MVE_TAIL(q, tail) \
  "vldrb.s16 " q                  \
  ", [%[w]]\n\t"                  \
  "add %[w], %[" tail "]\n\t"

// The sums of products of four channels; returns the weights that follow.
inline const int8_t* dot_products(const int16_t* x, const int8_t* w, Vectors size,
                                  int32x4_t& sums) {
  int32_t a, b, c, d;
  __asm volatile(
      "vctp.16 %[tail]\n\t"
      "vpst\n\t"
      "vldrht.u16 q0, [%[x]]\n\t"
      "add %[x], %[x], %[tail], lsl #1\n\t"
      OPSMITH_MVE_TAIL("q1", "tail") "vmladav.s16 %[a], q1, q0\n\t"
      OPSMITH_MVE_TAIL("q2", "tail") "vmladav.s16 %[b], q2, q0\n\t"
      OPSMITH_MVE_TAIL("q1", "tail") "vmladav.s16 %[c], q1, q0\n\t"
      OPSMITH_MVE_TAIL("q2", "tail") "vmladav.s16 %[d], q2, q0\n\t"
      "wls lr, %[steps], 2f\n"
      "1:\n\t" OPSMITH_MVE_STEP
      "le lr, 1b\n"
      "2:"
      : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [x] "+r"(x), [w] "+l"(w)
      : [tail] "r"(size.tail), [steps] "r"(size.steps)
      : "q0", "q1", "q2", "p0", "lr", "cc", "memory");
  sums = gather(a, b, c, d);
  return w;
}
#undef OPSMITH_MVE_STEP

#undef OPSMITH_MVE_TAIL

// The sums of four channels in 64 bits; returns the weights that follow.
inline const int8_t* dot_products(const int16_t* x, const int8_t* w, Vectors size,
                                  int64_t (&sums)[4]) {
  const int16x8_t inputs = vldrhq_z_s16(x, vctp16q(size.tail));
  for (int32_t i = 0; i < 4; ++i, w += size.tail) {
    sums[i] = vmlaldavq_s16(vldrbq_s16(w), inputs);
  }
  x += size.tail;
  for (int32_t step = 0; step < size.steps; ++step, x += 8) {
    for (int32_t i = 0; i < 4; ++i, w += 8) {
      sums[i] = vmlaldavaq_s16(sums[i], vldrbq_s16(w), vldrhq_s16(x));
    }
  }
  return w;
}

}  // namespace opsmith::mve
