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
  int32_t next;   // bytes from where the last outputs of four are written to the next four's first
  int32_t apart;  // bytes from the outputs of four to those of the next
  int8_t* last;   // where the last two channels of the first output are written
  int32_t zero_point;
};
// LDRD and STRD take two at once.
static_assert(offsetof(Quads, zero_point) == offsetof(Quads, last) + 4, "");
static_assert(offsetof(Quads, left) == offsetof(Quads, x) + 4, "");
static_assert(offsetof(Quads, blocks) == offsetof(Quads, inputs) + 4, "");
static_assert(offsetof(Quads, entry) == offsetof(Quads, pitch) + 4, "");
static_assert(offsetof(Quads, apart) == offsetof(Quads, next) + 4, "");

// A vector of each of four columns.
#define OPSMITH_MVE_COLUMNS   \
  "vldrb.8 q0, [r1]\n\t"      \
  "vldrb.8 q1, [r1, #16]\n\t" \
  "vldrb.8 q2, [r1, #32]\n\t" \
  "vldrb.8 q3, [r1, #48]\n\t"
// Vectors of four columns by the weights of two channels at a filter column: the sums of the first
// channel are r0, r2, r4 and r6, of the second r8, r10, r12 and lr. What is between products, which
// take two cycles each, takes none: once a vector was multiplied, another one is loaded.
#define OPSMITH_MVE_TAP(multiply, a, b, c, d, s, t, u, of_a, of_b, of_c, of_d)           \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r0, q4, " a "\n\t" s multiply " r2, q4, " b     \
  "\n\t" t multiply " r4, q4, " c "\n\t" u multiply " r6, q4, " d                        \
  "\n\t"                                                                                 \
  "vldrb.8 q4, [r5], #16\n\t" multiply " r8, q4, " a "\n\t" of_a multiply " r10, q4, " b \
  "\n\t" of_b multiply " r12, q4, " c "\n\t" of_c multiply " lr, q4, " d "\n\t" of_d
#define OPSMITH_MVE_LOAD(vector, at) "vldrb.8 " vector ", [r1, #" at "\n\t"
// One that is not the last of its row: the first of the columns gives way to the one after the
// last.
#define OPSMITH_MVE_NEXT(a, b, c, d, at) \
  OPSMITH_MVE_TAP("vmladava.s8", a, b, c, d, "", "", "", OPSMITH_MVE_LOAD(a, at), "", "", "")
// The last one of a row: the first columns of the next row follow. `end` is what finds it.
#define OPSMITH_MVE_LAST(a, b, c, d, of_a, of_b, of_c, of_d, end)                                  \
  OPSMITH_MVE_TAP("vmladava.s8", a, b, c, d, "add.w r1, r1, r3\n\t", end, "",                      \
                  OPSMITH_MVE_LOAD(a, of_a), OPSMITH_MVE_LOAD(b, of_b), OPSMITH_MVE_LOAD(c, of_c), \
                  OPSMITH_MVE_LOAD(d, of_d))
// All of them of a row but for the first.
#define OPSMITH_MVE_REST(end)    \
  OPSMITH_MVE_REST_OF_THREE(end) \
  OPSMITH_MVE_REST_OF_MORE(end)
#define OPSMITH_MVE_REST_OF_THREE(end)                                                        \
  OPSMITH_MVE_NEXT("q1", "q2", "q3", "q0", "80]")                                             \
  ".if %c[taps] == 3\n\t" OPSMITH_MVE_LAST("q2", "q3", "q0", "q1", "32]", "48]", "0]", "16]", \
                                           end) ".endif\n\t"
#define OPSMITH_MVE_REST_OF_MORE(end) \
  ".if %c[taps] > 3\n\t" OPSMITH_MVE_NEXT("q2", "q3", "q0", "q1", "96]") ".endif\n\t"             \
  ".if %c[taps] == 5\n\t" OPSMITH_MVE_NEXT("q3", "q0", "q1", "q2", "112]")                        \
  OPSMITH_MVE_LAST("q0", "q1", "q2", "q3", "0]", "16]", "32]", "48]", end) ".endif\n\t"           \
  ".if %c[taps] > 5\n\t" OPSMITH_MVE_NEXT("q3", "q0", "q1", "q2", "112]!")                        \
  OPSMITH_MVE_NEXT("q0", "q1", "q2", "q3", "16]")                                                 \
  OPSMITH_MVE_NEXT("q1", "q2", "q3", "q0", "32]") ".endif\n\t"                                    \
  ".if %c[taps] == 7\n\t"                                                                         \
  OPSMITH_MVE_LAST("q2", "q3", "q0", "q1", "32]", "48]", "0]", "16]", end) ".endif\n\t"           \
  ".if %c[taps] > 7\n\t" OPSMITH_MVE_NEXT("q2", "q3", "q0", "q1", "48]")                          \
  OPSMITH_MVE_NEXT("q3", "q0", "q1", "q2", "64]")                                                 \
  OPSMITH_MVE_LAST("q0", "q1", "q2", "q3", "0]", "16]", "32]", "48]", end) ".endif\n\t"
// A row, and the last row of a channel: there the first columns are those of the next two channels.
#define OPSMITH_MVE_ROW(label, end) \
  OPSMITH_MVE_NEXT("q0", "q1", "q2", "q3", "64]") label OPSMITH_MVE_REST(end)
#define OPSMITH_MVE_AGAIN \
  "cmp r1, r7\n\t"        \
  "it eq\n\t"             \
  "ldreq.w r1, [r11, #%c[x]]\n\t"

// Two sums of each of four outputs in q5 and q6, as mve::requantize(). Between all this everything
// else is prepared for the next two channels.
#define OPSMITH_MVE_REQUANTIZE          \
  "vmov q5[2], q5[0], r0, r4\n\t"       \
  "vmov q5[3], q5[1], r2, r6\n\t"       \
  "vmov q6[2], q6[0], r8, r12\n\t"      \
  "vmov q6[3], q6[1], r10, lr\n\t"      \
  "ldm r5!, {r0, r2, r8, r10, r12}\n\t" \
  "vadd.i32 q5, q5, r0\n\t"             \
  ".if %c[rounding] & 8\n\t"            \
  "lsrs r0, r8, #16\n\t"                \
  "vadd.i32 q6, q6, r10\n\t"            \
  "vshl.s32 q5, r0\n\t"                 \
  "lsrs r0, r0, #8\n\t"                 \
  "vshl.s32 q6, r0\n\t"                 \
  ".endif\n\t"                          \
  ".if %c[rounding] == 2\n\t"           \
  ".arch_extension mve.fp\n\t"          \
  "vcvt.f32.s32 q5, q5\n\t"             \
  "vadd.i32 q6, q6, r10\n\t"            \
  "vmul.f32 q5, q5, r2\n\t"             \
  "vcvt.f32.s32 q6, q6\n\t"             \
  "vcvtn.s32.f32 q5, q5\n\t"            \
  "vmul.f32 q6, q6, r12\n\t"            \
  "ldrd r6, r12, [r11, #%c[last]]\n\t"  \
  "vcvtn.s32.f32 q6, q6\n\t"            \
  ".else\n\t"                           \
  "vqrdmulh.s32 q5, q5, r2\n\t"         \
  ".if !(%c[rounding] & 8)\n\t"         \
  "vadd.i32 q6, q6, r10\n\t"            \
  ".endif\n\t"                          \
  "vqrdmulh.s32 q6, q6, r12\n\t"        \
  "ldrd r6, r12, [r11, #%c[last]]\n\t"  \
  ".if (%c[rounding] & 5) == 5\n\t"     \
  "ubfx r0, r8, #7, #1\n\t"             \
  "vqdmlah.s32 q5, q5, r0\n\t"          \
  "ubfx r0, r8, #15, #1\n\t"            \
  "vqdmlah.s32 q6, q6, r0\n\t"          \
  ".elseif %c[rounding] == 1\n\t"       \
  "movs r0, #1\n\t"                     \
  "vqdmlah.s32 q5, q5, r0\n\t"          \
  "vqdmlah.s32 q6, q6, r0\n\t"          \
  ".endif\n\t"                          \
  ".endif\n\t"
// Then they become halfwords of q5, those of an output side by side, and bytes, which are written
// where r9 points: r8 has the shifts, and r12 the zero point.
#define OPSMITH_MVE_UNLESS_SINGLE(instruction) \
  ".if %c[rounding] != 2\n\t" instruction "\n\t.endif\n\t"
#define OPSMITH_MVE_SHIFT_FIRST OPSMITH_MVE_UNLESS_SINGLE("vrshl.s32 q5, r8")
#define OPSMITH_MVE_TO_SECOND OPSMITH_MVE_UNLESS_SINGLE("lsrs r8, r8, #8")
#define OPSMITH_MVE_SHIFT_SECOND OPSMITH_MVE_UNLESS_SINGLE("vrshl.s32 q6, r8")

// All channels of outputs in fours: an even number of channels. `places` are where the
// eight of two channels go: first[0], first[1], second[0], second[1] and so on. Outputs are
// saturated. In assembly as a whole, since sums have to be in the even registers, all of them: r1
// walks through the inputs, r3 is the pitch, r5 walks through the weights, r7 is the end of the
// inputs, r9 the output, r11 all else. The outputs of two channels are made while the next two are
// multiplied. kTaps: columns
// of the filter, 3, 5, 7 or 9. kRounding: as pairs_of_pixels() says.
template <int32_t kTaps, int32_t kRounding>
inline __attribute__((noinline)) void quads_of_pixels(Quads& quads, uint16x8_t places) {
  constexpr int32_t kCopies = kTaps == 3 ? 3 : 1;      // of the loop's body
  constexpr int32_t kBody = 4 * (5 + 11 * kTaps - 1);  // bytes of one
  constexpr int32_t kMoved = kTaps > 5 ? 112 : 0;      // what it adds to the inputs' address
  quads.pitch -= kMoved;
  quads.entry = kCopies - 1 - (quads.entry - 1) % kCopies;
  register Quads* frame __asm("r11") = &quads;
  register uint16x8_t where __asm("q7") = places;
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
      "add r7, r1\n\t" OPSMITH_MVE_COLUMNS OPSMITH_MVE_TAP(
          "vmladav.s8", "q0", "q1", "q2", "q3", "", "", "", "vldrb.8 q0, [r1, #64]\n\t", "", "", "")
      "ldr pc, [r11, #%c[entry]]\n"
      "2:\n\t"  // two channels of them
      "vldrb.8 q4, [r5], #16\n\t" OPSMITH_MVE_SHIFT_FIRST
      "vmladav.s8 r0, q4, q0\n\t" OPSMITH_MVE_TO_SECOND
      "vmladav.s8 r2, q4, q1\n\t" OPSMITH_MVE_SHIFT_SECOND
      "vmladav.s8 r4, q4, q2\n\t"
      "vqmovnb.s32 q5, q5\n\t"
      "vmladav.s8 r6, q4, q3\n\t"
      "vldrb.8 q4, [r5], #16\n\t"
      "vmladav.s8 r8, q4, q0\n\t"
      "vqmovnt.s32 q5, q6\n\t"
      "vldrb.8 q0, [r1, #64]\n\t"
      "vmladav.s8 r10, q4, q1\n\t"
      "vqadd.s16 q5, q5, r12\n\t"
      "vmladav.s8 r12, q4, q2\n\t"
      "vqmovnb.s16 q5, q5\n\t"
      "vmladav.s8 lr, q4, q3\n\t"
      "vstrb.16 q5, [r9, %q[places]]\n\t"
      "adds r9, #2\n\t"
      "ldr pc, [r11, #%c[entry]]\n"
      "3:\n\t"
      ".if %c[copies] == 3\n\t"
      OPSMITH_MVE_ROW("4:\n\t", "") OPSMITH_MVE_ROW("4:\n\t", "")
      ".endif\n\t"
      OPSMITH_MVE_ROW("4:\n\t", OPSMITH_MVE_AGAIN)
      "bne.w 3b\n\t" OPSMITH_MVE_REQUANTIZE
      "cmp r9, r6\n\t"
      "blo.w 2b\n\t" OPSMITH_MVE_SHIFT_FIRST OPSMITH_MVE_TO_SECOND OPSMITH_MVE_SHIFT_SECOND
      "vqmovnb.s32 q5, q5\n\t"
      "ldrd r0, r2, [r11, #%c[next]]\n\t"
      "ldrd r1, r4, [r11, #%c[x]]\n\t"
      "vqmovnt.s32 q5, q6\n\t"
      "add r6, r2\n\t"
      "str r6, [r11, #%c[last]]\n\t"
      "vqadd.s16 q5, q5, r12\n\t"
      "adds r1, #64\n\t"
      "vqmovnb.s16 q5, q5\n\t"
      "subs r4, #1\n\t"
      "strd r1, r4, [r11, #%c[x]]\n\t"
      "vstrb.16 q5, [r9, %q[places]]\n\t"
      "add r9, r0\n\t"
      "bne.w 1b"
      : [frame] "+r"(frame)
      : [taps] "i"(kTaps), [rounding] "i"(kRounding), [copies] "i"(kCopies), [body] "i"(kBody),
        [places] "w"(where), [x] "i"(offsetof(Quads, x)),
        [inputs] "i"(offsetof(Quads, inputs)), [pitch] "i"(offsetof(Quads, pitch)),
        [entry] "i"(offsetof(Quads, entry)), [y] "i"(offsetof(Quads, y)),
        [next] "i"(offsetof(Quads, next)),
        [last] "i"(offsetof(Quads, last))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "cc", "memory");
}

#undef OPSMITH_MVE_SHIFT_SECOND
#undef OPSMITH_MVE_TO_SECOND
#undef OPSMITH_MVE_SHIFT_FIRST
#undef OPSMITH_MVE_UNLESS_SINGLE
#undef OPSMITH_MVE_REQUANTIZE
#undef OPSMITH_MVE_AGAIN
#undef OPSMITH_MVE_ROW
#undef OPSMITH_MVE_REST_OF_MORE
#undef OPSMITH_MVE_REST_OF_THREE
#undef OPSMITH_MVE_REST
#undef OPSMITH_MVE_LAST
#undef OPSMITH_MVE_NEXT
#undef OPSMITH_MVE_LOAD
#undef OPSMITH_MVE_TAP
#undef OPSMITH_MVE_COLUMNS

}  // namespace opsmith::mve
