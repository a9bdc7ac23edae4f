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
// from r5 on: the sums of the first pixel are r0, r2, r4, r6, of the second r8, r10, r12, lr. q1
// has the weights of the first channel, and then what follows them all. Loads alternate with
// products, which take two cycles each, where both wait for nothing.
#define OPSMITH_MVE_STEP        \
  "vldrb.8 q0, [r1], #16\n\t"   \
  "vmladava.s8 r0, q1, q0\n\t"  \
  "vldrb.8 q2, [r3], #16\n\t"   \
  "vmladava.s8 r8, q1, q2\n\t"  \
  "vldrb.8 q3, [r5], #16\n\t"   \
  "vmladava.s8 r2, q3, q0\n\t"  \
  "vldrb.8 q1, [r5], #16\n\t"   \
  "vmladava.s8 r10, q3, q2\n\t" \
  "vmladava.s8 r4, q1, q0\n\t"  \
  "vldrb.8 q3, [r5], #16\n\t"   \
  "vmladava.s8 r12, q1, q2\n\t" \
  "vmladava.s8 r6, q3, q0\n\t"  \
  "vldrb.8 q1, [r5], #16\n\t"   \
  "vmladava.s8 lr, q3, q2\n\t"
#define OPSMITH_MVE_STEP_BYTES "56"

// Between the products of a first step, outputs of the four channels before are made and written
// where lr points: their halfwords are in q4 and q5 but for the last of each two, and r6 is the
// zero point.
#define OPSMITH_MVE_OF_BEFORE(instruction) ".if %c[rounding] != 16\n\t" instruction "\n\t.endif\n\t"
#define OPSMITH_MVE_BOTH OPSMITH_MVE_OF_BEFORE("vqmovnt.s32 q4, q5")
#define OPSMITH_MVE_OFFSET OPSMITH_MVE_OF_BEFORE("vqadd.s16 q4, q4, r6")
#define OPSMITH_MVE_SATURATE    \
  OPSMITH_MVE_OF_BEFORE(        \
      ".if %c[based]\n\t"       \
      "vqmovunb.s16 q4, q4\n\t" \
      ".else\n\t"               \
      "vqmovnb.s16 q4, q4\n\t"  \
      ".endif")
#define OPSMITH_MVE_STORE OPSMITH_MVE_OF_BEFORE("vstrb.16 q4, [lr, %q[places]]")

// The first step, of a whole vector or with q0 and q2, which then hold all inputs of both pixels.
#define OPSMITH_MVE_FIRST(x0, x1)                                                \
  "vldrb.8 q1, [r5], #16\n\t" OPSMITH_MVE_BOTH x0 "vmladav.s8 r0, q1, q0\n\t" x1 \
  "vmladav.s8 r8, q1, q2\n\t"                                                    \
  "vldrb.8 q3, [r5], #16\n\t" OPSMITH_MVE_OFFSET                                 \
  "vmladav.s8 r2, q3, q0\n\t"                                                    \
  "vldrb.8 q1, [r5], #16\n\t" OPSMITH_MVE_SATURATE                               \
  "vmladav.s8 r10, q3, q2\n\t"                                                   \
  "vmladav.s8 r4, q1, q0\n\t"                                                    \
  "vldrb.8 q3, [r5], #16\n\t"                                                    \
  "vmladav.s8 r12, q1, q2\n\t" OPSMITH_MVE_STORE                                 \
  "vmladav.s8 r6, q3, q0\n\t"                                                    \
  "vldrb.8 q1, [r5], #16\n\t"                                                    \
  "vmladav.s8 lr, q3, q2\n\t"

// The first step, where it has fewer inputs than a vector, as r12 says: the others read as zeros.
#define OPSMITH_MVE_TAIL                         \
  "vctp.8 r12\n\t"                               \
  "vldrb.8 q1, [r5]\n\t"                         \
  "add r5, r12\n\t"                              \
  "vpstt\n\t"                                    \
  "vldrbt.u8 q0, [r1]\n\t"                       \
  "vldrbt.u8 q2, [r3]\n\t" OPSMITH_MVE_BOTH      \
  "vmladav.s8 r0, q1, q0\n\t"                    \
  "add r1, r12\n\t"                              \
  "vldrb.8 q3, [r5]\n\t"                         \
  "add r5, r12\n\t"                              \
  "vmladav.s8 r8, q1, q2\n\t"                    \
  "add r3, r12\n\t" OPSMITH_MVE_OFFSET           \
  "vmladav.s8 r2, q3, q0\n\t"                    \
  "vldrb.8 q1, [r5]\n\t"                         \
  "add r5, r12\n\t" OPSMITH_MVE_SATURATE         \
  "vmladav.s8 r10, q3, q2\n\t"                   \
  "vldrb.8 q3, [r5]\n\t"                         \
  "add r5, r12\n\t"                              \
  "vmladav.s8 r4, q1, q0\n\t"                    \
  "vmladav.s8 r12, q1, q2\n\t" OPSMITH_MVE_STORE \
  "vmladav.s8 r6, q3, q0\n\t"                    \
  "vldrb.8 q1, [r5], #16\n\t"                    \
  "vmladav.s8 lr, q3, q2\n\t"

// Sums become vectors, but for the last two. Here and below all is prepared for the next channels.
#define OPSMITH_MVE_GATHER          \
  "vmov q4[2], q4[0], r0, r4\n\t"   \
  "ldrd r1, r3, [r11, #%c[x0]]\n\t" \
  "vmov q4[3], q4[1], r2, r6\n\t"   \
  "ldr r4, [r11, #%c[last]]\n\t"    \
  "vmov q5[2], q5[0], r8, r12\n\t"

// The four sums of each pixel as they are.
#define OPSMITH_MVE_SUMS           \
  "vmov q5[3], q5[1], r10, lr\n\t" \
  "ldr r2, [r11, #%c[apart]]\n\t"  \
  "vstrw.32 q4, [r9]\n\t"          \
  "add r6, r9, r2\n\t"             \
  "subs r5, #16\n\t"               \
  "vstrw.32 q5, [r6]\n\t"          \
  "adds r9, #16\n\t"               \
  "cmp r9, r4\n\t"

// q1 has biases: q4 and q5 become the four sums of each pixel in TFLite's double rounding as
// mve::requantize() explains it, of which the second pixel's are still words.
#define OPSMITH_MVE_REQUANTIZE         \
  "vadd.i32 q4, q4, q1\n\t"            \
  "vmov q5[3], q5[1], r10, lr\n\t"     \
  "mov lr, r9\n\t"                     \
  "vadd.i32 q5, q5, q1\n\t"            \
  ".if %c[based]\n\t"                  \
  "ldrd r0, r2, [r11, #%c[base0]]\n\t" \
  "vadd.i32 q4, q4, r0\n\t"            \
  "vadd.i32 q5, q5, r2\n\t"            \
  ".endif\n\t"                         \
  ".if %c[rounding] & 8\n\t"           \
  "vldrb.s32 q7, [r5, #20]\n\t"        \
  "vshl.s32 q4, q4, q7\n\t"            \
  "vshl.s32 q5, q5, q7\n\t"            \
  ".endif\n\t"                         \
  "vldrw.32 q7, [r5], #16\n\t"         \
  ".if %c[rounding] == 2\n\t"          \
  ".arch_extension mve.fp\n\t"         \
  "vcvt.f32.s32 q4, q4\n\t"            \
  "vcvt.f32.s32 q5, q5\n\t"            \
  "vmul.f32 q4, q4, q7\n\t"            \
  "vmul.f32 q5, q5, q7\n\t"            \
  "adds r5, #4\n\t"                    \
  "vcvtn.s32.f32 q4, q4\n\t"           \
  "adds r9, #4\n\t"                    \
  "vcvtn.s32.f32 q5, q5\n\t"           \
  "ldr r6, [r11, #%c[zero_point]]\n\t" \
  ".else\n\t"                          \
  "vqrdmulh.s32 q4, q4, q7\n\t"        \
  "adds r9, #4\n\t"                    \
  "vqrdmulh.s32 q5, q5, q7\n\t"        \
  ".if %c[rounding] & 4\n\t"           \
  "vldrb.s32 q7, [r5], #8\n\t"         \
  ".else\n\t"                          \
  "vldrb.s32 q7, [r5], #4\n\t"         \
  ".endif\n\t"                         \
  ".if (%c[rounding] & 5) == 5\n\t"    \
  "mov r0, #1\n\t"                     \
  "vptt.s32 lt, q7, zr\n\t"            \
  "vqdmlaht.s32 q4, q4, r0\n\t"        \
  "vqdmlaht.s32 q5, q5, r0\n\t"        \
  ".elseif %c[rounding] == 1\n\t"      \
  "movs r0, #1\n\t"                    \
  "vqdmlah.s32 q4, q4, r0\n\t"         \
  "vqdmlah.s32 q5, q5, r0\n\t"         \
  ".endif\n\t"                         \
  "vrshl.s32 q4, q4, q7\n\t"           \
  "ldr r6, [r11, #%c[zero_point]]\n\t" \
  "vrshl.s32 q5, q5, q7\n\t"           \
  ".endif\n\t"                         \
  "cmp r9, r4\n\t"                     \
  "vqmovnb.s32 q4, q4\n\t"

// All channels of N pairs of output pixels, which are written one pair after the other. Of
// channels whose number four does not divide the last four overlap those before: they are computed
// and written twice. `places` are the eight outputs' own, first[0], second[0], first[1] and so on.
// Outputs are as their type holds them: int8, or uint8 where kBased. In assembly as a whole, since
// sums have to be in the even registers, all of them: r5 walks through the weights, r7 is the end
// of r1's inputs, r9 the output, r11 all else. The outputs of four channels are made while the
// next four are multiplied: of those before the first, which are none, the first takes the place.
// kRounding: where no output is negative before the zero point is added, saturation makes nothing
// of how negative numbers were rounded. kBased: `pairs` are those of a BasedPair.
template <int32_t kRounding, bool kBased = false>
inline __attribute__((noinline)) void pairs_of_pixels(Pairs& pairs, uint16x8_t places) {
  register Pairs* frame __asm("r11") = &pairs;
  register uint16x8_t where __asm("q6") = places;
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
      "ldr r9, [r11, #%c[y]]\n\t"
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "mov lr, r9\n"
      "1:\n\t"  // a pair
      "ldrd r7, r5, [r11, #%c[inputs]]\n\t"
      "vldrb.8 q0, [r1]\n\t"
      "vldrb.8 q2, [r3]\n\t"
      "add r7, r1\n\t"
      "ldr pc, [r11, #%c[first]]\n"
      "3:\n\t"  // four channels of it
      OPSMITH_MVE_FIRST("vldrb.8 q0, [r1], #16\n\t", "vldrb.8 q2, [r3], #16\n\t")
      "ldr pc, [r11, #%c[rest]]\n"
      "4:\n\t"
      "ldr r12, [r11, #%c[tail]]\n\t" OPSMITH_MVE_TAIL
      "ldr pc, [r11, #%c[rest]]\n"
      "5:\n\t" OPSMITH_MVE_FIRST("", "")
      "b 8f\n"
      "6:\n\t" OPSMITH_MVE_STEP OPSMITH_MVE_STEP OPSMITH_MVE_STEP OPSMITH_MVE_STEP
      "7:\n\t"
      "cmp r1, r7\n\t"
      "bne 6b\n"
      "8:\n\t" OPSMITH_MVE_GATHER
      ".if %c[rounding] == 16\n\t" OPSMITH_MVE_SUMS ".else\n\t" OPSMITH_MVE_REQUANTIZE ".endif\n\t"
      "it ls\n\t"
      "ldrls.w pc, [r11, #%c[first]]\n\t"
      "sub r8, r9, #%c[four]\n\t"
      "cmp r8, r4\n\t"
      "itt ne\n\t"
      "movne r9, r4\n\t"
      "ldrne.w pc, [r11, #%c[first]]\n\t"
      // The next pair.
      "ldr r0, [r11, #%c[step]]\n\t"
      "ldr r2, [r11, #%c[apart]]\n\t"
      "ldr r8, [r11, #%c[left]]\n\t"
      "add r1, r0\n\t"
      "add r3, r0\n\t"
      "strd r1, r3, [r11, #%c[x0]]\n\t"
      "add r9, r2\n\t"
      "add r4, r4, r2, lsl #1\n\t"
      "str r4, [r11, #%c[last]]\n\t"
      "subs r8, #1\n\t"
      "str r8, [r11, #%c[left]]\n\t"
      "bne 1b\n\t"
      OPSMITH_MVE_BOTH OPSMITH_MVE_OFFSET OPSMITH_MVE_SATURATE OPSMITH_MVE_STORE
      : [frame] "+r"(frame)
      : [rounding] "i"(kRounding), [four] "i"(kRounding == kSums ? 16 : 4), [based] "i"(kBased),
        [base0] "i"(offsetof(BasedPair, base0)), [is_tail] "i"(kTail), [places] "w"(where),
        [x0] "i"(offsetof(Pairs, x0)), [step] "i"(offsetof(Pairs, step)),
        [inputs] "i"(offsetof(Pairs, inputs)), [first] "i"(offsetof(Pairs, first)),
        [rest] "i"(offsetof(Pairs, rest)), [y] "i"(offsetof(Pairs, y)),
        [last] "i"(offsetof(Pairs, last)), [apart] "i"(offsetof(Pairs, apart)),
        [tail] "i"(offsetof(Pairs, tail)), [zero_point] "i"(offsetof(Pairs, zero_point)),
        [left] "i"(offsetof(Pairs, left))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q7", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_REQUANTIZE
#undef OPSMITH_MVE_SUMS
#undef OPSMITH_MVE_GATHER
#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_FIRST
#undef OPSMITH_MVE_STORE
#undef OPSMITH_MVE_SATURATE
#undef OPSMITH_MVE_OFFSET
#undef OPSMITH_MVE_BOTH
#undef OPSMITH_MVE_OF_BEFORE
#undef OPSMITH_MVE_STEP_BYTES
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::mve
