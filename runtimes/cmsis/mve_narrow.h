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

// The same by two vectors of inputs, of pixels 0 and 1.
#define OPSMITH_MVE_STEP           \
  "vldrh.u16 q0, [%[x0]], #16\n\t" \
  "vldrb.s16 q2, [%[w]], #8\n\t"   \
  "vmladava.s16 %[a0], q2, q0\n\t" \
  "vldrh.u16 q1, [%[x1]], #16\n\t" \
  "vmladava.s16 %[a1], q2, q1\n\t" \
  "vldrb.s16 q3, [%[w]], #8\n\t"   \
  "vmladava.s16 %[b0], q3, q0\n\t" \
  "vmladava.s16 %[b1], q3, q1\n\t" \
  "vldrb.s16 q2, [%[w]], #8\n\t"   \
  "vmladava.s16 %[c0], q2, q0\n\t" \
  "vmladava.s16 %[c1], q2, q1\n\t" \
  "vldrb.s16 q3, [%[w]], #8\n\t"   \
  "vmladava.s16 %[d0], q3, q0\n\t" \
  "vmladava.s16 %[d1], q3, q1\n\t"

// The same for pixels 0 and 1. Sums have to be in the eight even registers, so d1 is the tail
// first.
inline const int8_t* dot_products(const int16_t* x0, const int16_t* x1, const int8_t* w,
                                  Vectors size, int32x4_t& first, int32x4_t& second) {
  int32_t a0, b0, c0, d0, a1, b1, c1, d1 = size.tail, steps = size.steps;
  __asm volatile(
      "vctp.16 %[d1]\n\t"
      "vpstt\n\t"
      "vldrht.u16 q0, [%[x0]]\n\t"
      "vldrht.u16 q1, [%[x1]]\n\t"
      "add %[x0], %[x0], %[d1], lsl #1\n\t"
      "add %[x1], %[x1], %[d1], lsl #1\n\t"
      OPSMITH_MVE_TAIL("q2", "d1")
      "vmladav.s16 %[a0], q2, q0\n\t"
      "vmladav.s16 %[a1], q2, q1\n\t"
      OPSMITH_MVE_TAIL("q3", "d1")
      "vmladav.s16 %[b0], q3, q0\n\t"
      "vmladav.s16 %[b1], q3, q1\n\t"
      OPSMITH_MVE_TAIL("q2", "d1")
      "vmladav.s16 %[c0], q2, q0\n\t"
      "vmladav.s16 %[c1], q2, q1\n\t"
      OPSMITH_MVE_TAIL("q3", "d1")
      "vmladav.s16 %[d0], q3, q0\n\t"
      "vmladav.s16 %[d1], q3, q1\n\t"
      "lsrs %[steps], %[steps], #1\n\t"
      "bcc 1f\n\t" OPSMITH_MVE_STEP
      "1:\n\t"
      "beq 3f\n"
      "2:\n\t" OPSMITH_MVE_STEP OPSMITH_MVE_STEP
      "subs %[steps], #1\n\t"
      "bne 2b\n"
      "3:"
      : [a0] "=&Te"(a0), [b0] "=&Te"(b0), [c0] "=&Te"(c0), [d0] "=&Te"(d0), [a1] "=&Te"(a1),
        [b1] "=&Te"(b1), [c1] "=&Te"(c1), [d1] "+Te"(d1), [x0] "+r"(x0), [x1] "+r"(x1),
        [w] "+l"(w), [steps] "+r"(steps)
      :
      : "q0", "q1", "q2", "q3", "p0", "cc", "memory");
  first = gather(a0, b0, c0, d0);
  second = gather(a1, b1, c1, d1);
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

// Up to four channels of a pixel from the sums of their products, clamped: `count` are there.
inline void store_narrowed(int32x4_t sums, int32x4_t bias, int32x4_t multiplier, int32x4_t low,
                           int32x4_t high, int32_t count, int16_t* y) {
  sums = vrmulhq_s32(vaddq_s32(sums, bias), multiplier);
  vstrhq_p_s32(y, vminq_s32(vmaxq_s32(sums, low), high), vctp32q(count));
}

}  // namespace opsmith::mve
