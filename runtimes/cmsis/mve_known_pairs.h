// Sums of pairs of pixels in assembly for a known number of inputs, for kernels that require
// Helium. Fast because nothing jumps but the loop over channels, and outputs of the four channels
// before are made where products leave room.
#pragma once

#include "runtimes/cmsis/mve_pairs.h"

namespace opsmith::mve {

// What is known of the inputs of a pixel and of channels when a kernel is compiled. kSteps: vectors
// of inputs, at least 2; 8: eight or more. kTail: the first is less than a vector. kRest: four does
// not divide the channels.
template <int32_t kSteps, bool kTail, bool kRest>
struct Known {
  static constexpr int32_t kUnrolled = kSteps < 8 ? kSteps : 5;
  static constexpr bool kLoops = kSteps == 8, kIsTail = kTail, kHasRest = kRest;
};

using Unknown = Known<0, false, false>;

// The first of the blocks of four channels: the last one's constants are in front of it where the
// number of steps is known.
inline const int32_t* blocks_of(int32_t steps, const int32_t* words) {
  return steps == 0 ? words : words + 9;
}

// What the assembly below keeps in memory, where r11 points.
struct KnownPairs {
  BasedPair based;     // pairs.y: where outputs that are made later go
  const int8_t* end;   // of the first pixel's inputs
  int32_t entry;       // first of the loop's steps: its distance in bytes, then its address
  uint16_t places[8];  // of the outputs of a pair, see pairs_of_pixels()
};

// A vector of inputs of both pixels by the weights of four channels, as in pairs_of_pixels().
#define OPSMITH_MVE_STEP(first, second) \
  "vldrb.8 q0, [r1], #16\n\t"           \
  "vmladava.s8 r0, q1, q0\n\t"          \
  "vldrb.8 q2, [r3], #16\n\t"           \
  "vmladava.s8 r8, q1, q2\n\t"          \
  "vldrb.8 q3, [r5], #16\n\t"           \
  "vmladava.s8 r2, q3, q0\n\t"          \
  "vldrb.8 q1, [r5], #16\n\t"           \
  "vmladava.s8 r10, q3, q2\n\t" first   \
  "vmladava.s8 r4, q1, q0\n\t"          \
  "vldrb.8 q3, [r5], #16\n\t"           \
  "vmladava.s8 r12, q1, q2\n\t" second  \
  "vmladava.s8 r6, q3, q0\n\t"          \
  "vldrb.8 q1, [r5], #16\n\t"           \
  "vmladava.s8 lr, q3, q2\n\t"

constexpr int32_t kStep = 56;  // bytes of it, where nothing is between

// The first step: sums of the channels before become q4 and q5, and q1 has their biases.
#define OPSMITH_MVE_FIRST          \
  "vldrb.8 q7, [r5], #16\n\t"      \
  "vmov q5[2], q5[0], r8, r12\n\t" \
  "vldrb.8 q0, [r1], #16\n\t"      \
  "vmladav.s8 r0, q7, q0\n\t"      \
  "vldrb.8 q2, [r3], #16\n\t"      \
  "vmladav.s8 r8, q7, q2\n\t"      \
  "vmov q4[3], q4[1], r2, r6\n\t"  \
  "vldrb.8 q3, [r5], #16\n\t"      \
  "vmladav.s8 r2, q3, q0\n\t"      \
  "vmov q5[3], q5[1], r10, lr\n\t" \
  "vldrb.8 q7, [r5], #16\n\t"      \
  "vmladav.s8 r10, q3, q2\n\t"     \
  "vadd.i32 q4, q4, q1\n\t"        \
  "vmladav.s8 r4, q7, q0\n\t"      \
  "vldrb.8 q3, [r5], #16\n\t"      \
  "vmladav.s8 r12, q7, q2\n\t"     \
  "vadd.i32 q5, q5, q1\n\t"        \
  "vmladav.s8 r6, q3, q0\n\t"      \
  "vldrb.8 q1, [r5], #16\n\t"      \
  "vmladav.s8 lr, q3, q2\n\t"
// The same of less than a vector.
#define OPSMITH_MVE_TAIL           \
  "vmov q5[2], q5[0], r8, r12\n\t" \
  "ldr r12, [r11, #%c[tail]]\n\t"  \
  "vldrb.8 q7, [r5]\n\t"           \
  "add r5, r12\n\t"                \
  "vpstt\n\t"                      \
  "vldrbt.u8 q0, [r1]\n\t"         \
  "vldrbt.u8 q2, [r3]\n\t"         \
  "add r1, r12\n\t"                \
  "vmladav.s8 r0, q7, q0\n\t"      \
  "add r3, r12\n\t"                \
  "vldrb.8 q3, [r5]\n\t"           \
  "vmladav.s8 r8, q7, q2\n\t"      \
  "vmov q4[3], q4[1], r2, r6\n\t"  \
  "add r5, r12\n\t"                \
  "vmladav.s8 r2, q3, q0\n\t"      \
  "vldrb.8 q7, [r5]\n\t"           \
  "vmov q5[3], q5[1], r10, lr\n\t" \
  "vmladav.s8 r10, q3, q2\n\t"     \
  "add r5, r12\n\t"                \
  "vldrb.8 q3, [r5]\n\t"           \
  "vmladav.s8 r4, q7, q0\n\t"      \
  "add r5, r12\n\t"                \
  "vadd.i32 q4, q4, q1\n\t"        \
  "vmladav.s8 r12, q7, q2\n\t"     \
  "vadd.i32 q5, q5, q1\n\t"        \
  "vmladav.s8 r6, q3, q0\n\t"      \
  "vldrb.8 q1, [r5], #16\n\t"      \
  "vmladav.s8 lr, q3, q2\n\t"

// What makes outputs of q4 and q5, of which each of .Lplaces places has an equal share. r7 points
// at the end of the constants, and then is whatever is needed.
#define OPSMITH_MVE_PART(instruction)                            \
  ".if .Lpart * .Lplaces / %c[parts] == .Lplace\n\t" instruction \
  "\n\t.endif\n\t"                                               \
  ".set .Lpart, .Lpart + 1\n\t"
#define OPSMITH_MVE_PARTS                                                                         \
  ".set .Lpart, 0\n\t" OPSMITH_MVE_PART("vldrw.32 q6, [r7, #-20]")                                \
      OPSMITH_MVE_PART("vqrdmulh.s32 q4, q4, q6") OPSMITH_MVE_PART("vldrb.s32 q7, [r7, #-4]")     \
          OPSMITH_MVE_PART("vqrdmulh.s32 q5, q5, q6") ".if %c[linear]\n\t" OPSMITH_MVE_PART(      \
              "vshr.s32 q6, q4, #31") OPSMITH_MVE_PART("vadd.i32 q4, q4, q6")                     \
              OPSMITH_MVE_PART("vshr.s32 q6, q5, #31") OPSMITH_MVE_PART(                          \
                  "vadd.i32 q5, q5, q6") ".endif\n\t" OPSMITH_MVE_PART("vrshl.s32 q4, q4, q7")    \
                  OPSMITH_MVE_PART("vrshl.s32 q5, q5, q7") OPSMITH_MVE_PART("vqmovnb.s32 q4, q4") \
                      OPSMITH_MVE_PART("ldr r7, [r11, #%c[zero_point]]")                          \
                          OPSMITH_MVE_PART("vldrh.16 q6, [r11, #%c[places]]") OPSMITH_MVE_PART(   \
                              "vqmovnt.s32 q4, q5") OPSMITH_MVE_PART("vqadd.s16 q4, q4, r7")      \
                              OPSMITH_MVE_PART("ldr r7, [r11, #%c[y]]")                           \
                                  OPSMITH_MVE_PART("vqmovnb.s16 q4, q4")                          \
                                      OPSMITH_MVE_PART("str r9, [r11, #%c[y]]") OPSMITH_MVE_PART( \
                                          "vstrb.16 q4, [r7, q6]") ".set .Lplace, .Lplace + 1\n\t"

// pairs_of_pixels() of any number of inputs.
template <int32_t kRounding, bool kBased>
void any_pairs(KnownPairs& known) {
  pairs_of_pixels<kRounding, kBased>(known.based.pairs, vldrhq_u16(known.places));
}

// As pairs_of_pixels(), for kFromZero and kLinear, and for what K knows. In front of the blocks are
// the last block's constants: outputs of the last four channels of a pair are made while the first
// four of the next are multiplied. r7 is free but in the loop, where it is the end of r1's inputs.
template <int32_t kRounding, class K>
inline __attribute__((noinline)) void known_pairs(KnownPairs& known) {
  const int32_t inputs = known.based.pairs.inputs;
  known.end = known.based.pairs.x0 + inputs;
  if (K::kLoops) known.entry = ((K::kUnrolled - (inputs + 15) / 16) & 3) * kStep;
  register KnownPairs* frame __asm("r11") = &known;
  __asm volatile(
      ".if %c[is_tail]\n\t"
      "ldr r0, [r11, #%c[tail]]\n\t"
      "vctp.8 r0\n\t"
      ".endif\n\t"
      ".if %c[loops]\n\t"
      "ldr r0, [r11, #%c[entry]]\n\t"
      "adr.w r1, 3f\n\t"
      "add r0, r1\n\t"
      "orr r0, r0, #1\n\t"
      "str r0, [r11, #%c[entry]]\n\t"
      ".endif\n\t"
      "ldr r9, [r11, #%c[y]]\n\t"
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      "ldr r5, [r11, #%c[blocks]]\n"
      "2:\n\t"  // four channels of a pair
      "vmov q4[2], q4[0], r0, r4\n\t"
      "mov r7, r5\n\t"
      ".if %c[is_tail]\n\t" OPSMITH_MVE_TAIL ".else\n\t" OPSMITH_MVE_FIRST ".endif\n\t"
      ".set .Lplaces, 2 * (%c[unrolled] - 1)\n\t"
      ".set .Lplace, 0\n\t"
      ".rept %c[unrolled] - 2\n\t"
      OPSMITH_MVE_STEP(OPSMITH_MVE_PARTS, OPSMITH_MVE_PARTS)
      ".endr\n\t"
      ".if %c[loops]\n\t"
      OPSMITH_MVE_STEP(OPSMITH_MVE_PARTS, OPSMITH_MVE_PARTS "ldr r7, [r11, #%c[end]]\n\t")
      "ldr pc, [r11, #%c[entry]]\n"
      "3:\n\t"
      ".rept 4\n\t" OPSMITH_MVE_STEP("", "") ".endr\n\t"
      "cmp r1, r7\n\t"
      "bne 3b\n\t"
      "ldr r7, [r11, #%c[last]]\n\t"
      "ldrd r1, r3, [r11, #%c[x0]]\n\t"
      ".else\n\t"
      OPSMITH_MVE_STEP(OPSMITH_MVE_PARTS "ldrd r1, r3, [r11, #%c[x0]]\n\t",
                       OPSMITH_MVE_PARTS "ldr r7, [r11, #%c[last]]\n\t")
      ".endif\n\t"
      "adds r5, #20\n\t"
      "cmp r9, r7\n\t"
      ".if %c[has_rest]\n\t"
      "beq 4f\n\t"
      "add r9, r9, #4\n\t"
      "cmp r9, r7\n\t"
      "it hi\n\t"
      "movhi r9, r7\n\t"
      "b 2b\n"
      "4:\n\t"
      ".else\n\t"
      "add r9, r9, #4\n\t"
      "blo 2b\n\t"
      ".endif\n\t"
      // The next pair; sums stay in even registers.
      "ldr r5, [r11, #%c[step]]\n\t"
      "add r1, r5\n\t"
      "add r3, r5\n\t"
      "strd r1, r3, [r11, #%c[x0]]\n\t"
      ".if %c[loops]\n\t"
      "ldr r5, [r11, #%c[inputs]]\n\t"
      "add r5, r1\n\t"
      "str r5, [r11, #%c[end]]\n\t"
      ".endif\n\t"
      "ldr r5, [r11, #%c[apart]]\n\t"
      "add r9, r7, r5\n\t"
      "add r9, r9, #4\n\t"
      "add r7, r7, r5, lsl #1\n\t"
      "str r7, [r11, #%c[last]]\n\t"
      "ldr r7, [r11, #%c[left]]\n\t"
      "ldr r5, [r11, #%c[blocks]]\n\t"
      "subs r7, #1\n\t"
      "str r7, [r11, #%c[left]]\n\t"
      "bne 2b\n\t"
      "vmov q4[2], q4[0], r0, r4\n\t"
      "vmov q4[3], q4[1], r2, r6\n\t"
      "vmov q5[2], q5[0], r8, r12\n\t"
      "vmov q5[3], q5[1], r10, lr\n\t"
      "vadd.i32 q4, q4, q1\n\t"
      "vadd.i32 q5, q5, q1\n\t"
      "mov r7, r5\n\t"
      ".set .Lplaces, 1\n\t"
      ".set .Lplace, 0\n\t" OPSMITH_MVE_PARTS
      : [frame] "+r"(frame)
      : [linear] "i"(kRounding == kLinear), [parts] "i"(kRounding == kLinear ? 19 : 15),
        [unrolled] "i"(K::kUnrolled), [loops] "i"(K::kLoops), [is_tail] "i"(K::kIsTail),
        [has_rest] "i"(K::kHasRest), [x0] "i"(offsetof(KnownPairs, based.pairs.x0)),
        [step] "i"(offsetof(KnownPairs, based.pairs.step)),
        [inputs] "i"(offsetof(KnownPairs, based.pairs.inputs)),
        [blocks] "i"(offsetof(KnownPairs, based.pairs.blocks)),
        [y] "i"(offsetof(KnownPairs, based.pairs.y)),
        [last] "i"(offsetof(KnownPairs, based.pairs.last)),
        [apart] "i"(offsetof(KnownPairs, based.pairs.apart)),
        [tail] "i"(offsetof(KnownPairs, based.pairs.tail)),
        [zero_point] "i"(offsetof(KnownPairs, based.pairs.zero_point)),
        [left] "i"(offsetof(KnownPairs, based.pairs.left)), [end] "i"(offsetof(KnownPairs, end)),
        [entry] "i"(offsetof(KnownPairs, entry)), [places] "i"(offsetof(KnownPairs, places))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

// What computes pairs.
using PairsFunction = void (*)(KnownPairs&);
template <int32_t kRounding, class K>
constexpr PairsFunction pairs_function() {
  if constexpr (K::kUnrolled > 0) {
    return known_pairs<kRounding, K>;
  } else {
    return any_pairs<kRounding, false>;
  }
}

#undef OPSMITH_MVE_PARTS
#undef OPSMITH_MVE_PART
#undef OPSMITH_MVE_TAIL
#undef OPSMITH_MVE_FIRST
#undef OPSMITH_MVE_STEP

}  // namespace opsmith::mve
