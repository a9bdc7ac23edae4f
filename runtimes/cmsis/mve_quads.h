// All channels of four neighbouring outputs at a time, whose windows have columns in common, for
// Helium: a vector of inputs is loaded once for the four, and one of weights serves all four.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::mve {

// What the assembly below keeps in memory, where r11 points.
struct Quads {
  const int8_t* x;        // the first vector of the first column of four outputs
  int32_t left;           // outputs, in fours
  int32_t inputs;         // bytes from x to where the vectors of a column end
  const int32_t* blocks;  // for each two channels weights, biases, multipliers and shifts
  int32_t pitch;          // bytes from a vector of a column to the next
  uint32_t entry;         // how many vectors a column has; then where the first is left
  int8_t* y;
  int32_t next;   // bytes from where the outputs of four end to where those of the next begin
  int32_t apart;  // bytes from the outputs of four to those of the next
  int32_t zero_point;
  int8_t* last;  // where the last two channels of the first output are written
};
// LDRD and STRD take two at once.
static_assert(offsetof(Quads, left) == offsetof(Quads, x) + 4, "");
static_assert(offsetof(Quads, blocks) == offsetof(Quads, inputs) + 4, "");
static_assert(offsetof(Quads, entry) == offsetof(Quads, pitch) + 4, "");
static_assert(offsetof(Quads, apart) == offsetof(Quads, next) + 4, "");
static_assert(offsetof(Quads, last) == offsetof(Quads, zero_point) + 4, "");

// A vector of each of four columns.
#define OPSMITH_MVE_COLUMNS   \
  "vldrb.8 q0, [r1]\n\t"      \
  "vldrb.8 q1, [r1, #16]\n\t" \
  "vldrb.8 q2, [r1, #32]\n\t" \
  "vldrb.8 q3, [r1, #48]\n\t"
// These by the weights of two channels at a filter column: the sums of the first channel are r0,
// r2, r4 and r6, of the second r8, r10, r12 and lr.
#define OPSMITH_MVE_TAP(multiply, a, b, c, d)                                                      \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r0, q4, " a "\n\t" multiply " r2, q4, " b "\n\t" multiply \
  " r4, q4, " c "\n\t" multiply " r6, q4, " d                                                      \
  "\n\t"                                                                                           \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r8, q4, " a "\n\t" multiply " r10, q4, " b                \
  "\n\t" multiply " r12, q4, " c "\n\t" multiply " lr, q4, " d "\n\t"
// The same at the next filter column, whose last input takes the place of the first before.
#define OPSMITH_MVE_NEXT(at, a, b, c, d) \
  "vldrb.8 " d ", [r1, #" at "\n\t" OPSMITH_MVE_TAP("vmladava.s8", a, b, c, d)

// Two sums of each of four outputs, which become halfwords of q0: those of an output side by side.
// As mve::requantize().
#define OPSMITH_MVE_REQUANTIZE              \
  "vmov q0[2], q0[0], r0, r4\n\t"           \
  "vmov q0[3], q0[1], r2, r6\n\t"           \
  "vmov q1[2], q1[0], r8, r12\n\t"          \
  "vmov q1[3], q1[1], r10, lr\n\t"          \
  "ldm r5!, {r0, r2, r4, r6, r8}\n\t"       \
  "vadd.i32 q0, q0, r0\n\t"                 \
  "vadd.i32 q1, q1, r6\n\t"                 \
  ".if %c[rounding] & 8\n\t"                \
  "lsrs r0, r4, #16\n\t"                    \
  "vshl.s32 q0, r0\n\t"                     \
  "lsrs r0, r0, #8\n\t"                     \
  "vshl.s32 q1, r0\n\t"                     \
  ".endif\n\t"                              \
  ".if %c[rounding] == 2\n\t"               \
  ".arch_extension mve.fp\n\t"              \
  "vcvt.f32.s32 q0, q0\n\t"                 \
  "vcvt.f32.s32 q1, q1\n\t"                 \
  "vmul.f32 q0, q0, r2\n\t"                 \
  "vmul.f32 q1, q1, r8\n\t"                 \
  "vcvtn.s32.f32 q0, q0\n\t"                \
  "vcvtn.s32.f32 q1, q1\n\t"                \
  ".else\n\t"                               \
  "vqrdmulh.s32 q0, q0, r2\n\t"             \
  "vqrdmulh.s32 q1, q1, r8\n\t"             \
  ".if (%c[rounding] & 5) == 5\n\t"         \
  "ubfx r0, r4, #7, #1\n\t"                 \
  "vqdmlah.s32 q0, q0, r0\n\t"              \
  "ubfx r0, r4, #15, #1\n\t"                \
  "vqdmlah.s32 q1, q1, r0\n\t"              \
  ".elseif %c[rounding] == 1\n\t"           \
  "mov r0, #1\n\t"                          \
  "vqdmlah.s32 q0, q0, r0\n\t"              \
  "vqdmlah.s32 q1, q1, r0\n\t"              \
  ".endif\n\t"                              \
  "vrshl.s32 q0, r4\n\t"                    \
  "lsrs r4, r4, #8\n\t"                     \
  "vrshl.s32 q1, r4\n\t"                    \
  ".endif\n\t"                              \
  "ldrd r0, r4, [r11, #%c[zero_point]]\n\t" \
  "vqmovnb.s32 q0, q0\n\t"                  \
  "vqmovnt.s32 q0, q1\n\t"

// All channels of outputs in fours: an even number of channels. `places` are where the
// eight of two channels go: first[0], first[1], second[0], second[1] and so on. In assembly as a
// whole, since sums have to be in the even registers, all of them: r1 walks through the inputs, r3
// is the pitch, r5 walks through the weights, r7 is the end of the inputs, r9 the output, r11 all
// else. kTaps: columns of the filter, 3, 5, 7 or 9. kRounding: as pairs_of_pixels() says.
template <int32_t kTaps, int32_t kRounding>
inline __attribute__((noinline)) void quads_of_pixels(Quads& quads, uint16x8_t places,
                                                      int16x8_t low, int16x8_t high) {
  constexpr int32_t kCopies = kTaps == 3 ? 3 : 1;      // of the loop's body
  constexpr int32_t kBody = 4 * (5 + 11 * kTaps - 1);  // bytes of one
  constexpr int32_t kMoved = kTaps > 5 ? 112 : 0;      // what it adds to the inputs' address
  quads.pitch -= kMoved;
  quads.entry = kCopies - 1 - (quads.entry - 1) % kCopies;
  register Quads* frame __asm("r11") = &quads;
  __asm volatile(
      // Where the first tap is left; ADR is right for aligned sections alone.
      ".balign 4\n\t"
      "ldrd r3, r2, [r11, #%c[pitch]]\n\t"
      "adr.w r4, 4f\n\t"
      "mov r0, #%c[body]\n\t"
      "mla r4, r2, r0, r4\n\t"
      "adds r4, #1\n\t"
      "str r4, [r11, #%c[entry]]\n\t"
      "ldr r9, [r11, #%c[y]]\n"
      "1:\n\t"  // four outputs
      "ldr r1, [r11, #%c[x]]\n\t"
      "ldrd r7, r5, [r11, #%c[inputs]]\n\t"
      "add r7, r1\n"
      "2:\n\t"  // two channels of them
      "ldr r1, [r11, #%c[x]]\n\t" OPSMITH_MVE_COLUMNS
      OPSMITH_MVE_TAP("vmladav.s8", "q0", "q1", "q2", "q3")
      "ldr pc, [r11, #%c[entry]]\n"
      "3:\n\t"
      ".rept %c[copies]\n\t" OPSMITH_MVE_COLUMNS
      OPSMITH_MVE_TAP("vmladava.s8", "q0", "q1", "q2", "q3")
      "4:\n\t"
      OPSMITH_MVE_NEXT("64]", "q1", "q2", "q3", "q0")
      OPSMITH_MVE_NEXT("80]", "q2", "q3", "q0", "q1")
      ".if %c[taps] > 3\n\t" OPSMITH_MVE_NEXT("96]", "q3", "q0", "q1", "q2") ".endif\n\t"
      ".if %c[taps] == 5\n\t" OPSMITH_MVE_NEXT("112]", "q0", "q1", "q2", "q3") ".endif\n\t"
      ".if %c[taps] > 5\n\t" OPSMITH_MVE_NEXT("112]!", "q0", "q1", "q2", "q3")
      OPSMITH_MVE_NEXT("16]", "q1", "q2", "q3", "q0")
      OPSMITH_MVE_NEXT("32]", "q2", "q3", "q0", "q1") ".endif\n\t"
      ".if %c[taps] > 7\n\t" OPSMITH_MVE_NEXT("48]", "q3", "q0", "q1", "q2")
      OPSMITH_MVE_NEXT("64]", "q0", "q1", "q2", "q3") ".endif\n\t"
      "add.w r1, r1, r3\n\t"
      ".endr\n\t"
      "cmp r1, r7\n\t"
      "bne.w 3b\n\t" OPSMITH_MVE_REQUANTIZE
      "vqadd.s16 q0, q0, r0\n\t"
      "vmax.s16 q0, q0, %q[low]\n\t"
      "vmin.s16 q0, q0, %q[high]\n\t"
      "vstrb.16 q0, [r9, %q[places]]\n\t"
      "adds r9, #2\n\t"
      "cmp r9, r4\n\t"
      "bls.w 2b\n\t"
      // The next four.
      "ldrd r1, r6, [r11, #%c[x]]\n\t"
      "ldrd r0, r2, [r11, #%c[next]]\n\t"
      "add r9, r0\n\t"
      "add r4, r2\n\t"
      "str r4, [r11, #%c[last]]\n\t"
      "adds r1, #64\n\t"
      "subs r6, #1\n\t"
      "strd r1, r6, [r11, #%c[x]]\n\t"
      "bne.w 1b"
      : [frame] "+r"(frame)
      : [taps] "i"(kTaps), [rounding] "i"(kRounding), [copies] "i"(kCopies), [body] "i"(kBody),
        [places] "w"(places), [low] "w"(low), [high] "w"(high), [x] "i"(offsetof(Quads, x)),
        [inputs] "i"(offsetof(Quads, inputs)), [pitch] "i"(offsetof(Quads, pitch)),
        [entry] "i"(offsetof(Quads, entry)), [y] "i"(offsetof(Quads, y)),
        [next] "i"(offsetof(Quads, next)), [zero_point] "i"(offsetof(Quads, zero_point)),
        [last] "i"(offsetof(Quads, last))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "cc", "memory");
}

#undef OPSMITH_MVE_REQUANTIZE
#undef OPSMITH_MVE_NEXT
#undef OPSMITH_MVE_TAP
#undef OPSMITH_MVE_COLUMNS

}  // namespace opsmith::mve
