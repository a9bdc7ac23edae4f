// Sums of pixels whose inputs stay in vectors while all channels are computed, for Helium: of four
// pixels by one vector each, or of two pixels by two. No vector of inputs is loaded twice.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::mve {

// What the assembly of fours_of_pixels() keeps in memory, where r11 points.
struct Fours {
  const int8_t* x;   // the inputs of the first pixel
  int32_t steps[3];  // bytes from these to the second pixel's, to the third's, to the fourth's
  int32_t advance;   // bytes from the inputs of four to those of the next
  int32_t left;      // pixels, in fours
  int32_t next;   // bytes from where the last outputs of four are written to the next four's first
  int32_t apart;  // bytes from the outputs of four to those of the next
  int8_t* last;   // where the last two channels of the first pixel are written
  int32_t zero_point;
  int8_t* y;
  const int32_t* blocks;  // for each two channels weights, biases, multipliers and shifts
  int32_t odd;            // whether pairs of channels are
};
// The same of held_pairs().
struct HeldPairs {
  const int8_t* x0;  // the inputs of the first pixel
  const int8_t* x1;  // and of the second, which may be the first again
  int32_t step;      // bytes from the inputs of a pair to those of the next
  int32_t left;      // pairs
  int8_t* last;      // where the last four channels of the first pixel are written
  int32_t zero_point;
  int8_t* y;
  int32_t first;          // inputs of the first vector, which may be fewer than sixteen
  int32_t apart;          // bytes from the outputs of the first pixel to those of the second
  const int32_t* blocks;  // for each four channels weights, biases, multipliers and shifts
};
// LDRD and STRD take two at once, LDM four.
static_assert(offsetof(Fours, x) == 0 && offsetof(Fours, steps) == 4, "");
static_assert(offsetof(Fours, left) == offsetof(Fours, advance) + 4, "");
static_assert(offsetof(Fours, apart) == offsetof(Fours, next) + 4, "");
static_assert(offsetof(Fours, zero_point) == offsetof(Fours, last) + 4, "");
static_assert(offsetof(HeldPairs, x1) == offsetof(HeldPairs, x0) + 4, "");
static_assert(offsetof(HeldPairs, left) == offsetof(HeldPairs, step) + 4, "");
static_assert(offsetof(HeldPairs, zero_point) == offsetof(HeldPairs, last) + 4, "");
static_assert(offsetof(HeldPairs, first) == offsetof(HeldPairs, y) + 4, "");

// The sums of a channel: four of them, of inputs in q4 to q7. Products take two cycles each, what
// is between them none.
#define OPSMITH_MVE_FOUR(a, b, c, d, after_a, after_b, after_c, after_d)                        \
  "vldrb.8 q0, [r5], #16\n\t"                                                                   \
  "vmladav.s8 " a ", q0, q4\n\t" after_a "vmladav.s8 " b ", q0, q5\n\t" after_b "vmladav.s8 " c \
  ", q0, q6\n\t" after_c "vmladav.s8 " d ", q0, q7\n\t" after_d

#define OPSMITH_MVE_NEGATIVE(one) \
  "vqdmlah.s32 q2, q2, " one      \
  "\n\t"                          \
  "vqdmlah.s32 q3, q3, " one "\n\t"
// Products in single precision, to the nearest, halves to even.
#define OPSMITH_MVE_SINGLE(first, second) \
  ".arch_extension mve.fp\n\t"            \
  "vcvt.f32.s32 q2, q2\n\t"               \
  "vcvt.f32.s32 q3, q3\n\t"               \
  "vmul.f32 q2, q2, " first               \
  "\n\t"                                  \
  "vmul.f32 q3, q3, " second              \
  "\n\t"                                  \
  "vcvtn.s32.f32 q2, q2\n\t"              \
  "vcvtn.s32.f32 q3, q3\n\t"
#define OPSMITH_MVE_UNLESS_SINGLE(instruction) \
  ".if %c[rounding] != 2\n\t" instruction "\n\t.endif\n\t"
#define OPSMITH_MVE_SHIFT_FIRST OPSMITH_MVE_UNLESS_SINGLE("vrshl.s32 q2, r8")
#define OPSMITH_MVE_TO_SECOND OPSMITH_MVE_UNLESS_SINGLE("lsrs r8, r8, #8")
#define OPSMITH_MVE_SHIFT_SECOND OPSMITH_MVE_UNLESS_SINGLE("vrshl.s32 q3, r8")

// The sums of two channels, while the two before become outputs.
#define OPSMITH_MVE_TWO                                                                            \
  OPSMITH_MVE_FOUR("r0", "r2", "r4", "r6", OPSMITH_MVE_SHIFT_FIRST OPSMITH_MVE_TO_SECOND,          \
                   OPSMITH_MVE_SHIFT_SECOND, "vqmovnb.s32 q2, q2\n\t", "")                         \
  OPSMITH_MVE_FOUR("r8", "r10", "r12", "lr", "vqmovnt.s32 q2, q3\n\t", "vqadd.s16 q2, q2, r1\n\t", \
                   "vqmovnb.s16 q2, q2\n\t", "vstrb.16 q2, [r9, %q[places]]\n\t")                  \
  "adds r9, #2\n"
// They become q2 and q3, which are rescaled but for the shifts.
#define OPSMITH_MVE_SCALE \
  "vmov q2[2], q2[0], r0, r4\n\t"                                 \
  "cmp r9, r7\n\t"                                                \
  "vmov q2[3], q2[1], r2, r6\n\t"                                 \
  "ldrd r0, r2, [r5], #8\n\t"                                     \
  "vmov q3[2], q3[0], r8, r12\n\t"                                \
  "vmov q3[3], q3[1], r10, lr\n\t"                                \
  "vadd.i32 q2, q2, r0\n\t" \
  ".if %c[rounding] & 8\n\tldrsb r0, [r5, #2]\n\tvshl.s32 q2, r0\n\t.endif\n\t" \
  OPSMITH_MVE_UNLESS_SINGLE("vqrdmulh.s32 q2, q2, r2") \
  "ldm r5!, {r8, r10, r12}\n\t" \
  "vadd.i32 q3, q3, r10\n\t" \
  ".if %c[rounding] & 8\n\tlsr r0, r8, #24\n\tvshl.s32 q3, r0\n\t.endif\n\t" \
  ".if %c[rounding] == 2\n\t" OPSMITH_MVE_SINGLE("r2", "r12")     \
  ".else\n\t"                                                     \
  "vqrdmulh.s32 q3, q3, r12\n\t"                                  \
  ".if (%c[rounding] & 5) == 5\n\t" /* 1: to the right */         \
  "ubfx r0, r8, #7, #1\n\t"                                       \
  "vqdmlah.s32 q2, q2, r0\n\t"                                    \
  "ubfx r0, r8, #15, #1\n\t"                                      \
  "vqdmlah.s32 q3, q3, r0\n\t"                                    \
  ".elseif %c[rounding] == 1\n\t" OPSMITH_MVE_NEGATIVE("r3") ".endif\n\t" \
  ".endif\n\t"

// All channels, at least two, of N pixels, in fours. Of an odd number of channels the last two
// overlap those before: they are computed and written twice. `places` are where the eight outputs
// of two channels go: those of a pixel side by side. Outputs are clamped to int8. In assembly as a
// whole, since sums have to be in the even registers, all of them: r5 walks through the weights, r9
// is the output, r7 where its last two channels go, r11 all else. The outputs of two channels,
// whose sums are q2 and q3, are made while the next two are multiplied. kRounding: as
// pairs_of_pixels() says.
template <int32_t kRounding>
inline __attribute__((noinline)) void fours_of_pixels(Fours& fours, uint16x8_t places) {
  register Fours* frame __asm("r11") = &fours;
  register uint16x8_t where __asm("q1") = places;
  __asm volatile(
      "ldr r9, [r11, #%c[y]]\n\t"
      "ldrd r7, r1, [r11, #%c[last]]\n\t"
      "mov r3, #1\n"
      "1:\n\t"  // four pixels
      "ldm r11, {r0, r2, r4, r6}\n\t"
      "ldr r5, [r11, #%c[blocks]]\n\t"
      "vldrb.8 q4, [r0]\n\t"
      "add r0, r2\n\t"
      "vldrb.8 q5, [r0]\n\t"
      "add r0, r4\n\t"
      "vldrb.8 q6, [r0]\n\t"
      "add r0, r6\n\t"
      "vldrb.8 q7, [r0]\n\t"
      "ldr r0, [r11, #%c[odd]]\n\t"
      "cmp r0, #0\n\t"
      OPSMITH_MVE_FOUR("r0", "r2", "r4", "r6", "", "", "", "")
      OPSMITH_MVE_FOUR("r8", "r10", "r12", "lr", "", "", "", "")
      "bne 4f\n\t"
      "b 3f\n"
      // Two channels of them, and two more; an odd number of pairs begins with the second one.
      "2:\n\t" OPSMITH_MVE_TWO
      "3:\n\t" OPSMITH_MVE_SCALE OPSMITH_MVE_TWO
      "4:\n\t" OPSMITH_MVE_SCALE
      "blo 2b\n\t" OPSMITH_MVE_SHIFT_FIRST OPSMITH_MVE_TO_SECOND OPSMITH_MVE_SHIFT_SECOND
      "vqmovnb.s32 q2, q2\n\t"
      "mov r9, r7\n\t"
      "ldr r0, [r11, #%c[x]]\n\t"
      "ldrd r2, r4, [r11, #%c[advance]]\n\t"
      "vqmovnt.s32 q2, q3\n\t"
      "ldrd r6, r8, [r11, #%c[next]]\n\t"
      "add r0, r2\n\t"
      "vqadd.s16 q2, q2, r1\n\t"
      "str r0, [r11, #%c[x]]\n\t"
      "vqmovnb.s16 q2, q2\n\t"
      "subs r4, #1\n\t"
      "str r4, [r11, #%c[left]]\n\t"
      "vstrb.16 q2, [r9, %q[places]]\n\t"
      "add r9, r6\n\t"
      "add r7, r8\n\t"
      "bne 1b"
      : [frame] "+r"(frame)
      : [rounding] "i"(kRounding), [places] "w"(where), [x] "i"(offsetof(Fours, x)),
        [advance] "i"(offsetof(Fours, advance)), [left] "i"(offsetof(Fours, left)),
        [next] "i"(offsetof(Fours, next)), [last] "i"(offsetof(Fours, last)),
        [y] "i"(offsetof(Fours, y)), [blocks] "i"(offsetof(Fours, blocks)),
        [odd] "i"(offsetof(Fours, odd))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q2",
        "q3", "q4", "q5", "q6", "q7", "cc", "memory");
}

// The sums of a channel for two pixels: of the first vectors of inputs, as many of its weights as
// r7 says, and of the second vectors.
#define OPSMITH_MVE_FIRST(a, b) \
  "vldrb.8 q0, [r5]\n\t"        \
  "vmladav.s8 " a               \
  ", q0, q4\n\t"                \
  "add r5, r7\n\t"              \
  "vmladav.s8 " b ", q0, q6\n\t"
#define OPSMITH_MVE_SECOND(a, b, between) \
  "vldrb.8 q0, [r5], #16\n\t"             \
  "vmladava.s8 " a ", q0, q5\n\t" between "vmladava.s8 " b ", q0, q7\n\t"
#define OPSMITH_MVE_HELD(both, offset, saturate, store) \
  OPSMITH_MVE_FIRST("r0", "r8")                         \
  OPSMITH_MVE_FIRST("r2", "r10")                        \
  OPSMITH_MVE_FIRST("r4", "r12")                        \
  OPSMITH_MVE_FIRST("r6", "lr")                         \
  OPSMITH_MVE_SECOND("r0", "r8", both)                  \
  OPSMITH_MVE_SECOND("r2", "r10", offset)               \
  OPSMITH_MVE_SECOND("r4", "r12", saturate) OPSMITH_MVE_SECOND("r6", "lr", store)

// All channels, at least four, of N pairs of pixels, as pairs_of_pixels() has them.
template <int32_t kRounding>
inline __attribute__((noinline)) void held_pairs(HeldPairs& pairs, uint16x8_t places) {
  register HeldPairs* frame __asm("r11") = &pairs;
  register uint16x8_t where __asm("q1") = places;
  __asm volatile(
      "ldrd r9, r7, [r11, #%c[y]]\n\t"
      "ldrd r3, r1, [r11, #%c[last]]\n\t"
      "vctp.8 r7\n"
      "1:\n\t"  // a pair
      "ldrd r0, r2, [r11, #%c[x0]]\n\t"
      "ldr r5, [r11, #%c[blocks]]\n\t"
      "vpstt\n\t"
      "vldrbt.u8 q4, [r0]\n\t"
      "vldrbt.u8 q6, [r2]\n\t"
      "add r0, r7\n\t"
      "add r2, r7\n\t"
      "vldrb.8 q5, [r0]\n\t"
      "vldrb.8 q7, [r2]\n\t" OPSMITH_MVE_HELD("", "", "", "")
      "b 3f\n"
      "2:\n\t"  // four channels of it
      OPSMITH_MVE_HELD("vqmovnt.s32 q2, q3\n\t", "vqadd.s16 q2, q2, r1\n\t",
                       "vqmovnb.s16 q2, q2\n\t", "vstrb.16 q2, [r9, %q[places]]\n\t")
      "adds r9, #4\n"
      "3:\n\t"
      "vmov q2[2], q2[0], r0, r4\n\t"
      "vmov q2[3], q2[1], r2, r6\n\t"
      "vldrw.32 q0, [r5], #16\n\t"
      "vadd.i32 q2, q2, q0\n\t"
      "vmov q3[2], q3[0], r8, r12\n\t"
      "vmov q3[3], q3[1], r10, lr\n\t"
      "vadd.i32 q3, q3, q0\n\t"
      ".if %c[rounding] & 8\n\t"
      "vldrb.s32 q0, [r5, #20]\n\t"
      "vshl.s32 q2, q2, q0\n\t"
      "vshl.s32 q3, q3, q0\n\t"
      ".endif\n\t"
      "vldrw.32 q0, [r5], #16\n\t"
      ".if %c[rounding] == 2\n\t" OPSMITH_MVE_SINGLE("q0", "q0")
      "adds r5, #4\n\t"
      ".else\n\t"
      "vqrdmulh.s32 q2, q2, q0\n\t"
      "vqrdmulh.s32 q3, q3, q0\n\t"
      ".if %c[rounding] & 4\n\t"
      "vldrb.s32 q0, [r5], #8\n\t"
      ".else\n\t"
      "vldrb.s32 q0, [r5], #4\n\t"
      ".endif\n\t"
      ".if %c[rounding] == 1\n\t"
      "mov r0, #1\n\t" OPSMITH_MVE_NEGATIVE("r0") ".endif\n\t"
      ".if (%c[rounding] & 5) == 5\n\t"
      "mov r0, #1\n\t"
      "vptt.s32 lt, q0, zr\n\t"
      "vqdmlaht.s32 q2, q2, r0\n\t"
      "vqdmlaht.s32 q3, q3, r0\n\t"
      "vctp.8 r7\n\t"
      ".endif\n\t"
      "vrshl.s32 q2, q2, q0\n\t"
      "cmp r9, r3\n\t"
      "vrshl.s32 q3, q3, q0\n\t"
      ".endif\n\t"
      ".if %c[rounding] == 2\n\t"
      "cmp r9, r3\n\t"
      ".endif\n\t"
      "vqmovnb.s32 q2, q2\n\t"
      "blo 2b\n\t"
      "ldrd r0, r2, [r11, #%c[x0]]\n\t"
      "mov r9, r3\n\t"
      "vqmovnt.s32 q2, q3\n\t"
      "ldrd r4, r6, [r11, #%c[step]]\n\t"
      "ldr r8, [r11, #%c[apart]]\n\t"
      "vqadd.s16 q2, q2, r1\n\t"
      "add r0, r4\n\t"
      "add r2, r4\n\t"
      "vqmovnb.s16 q2, q2\n\t"
      "strd r0, r2, [r11, #%c[x0]]\n\t"
      "add r3, r3, r8, lsl #1\n\t"
      "vstrb.16 q2, [r9, %q[places]]\n\t"
      "add r9, r8\n\t"
      "adds r9, #4\n\t"
      "subs r6, #1\n\t"
      "str r6, [r11, #%c[left]]\n\t"
      "bne 1b"
      : [frame] "+r"(frame)
      : [rounding] "i"(kRounding), [places] "w"(where), [x0] "i"(offsetof(HeldPairs, x0)),
        [step] "i"(offsetof(HeldPairs, step)), [left] "i"(offsetof(HeldPairs, left)),
        [last] "i"(offsetof(HeldPairs, last)), [y] "i"(offsetof(HeldPairs, y)),
        [apart] "i"(offsetof(HeldPairs, apart)), [blocks] "i"(offsetof(HeldPairs, blocks))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q2",
        "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_HELD
#undef OPSMITH_MVE_SECOND
#undef OPSMITH_MVE_FIRST
#undef OPSMITH_MVE_SCALE
#undef OPSMITH_MVE_TWO
#undef OPSMITH_MVE_SHIFT_SECOND
#undef OPSMITH_MVE_TO_SECOND
#undef OPSMITH_MVE_SHIFT_FIRST
#undef OPSMITH_MVE_UNLESS_SINGLE
#undef OPSMITH_MVE_SINGLE
#undef OPSMITH_MVE_NEGATIVE
#undef OPSMITH_MVE_FOUR

}  // namespace opsmith::mve
