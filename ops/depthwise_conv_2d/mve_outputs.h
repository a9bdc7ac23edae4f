// A line of outputs in assembly, for mve_walk.h.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::depthwise_conv_2d {

// What the assembly below keeps in memory, where r11 points.
struct Line {
  const int8_t* x;  // the strip of the first of four channels
  int32_t strip_bytes;
  const void* constants;  // FourChannels
  int32_t zero_point;
  int32_t pair_pitch;     // bytes from the outputs of a pair to those of the next
  const int8_t* end;      // of the pairs, in the first strip
  const int8_t* weights;  // a vector for each channel
  int8_t* y;
  int32_t channels;  // that are left
  int32_t odd;       // whether a sample is left after the pairs
  int32_t step;
  int16x8_t low;
  int16x8_t high;
  uint16x8_t places;  // of the outputs first[0], second[0], first[1] and so on
  int8x16_t offset;   // of the weights of all taps, which it is added to
};
// LDRD and STRD take two at once.
static_assert(offsetof(Line, strip_bytes) == offsetof(Line, x) + 4, "");
static_assert(offsetof(Line, zero_point) == offsetof(Line, constants) + 4, "");
static_assert(offsetof(Line, end) == offsetof(Line, pair_pitch) + 4, "");
static_assert(offsetof(Line, y) == offsetof(Line, weights) + 4, "");

// What the assembly may know when it is compiled.
template <int32_t kStepOrNone, bool kIsLinear, bool kIsClamped, bool kIsUnsigned, bool kHasOffset>
struct Form {
  static constexpr int32_t kStep = kStepOrNone;  // of LinesParams, or 0: known at run time
  static constexpr bool kLinear = kIsLinear;     // of LinesParams; true holds for any node
  static constexpr bool kClamps = kIsClamped;    // of LinesParams; true holds for any node
  static constexpr bool kUnsigned = kIsUnsigned;
  static constexpr bool kOffset = kHasOffset;  // whether weights are bytes and what all lack
};

// The sums of a channel for a pair of samples, and the pointer to the next. The weights stay.
#define OPSMITH_MVE_WINDOWS(x, weights, first, second) \
  ".if %c[step]\n\t"                                   \
  "vldrb.8 q0, [" x                                    \
  "], #%c[step]\n\t"                                   \
  "vldrb.8 q1, [" x                                    \
  "], #%c[step]\n\t"                                   \
  ".else\n\t"                                          \
  "vldrb.8 q0, [" x                                    \
  "]\n\t"                                              \
  "add " x                                             \
  ", lr\n\t"                                           \
  "vldrb.8 q1, [" x                                    \
  "]\n\t"                                              \
  "add " x                                             \
  ", lr\n\t"                                           \
  ".endif\n\t"                                         \
  "vmladav.s8 " first ", q0, " weights                 \
  "\n\t"                                               \
  "vmladav.s8 " second ", q1, " weights                \
  "\n\t"                                               \
  ".if %c[with_offset]\n\t"                            \
  "vmladava.s8 " first                                 \
  ", q0, q2\n\t"                                       \
  "vmladava.s8 " second                                \
  ", q1, q2\n\t"                                       \
  ".endif\n\t"

// A line of outputs, four channels and two samples at a time. In assembly as a whole, since sums
// have to be in the even registers, all of them; the odd ones are pointers and r11 is all else.
template <class Form, class FourChannels>
inline __attribute__((always_inline)) void outputs(Line& line, const FourChannels* constants) {
  line.constants = constants;
  register Line* frame __asm("r11") = &line;
  __asm volatile(
      "vldrw.32 q3, [r11, #%c[places]]\n"
      "1:\n\t"  // four channels
      "ldrd r0, r9, [r11, #%c[weights]]\n\t"
      "vldrb.8 q4, [r0]\n\t"
      "vldrb.8 q5, [r0, #16]\n\t"
      "vldrb.8 q6, [r0, #32]\n\t"
      "vldrb.8 q7, [r0, #48]\n\t"
      "ldrd r1, r2, [r11, #%c[x]]\n\t"
      "ldr r6, [r11, #%c[end]]\n\t"
      "ldr r0, [r11, #%c[channels]]\n\t"
      "add r3, r1, r2\n\t"
      "add r5, r3, r2\n\t"
      "add r7, r5, r2\n\t"
      "vctp.32 r0\n\t"
      "cmp r1, r6\n\t"
      "beq 3f\n"
      "2:\n\t"  // two samples
      ".ifeq %c[step]\n\t"
      "ldr lr, [r11, #%c[line_step]]\n\t"
      ".endif\n\t"
      ".if %c[with_offset]\n\t"
      "vldrw.32 q2, [r11, #%c[offset]]\n\t"
      ".endif\n\t"  //
      OPSMITH_MVE_WINDOWS("r1", "q4", "r0", "r8") OPSMITH_MVE_WINDOWS("r3", "q5", "r2", "r10")
          OPSMITH_MVE_WINDOWS("r5", "q6", "r4", "r12") OPSMITH_MVE_WINDOWS("r7", "q7", "r6", "lr")
      // As mve::requantize(). Where no output is below the zero point before the clamp, it makes
      // nothing of how negative numbers are rounded.
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldrd r0, r2, [r11, #%c[constants]]\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "vldrw.32 q2, [r0, #%c[bias]]\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "vadd.i32 q0, q0, q2\n\t"
      "vadd.i32 q1, q1, q2\n\t"
      "vldrw.32 q2, [r0, #%c[multiplier]]\n\t"
      "vqrdmulh.s32 q0, q0, q2\n\t"
      "vqrdmulh.s32 q1, q1, q2\n\t"
      "vldrb.s32 q2, [r0, #%c[shift]]\n\t"
      ".if %c[linear]\n\t"
      "mov r0, #1\n\t"
      "vqdmlah.s32 q0, q0, r0\n\t"
      "vqdmlah.s32 q1, q1, r0\n\t"
      ".endif\n\t"
      "vrshl.s32 q0, q0, q2\n\t"
      "vrshl.s32 q1, q1, q2\n\t"
      "ldrd r4, r6, [r11, #%c[pair_pitch]]\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      "vqadd.s16 q0, q0, r2\n\t"
      ".if %c[clamps]\n\t"
      "vldrw.32 q2, [r11, #%c[low]]\n\t"
      "vmax.s16 q0, q0, q2\n\t"
      "vldrw.32 q2, [r11, #%c[high]]\n\t"
      "vmin.s16 q0, q0, q2\n\t"
      ".else\n\t"
      "vqmovnb.s16 q0, q0\n\t"
      ".endif\n\t"
      "vpst\n\t"
      "vstrbt.16 q0, [r9, q3]\n\t"
      "add r9, r4\n\t"
      "cmp r1, r6\n\t"
      "blo 2b\n\t"
      "bne 4f\n"
      // One sample that is left; what is read for a second one is not stored.
      "3:\n\t"
      "ldr r0, [r11, #%c[odd]]\n\t"
      "cbz r0, 4f\n\t"
      "vmrs r0, p0\n\t"
      "and r0, #0x33333333\n\t"
      "vmsr p0, r0\n\t"
      "b 2b\n"
      "4:\n\t"
      "ldr r0, [r11, #%c[channels]]\n\t"
      "subs r0, #4\n\t"
      "ble 5f\n\t"
      "str r0, [r11, #%c[channels]]\n\t"
      "ldrd r1, r2, [r11, #%c[x]]\n\t"
      "ldrd r3, r4, [r11, #%c[constants]]\n\t"
      "ldr r6, [r11, #%c[end]]\n\t"
      "ldrd r8, r9, [r11, #%c[weights]]\n\t"
      "add r1, r1, r2, lsl #2\n\t"
      "add r3, #%c[four_channels]\n\t"
      "add r6, r6, r2, lsl #2\n\t"
      "add r8, #64\n\t"
      "add r9, #4\n\t"
      "str r1, [r11, #%c[x]]\n\t"
      "str r3, [r11, #%c[constants]]\n\t"
      "str r6, [r11, #%c[end]]\n\t"
      "strd r8, r9, [r11, #%c[weights]]\n\t"
      "b 1b\n"
      "5:"
      : [frame] "+r"(frame)
      : [step] "i"(Form::kStep), [linear] "i"(Form::kLinear), [clamps] "i"(Form::kClamps),
        [with_offset] "i"(Form::kOffset), [x] "i"(offsetof(Line, x)),
        [constants] "i"(offsetof(Line, constants)), [pair_pitch] "i"(offsetof(Line, pair_pitch)),
        [end] "i"(offsetof(Line, end)), [weights] "i"(offsetof(Line, weights)),
        [channels] "i"(offsetof(Line, channels)), [odd] "i"(offsetof(Line, odd)),
        [line_step] "i"(offsetof(Line, step)), [low] "i"(offsetof(Line, low)),
        [high] "i"(offsetof(Line, high)), [places] "i"(offsetof(Line, places)),
        [offset] "i"(offsetof(Line, offset)), [bias] "i"(offsetof(FourChannels, bias)),
        [multiplier] "i"(offsetof(FourChannels, multiplier)),
        [shift] "i"(offsetof(FourChannels, shift)), [four_channels] "i"(sizeof(FourChannels))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_WINDOWS

}  // namespace opsmith::depthwise_conv_2d
