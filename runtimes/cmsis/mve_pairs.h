// Sums of pairs of pixels in assembly, for kernels that require Helium.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::mve {

// What the assembly below keeps in memory, where r11 points. Pairs of output pixels are neighbours.
struct Pairs {
  const int8_t* x0;       // the inputs of the first pixel
  const int8_t* x1;       // and of the second, which may be the first again
  int32_t step;           // bytes from the inputs of a pair to those of the next
  int32_t inputs;         // bytes of a pixel's inputs, whole vectors after the tail
  const int32_t* blocks;  // for each four channels weights, biases, multipliers and shifts
  uint32_t first;         // the kind of the first step; then where its code is
  uint32_t rest;          // steps that are left by blocks of four; then where these begin
  int8_t* y;
  int8_t* last;   // where the last four channels of the first pixel are written
  int32_t apart;  // bytes from the outputs of the first pixel to those of the second
  int32_t tail;   // inputs of the first step, where it is none of a whole vector
  int32_t zero_point;
  int32_t left;  // pairs
};
// The same of one pair whose sums have bases.
struct BasedPair {
  Pairs pairs;
  int32_t base0;  // what is added to the sums of the first pixel
  int32_t base1;  // and of the second
};
// LDRD and STRD take two at once.
static_assert(offsetof(Pairs, x1) == offsetof(Pairs, x0) + 4, "");
static_assert(offsetof(Pairs, blocks) == offsetof(Pairs, inputs) + 4, "");
static_assert(offsetof(Pairs, rest) == offsetof(Pairs, first) + 4, "");
static_assert(offsetof(Pairs, zero_point) == offsetof(Pairs, tail) + 4, "");
static_assert(offsetof(BasedPair, base1) == offsetof(BasedPair, base0) + 4, "");
// How sums become outputs: as TFLite rounds them where none is below the zero point before it is
// clamped, as it rounds any, or by single precision, where multipliers are float32.
// Added to these: constants are OwnFourChannels, and some channels are not shifted to the right,
// but once the product is rounded stay as they are; and some are shifted to the left before.
// kSums: they stay sums, which are written as words; blocks have weights alone.
enum Rounding : int32_t { kFromZero, kLinear, kSingle, kOwn = 4, kLeft = 8, kSums = 16 };
constexpr int32_t rounding(bool linear) { return linear ? kLinear : kFromZero; }
constexpr int32_t own_rounding(bool linear, bool left) {
  return rounding(linear) + kOwn + kLeft * left;
}
enum FirstStep : uint32_t { kWhole, kTail, kOnly };

// One vector of inputs of both pixels, which r1 and r3 point at, by the weights of four channels
// from r5 on: the sums of the first pixel are r0, r2, r4, r6, of the second r8, r10, r12, lr.
#define OPSMITH_MVE_STEP(multiply)                                \
  "vldrb.8 q0, [r1], #16\n\t"                                     \
  "vldrb.8 q1, [r5], #16\n\t" multiply                            \
  " r0, q1, q0\n\t"                                               \
  "vldrb.8 q2, [r3], #16\n\t" multiply                            \
  " r8, q1, q2\n\t"                                               \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r2, q1, q0\n\t" multiply \
  " r10, q1, q2\n\t"                                              \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r4, q1, q0\n\t" multiply \
  " r12, q1, q2\n\t"                                              \
  "vldrb.8 q1, [r5], #16\n\t" multiply " r6, q1, q0\n\t" multiply " lr, q1, q2\n\t"
#define OPSMITH_MVE_STEP_BYTES "56"

// The first step, where it has fewer inputs than a vector, as lr says: the others read as zeros.
#define OPSMITH_MVE_TAIL       \
  "vctp.8 lr\n\t"              \
  "vpstt\n\t"                  \
  "vldrbt.u8 q0, [r1]\n\t"     \
  "vldrbt.u8 q2, [r3]\n\t"     \
  "add r1, lr\n\t"             \
  "add r3, lr\n\t"             \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r0, q1, q0\n\t"  \
  "vmladav.s8 r8, q1, q2\n\t"  \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r2, q1, q0\n\t"  \
  "vmladav.s8 r10, q1, q2\n\t" \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r4, q1, q0\n\t"  \
  "vmladav.s8 r12, q1, q2\n\t" \
  "vldrb.8 q1, [r5]\n\t"       \
  "add r5, lr\n\t"             \
  "vmladav.s8 r6, q1, q0\n\t"  \
  "vmladav.s8 lr, q1, q2\n\t"

// The only step: q3 and q7 hold the inputs of both pixels for all channels.
#define OPSMITH_MVE_ONLY       \
  "vldrb.8 q0, [r5], #16\n\t"  \
  "vmladav.s8 r0, q0, q3\n\t"  \
  "vldrb.8 q1, [r5], #16\n\t"  \
  "vmladav.s8 r8, q0, q7\n\t"  \
  "vmladav.s8 r2, q1, q3\n\t"  \
  "vldrb.8 q2, [r5], #16\n\t"  \
  "vmladav.s8 r10, q1, q7\n\t" \
  "vmladav.s8 r4, q2, q3\n\t"  \
  "vldrb.8 q0, [r5], #16\n\t"  \
  "vmladav.s8 r12, q2, q7\n\t" \
  "vmladav.s8 r6, q0, q3\n\t"  \
  "vmladav.s8 lr, q0, q7\n\t"

// The four sums of each pixel as they are.
#define OPSMITH_MVE_SUMS           \
  "vmov q0[2], q0[0], r0, r4\n\t"  \
  "vmov q0[3], q0[1], r2, r6\n\t"  \
  "vmov q1[2], q1[0], r8, r12\n\t" \
  "vmov q1[3], q1[1], r10, lr\n\t" \
  "ldr r2, [r11, #%c[apart]]\n\t"  \
  "ldr r4, [r11, #%c[last]]\n\t"   \
  "add r6, r9, r2\n\t"             \
  "vstrw.32 q0, [r9]\n\t"          \
  "vstrw.32 q1, [r6]\n\t"

// q0 and q1 become the four sums of each pixel, with their biases, in TFLite's double rounding as
// mve::requantize() explains it, then all eight as 16 bits in q0.
#define OPSMITH_MVE_REQUANTIZE         \
  "vmov q0[2], q0[0], r0, r4\n\t"      \
  "vmov q0[3], q0[1], r2, r6\n\t"      \
  "vldrw.32 q2, [r5], #16\n\t"         \
  "vmov q1[2], q1[0], r8, r12\n\t"     \
  "vadd.i32 q0, q0, q2\n\t"            \
  "vmov q1[3], q1[1], r10, lr\n\t"     \
  "vadd.i32 q1, q1, q2\n\t"            \
  ".if %c[based]\n\t"                  \
  "ldrd r0, r2, [r11, #%c[base0]]\n\t" \
  "vadd.i32 q0, q0, r0\n\t"            \
  "vadd.i32 q1, q1, r2\n\t"            \
  ".endif\n\t"                         \
  ".if %c[rounding] & 8\n\t"           \
  "vldrb.s32 q2, [r5, #20]\n\t"        \
  "vshl.s32 q0, q0, q2\n\t"            \
  "vshl.s32 q1, q1, q2\n\t"            \
  ".endif\n\t"                         \
  "vldrw.32 q2, [r5], #16\n\t"         \
  "ldrd r0, r2, [r11, #%c[tail]]\n\t"  \
  ".if %c[rounding] == 2\n\t"          \
  ".arch_extension mve.fp\n\t"         \
  "vcvt.f32.s32 q0, q0\n\t"            \
  "vcvt.f32.s32 q1, q1\n\t"            \
  "vmul.f32 q0, q0, q2\n\t"            \
  "vmul.f32 q1, q1, q2\n\t"            \
  "adds r5, #4\n\t"                    \
  "vcvtn.s32.f32 q0, q0\n\t"           \
  "vcvtn.s32.f32 q1, q1\n\t"           \
  ".else\n\t"                          \
  "vqrdmulh.s32 q0, q0, q2\n\t"        \
  "vqrdmulh.s32 q1, q1, q2\n\t"        \
  ".if %c[rounding] & 4\n\t"           \
  "vldrb.s32 q2, [r5], #8\n\t"         \
  ".else\n\t"                          \
  "vldrb.s32 q2, [r5], #4\n\t"         \
  ".endif\n\t"                         \
  ".if (%c[rounding] & 5) == 5\n\t"    \
  "mov r0, #1\n\t"                     \
  "vptt.s32 lt, q2, zr\n\t"            \
  "vqdmlaht.s32 q0, q0, r0\n\t"        \
  "vqdmlaht.s32 q1, q1, r0\n\t"        \
  ".elseif %c[rounding] == 1\n\t"      \
  "mov r0, #1\n\t"                     \
  "vqdmlah.s32 q0, q0, r0\n\t"         \
  "vqdmlah.s32 q1, q1, r0\n\t"         \
  ".endif\n\t"                         \
  "vrshl.s32 q0, q0, q2\n\t"           \
  "vrshl.s32 q1, q1, q2\n\t"           \
  ".endif\n\t"                         \
  "vqmovnb.s32 q0, q0\n\t"             \
  "vqmovnt.s32 q0, q1\n\t"

// All channels of N pairs of output pixels, which are written one pair after the other. Of
// channels whose number four does not divide the last four overlap those before: they are computed
// and written twice. `places` are the eight outputs' own, first[0], second[0], first[1] and so on.
// In assembly as a whole, since sums have to be in the even registers, all of them: r5 walks
// through the weights, r7 is the end of r1's inputs, r9 the output, r11 all else. kRounding: where
// no output is negative before the zero point is added, the clamp makes nothing of how negative
// numbers were rounded. kBased: `pairs` are those of a BasedPair.
template <int32_t kRounding, bool kBased = false>
inline __attribute__((noinline)) void pairs_of_pixels(Pairs& pairs, uint16x8_t places,
                                                      int16x8_t low, int16x8_t high) {
  register Pairs* frame __asm("r11") = &pairs;
  __asm volatile(
      // Where the first step is, and the rest of them; ADR is right for aligned sections alone.
      ".balign 4\n\t"
      "ldrd r0, r2, [r11, #%c[first]]\n\t"
      "adr.w r4, 3f\n\t"
      "cmp r0, %[is_tail]\n\t"
      "it eq\n\t"
      "adreq.w r4, 4f\n\t"
      "it hi\n\t"
      "adrhi.w r4, 5f\n\t"
      "adr.w r6, 7f\n\t"
      "mov r0, #" OPSMITH_MVE_STEP_BYTES
      "\n\t"
      "mls r6, r2, r0, r6\n\t"
      "adds r4, #1\n\t"
      "adds r6, #1\n\t"
      "strd r4, r6, [r11, #%c[first]]\n\t"
      "ldr r9, [r11, #%c[y]]\n"
      "1:\n\t"  // a pair
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "ldrd r7, r5, [r11, #%c[inputs]]\n\t"
      "vldrb.8 q3, [r1]\n\t"
      "vldrb.8 q7, [r3]\n\t"
      "add r7, r1\n"
      "2:\n\t"  // four channels of it
      "ldr pc, [r11, #%c[first]]\n"
      "3:\n\t"
      "ldrd r1, r3, [r11, #%c[x0]]\n\t" OPSMITH_MVE_STEP("vmladav.s8")
      "ldr pc, [r11, #%c[rest]]\n"
      "4:\n\t"
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "ldr lr, [r11, #%c[tail]]\n\t" OPSMITH_MVE_TAIL
      "ldr pc, [r11, #%c[rest]]\n"
      "5:\n\t" OPSMITH_MVE_ONLY
      "b 8f\n"
      "6:\n\t" OPSMITH_MVE_STEP("vmladava.s8") OPSMITH_MVE_STEP("vmladava.s8")
      OPSMITH_MVE_STEP("vmladava.s8") OPSMITH_MVE_STEP("vmladava.s8")
      "7:\n\t"
      "cmp r1, r7\n\t"
      "bne 6b\n"
      "8:\n\t"
      ".if %c[rounding] == 16\n\t" OPSMITH_MVE_SUMS ".else\n\t" OPSMITH_MVE_REQUANTIZE
      "vqadd.s16 q0, q0, r2\n\t"
      "ldr r4, [r11, #%c[last]]\n\t"
      "vmax.s16 q0, q0, %q[low]\n\t"
      "vmin.s16 q0, q0, %q[high]\n\t"
      "vstrb.16 q0, [r9, %q[places]]\n\t"
      ".endif\n\t"
      "adds r9, #%c[four]\n\t"
      "cmp r9, r4\n\t"
      "bls 2b\n\t"
      "sub r6, r9, #%c[four]\n\t"
      "cmp r6, r4\n\t"
      "itt ne\n\t"
      "movne r9, r4\n\t"
      "bne 2b\n\t"
      // The next pair.
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "ldr r0, [r11, #%c[step]]\n\t"
      "ldr r2, [r11, #%c[apart]]\n\t"
      "ldr r6, [r11, #%c[left]]\n\t"
      "add r1, r0\n\t"
      "add r3, r0\n\t"
      "strd r1, r3, [r11, #%c[x0]]\n\t"
      "add r9, r2\n\t"
      "add r4, r4, r2, lsl #1\n\t"
      "str r4, [r11, #%c[last]]\n\t"
      "subs r6, #1\n\t"
      "str r6, [r11, #%c[left]]\n\t"
      "bne 1b"
      : [frame] "+r"(frame)
      : [rounding] "i"(kRounding), [four] "i"(kRounding == kSums ? 16 : 4), [based] "i"(kBased),
        [base0] "i"(offsetof(BasedPair, base0)), [is_tail] "i"(kTail), [places] "w"(places),
        [low] "w"(low), [high] "w"(high), [x0] "i"(offsetof(Pairs, x0)),
        [step] "i"(offsetof(Pairs, step)),
        [inputs] "i"(offsetof(Pairs, inputs)), [first] "i"(offsetof(Pairs, first)),
        [rest] "i"(offsetof(Pairs, rest)), [y] "i"(offsetof(Pairs, y)),
        [last] "i"(offsetof(Pairs, last)), [apart] "i"(offsetof(Pairs, apart)),
        [tail] "i"(offsetof(Pairs, tail)), [left] "i"(offsetof(Pairs, left))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q7", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_REQUANTIZE
#undef OPSMITH_MVE_SUMS
#undef OPSMITH_MVE_ONLY
#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_STEP_BYTES
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::mve
