// Sums of two pixels of int16 in assembly, for kernels that require Helium.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::mve {

// What the assembly below keeps in memory, where r11 points.
struct NarrowPair {
  const int16_t* x0;      // the inputs of the first pixel
  const int16_t* x1;      // and of the second
  const int8_t* weights;  // as blocked() packs them
  const int16_t* end;     // of the inputs of the first pixel
  uint32_t first;         // inputs of the first step, 1 to 8; then where its code is
  uint32_t rest;          // steps that are left by blocks of four; then where these begin
  const int32_t* table;   // for each four channels biases and multipliers
  int32_t channels;       // that are left
  int16_t* y;
  int32_t apart;  // bytes from the outputs of the first pixel to those of the second
  int32_t tail;   // inputs of the first step
};
// LDRD and STRD take two at once.
static_assert(offsetof(NarrowPair, x1) == offsetof(NarrowPair, x0) + 4, "");
static_assert(offsetof(NarrowPair, end) == offsetof(NarrowPair, weights) + 4, "");
static_assert(offsetof(NarrowPair, rest) == offsetof(NarrowPair, first) + 4, "");
static_assert(offsetof(NarrowPair, channels) == offsetof(NarrowPair, table) + 4, "");

// One vector of inputs of both pixels, which r1 and r3 point at, by the weights of four channels
// from r5 on: the sums of the first pixel are r0, r2, r4, r6, of the second r8, r10, r12, lr. Loads
// alternate with products, which take two cycles each.
#define OPSMITH_MVE_STEP(multiply)                                                             \
  "vldrh.u16 q0, [r1], #16\n\t"                                                                \
  "vldrb.s16 q1, [r5], #8\n\t" multiply                                                        \
  " r0, q1, q0\n\t"                                                                            \
  "vldrh.u16 q2, [r3], #16\n\t" multiply                                                       \
  " r8, q1, q2\n\t"                                                                            \
  "vldrb.s16 q3, [r5], #8\n\t" multiply                                                        \
  " r2, q3, q0\n\t"                                                                            \
  "vldrb.s16 q1, [r5], #8\n\t" multiply " r10, q3, q2\n\t" multiply                            \
  " r4, q1, q0\n\t"                                                                            \
  "vldrb.s16 q3, [r5], #8\n\t" multiply " r12, q1, q2\n\t" multiply " r6, q3, q0\n\t" multiply \
  " lr, q3, q2\n\t"
#define OPSMITH_MVE_STEP_BYTES "56"

// The first step, where it has fewer inputs than a vector, as lr says: the others read as zeros.
#define OPSMITH_MVE_TAIL        \
  "vctp.16 lr\n\t"              \
  "vpstt\n\t"                   \
  "vldrht.u16 q0, [r1]\n\t"     \
  "vldrht.u16 q2, [r3]\n\t"     \
  "add r1, r1, lr, lsl #1\n\t"  \
  "add r3, r3, lr, lsl #1\n\t"  \
  "vldrb.s16 q1, [r5]\n\t"      \
  "add r5, lr\n\t"              \
  "vmladav.s16 r0, q1, q0\n\t"  \
  "vmladav.s16 r8, q1, q2\n\t"  \
  "vldrb.s16 q1, [r5]\n\t"      \
  "add r5, lr\n\t"              \
  "vmladav.s16 r2, q1, q0\n\t"  \
  "vmladav.s16 r10, q1, q2\n\t" \
  "vldrb.s16 q1, [r5]\n\t"      \
  "add r5, lr\n\t"              \
  "vmladav.s16 r4, q1, q0\n\t"  \
  "vmladav.s16 r12, q1, q2\n\t" \
  "vldrb.s16 q1, [r5]\n\t"      \
  "add r5, lr\n\t"              \
  "vmladav.s16 r6, q1, q0\n\t"  \
  "vmladav.s16 lr, q1, q2\n\t"

// All channels of two output pixels, whose sums fit 32 bits: four channels at a time, of which the
// last may be fewer. In assembly as a whole, since sums have to be in the even registers, all of
// them: r5 walks through the weights, r9 is the end of r1's inputs, r7 the output, r11 all else.
inline __attribute__((always_inline)) void pair_of_pixels(NarrowPair& pair, int32x4_t low,
                                                          int32x4_t high) {
  register NarrowPair* frame __asm("r11") = &pair;
  __asm volatile(
      // Where the first step is, and the rest of them; ADR is right for aligned sections alone.
      ".balign 4\n\t"
      "ldrd r0, r2, [r11, #%c[first]]\n\t"
      "ldrd r5, r9, [r11, #%c[weights]]\n\t"
      "ldr r7, [r11, #%c[y]]\n\t"
      "adr.w r4, 2f\n\t"
      "cmp r0, #8\n\t"
      "it ne\n\t"
      "adrne.w r4, 3f\n\t"
      "adr.w r6, 5f\n\t"
      "mov r0, #" OPSMITH_MVE_STEP_BYTES
      "\n\t"
      "mls r6, r2, r0, r6\n\t"
      "adds r4, #1\n\t"
      "adds r6, #1\n\t"
      "strd r4, r6, [r11, #%c[first]]\n"
      "1:\n\t"  // four channels
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "ldr pc, [r11, #%c[first]]\n"
      "2:\n\t" OPSMITH_MVE_STEP("vmladav.s16")
      "ldr pc, [r11, #%c[rest]]\n"
      "3:\n\t"
      "ldr lr, [r11, #%c[tail]]\n\t" OPSMITH_MVE_TAIL
      "ldr pc, [r11, #%c[rest]]\n"
      "4:\n\t" OPSMITH_MVE_STEP("vmladava.s16") OPSMITH_MVE_STEP("vmladava.s16")
      OPSMITH_MVE_STEP("vmladava.s16") OPSMITH_MVE_STEP("vmladava.s16")
      "5:\n\t"
      "cmp r1, r9\n\t"
      "bne 4b\n\t"
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldrd r0, r2, [r11, #%c[table]]\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "vldrw.32 q2, [r0], #16\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "vldrw.32 q3, [r0], #16\n\t"
      "vadd.i32 q0, q0, q2\n\t"
      "vadd.i32 q1, q1, q2\n\t"
      "vctp.32 r2\n\t"
      "vrmulh.s32 q0, q0, q3\n\t"
      "ldr r4, [r11, #%c[apart]]\n\t"
      "vrmulh.s32 q1, q1, q3\n\t"
      "subs r2, #4\n\t"
      "vmax.s32 q0, q0, %q[low]\n\t"
      "strd r0, r2, [r11, #%c[table]]\n\t"
      "vmax.s32 q1, q1, %q[low]\n\t"
      "add r4, r7\n\t"
      "vmin.s32 q0, q0, %q[high]\n\t"
      "vmin.s32 q1, q1, %q[high]\n\t"
      "vpstt\n\t"
      "vstrht.32 q0, [r7], #8\n\t"
      "vstrht.32 q1, [r4]\n\t"
      "bgt 1b"
      : [frame] "+r"(frame)
      : [low] "w"(low), [high] "w"(high), [x0] "i"(offsetof(NarrowPair, x0)),
        [weights] "i"(offsetof(NarrowPair, weights)), [first] "i"(offsetof(NarrowPair, first)),
        [rest] "i"(offsetof(NarrowPair, rest)), [table] "i"(offsetof(NarrowPair, table)),
        [y] "i"(offsetof(NarrowPair, y)), [apart] "i"(offsetof(NarrowPair, apart)),
        [tail] "i"(offsetof(NarrowPair, tail))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_STEP_BYTES
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::mve
