// A line of outputs in assembly, for mve_walk.h.
#pragma once

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

namespace opsmith::depthwise_conv_2d {

// What the assembly below keeps in memory, where r11 points: four channels of a line.
struct Block {
  const void* constants;  // FourChannels
  int32_t zero_point;
  int32_t pair_pitch;    // bytes from the outputs of a pair to those of the next
  const int8_t* end;     // of the pairs, in the first strip
  const int8_t* filter;  // the taps of each channel
  int8_t* y;             // where a pair in front of the first would go
  const uint8_t* order;  // which of these each place of a window meets
  int32_t taps;          // of a channel
  const int8_t* x;       // the strip of the first channel
  int32_t strip_bytes;
  int32_t channels;  // that there are; fewer than one: none
  int32_t odd;       // whether a sample is left after the pairs
  int32_t step;
  int32_t more;  // bytes to the next block, or 0
  int16x8_t low;
  int16x8_t high;
  uint16x8_t places;  // of the outputs first[0], second[0], first[1] and so on
  int8x16_t offset;   // of the weights of all taps, which it is added to
};
// LDRD takes two at once, LDM four.
static_assert(offsetof(Block, constants) == 0 && offsetof(Block, end) == 12, "");
static_assert(offsetof(Block, strip_bytes) == offsetof(Block, x) + 4, "");
static_assert(offsetof(Block, y) == offsetof(Block, filter) + 4, "");
static_assert(offsetof(Block, taps) == offsetof(Block, order) + 4, "");

// What the assembly may know when it is compiled.
template <int32_t kStepOrNone, bool kIsLinear, bool kIsClamped, bool kIsUnsigned, bool kHasOffset,
          bool kIsSingle = false, bool kHasOwn = false>
struct Form {
  static constexpr int32_t kStep = kStepOrNone;  // of LinesParams, or 0: known at run time
  static constexpr bool kLinear = kIsLinear;     // of LinesParams; true holds for any node
  static constexpr bool kClamps = kIsClamped;    // of LinesParams; true holds for any node
  static constexpr bool kUnsigned = kIsUnsigned;
  static constexpr bool kSingle = kIsSingle;   // multipliers are float32
  static constexpr bool kOwn = kHasOwn;        // some channels are not shifted to the right
  static constexpr bool kOffset = kHasOffset;  // whether weights are bytes and what all lack
};

// The sums of a channel for a pair of samples, and the pointer to the next. The weights stay.
// Products take two cycles each, what is between them none.
#define OPSMITH_MVE_WINDOW(x, weights, inputs, sum, other)      \
  ".if %c[step]\n\t"                                            \
  "vldrb.8 " inputs ", [" x                                     \
  "], #%c[step]\n\t"                                            \
  ".else\n\t"                                                   \
  "vldrb.8 " inputs ", [" x                                     \
  "]\n\t"                                                       \
  "add " x                                                      \
  ", lr\n\t"                                                    \
  ".endif\n\t" other "vmladav.s8 " sum ", " inputs ", " weights \
  "\n\t"                                                        \
  ".if %c[with_offset]\n\t"                                     \
  "vmladava.s8 " sum ", " inputs                                \
  ", q2\n\t"                                                    \
  ".endif\n\t"
// The sums of four channels. Between them outputs of those before may be made.
#define OPSMITH_MVE_WINDOWS(first, second, offset, saturate, store)             \
  OPSMITH_MVE_STEP_OF_LINE first OPSMITH_MVE_WINDOW("r1", "q4", "q0", "r0", "") \
      second OPSMITH_MVE_WINDOW("r1", "q4", "q1", "r8", "")                     \
          OPSMITH_MVE_WINDOW("r5", "q6", "q0", "r4", offset)                    \
              OPSMITH_MVE_WINDOW("r5", "q6", "q1", "r12", "")                   \
                  saturate OPSMITH_MVE_WINDOW("r3", "q5", "q0", "r2", "")       \
                      OPSMITH_MVE_WINDOW("r3", "q5", "q1", "r10", store)        \
                          OPSMITH_MVE_WINDOW("r7", "q7", "q0", "r6", "")        \
                              OPSMITH_MVE_WINDOW("r7", "q7", "q1", "lr", "")
#define OPSMITH_MVE_STEP_OF_LINE        \
  ".ifeq %c[step]\n\t"                  \
  "ldr lr, [r11, #%c[line_step]]\n\t"   \
  ".endif\n\t"                          \
  ".if %c[with_offset]\n\t"             \
  "vldrw.32 q2, [r11, #%c[offset]]\n\t" \
  ".endif\n\t"
// Words of q0 and q1 become outputs, where r9 points: r2 is the zero point.
#define OPSMITH_MVE_FIRST "vqmovnb.s32 q2, q0\n\t"
#define OPSMITH_MVE_SECOND "vqmovnt.s32 q2, q1\n\t"
#define OPSMITH_MVE_OFFSET "vqadd.s16 q2, q2, r2\n\t"
#define OPSMITH_MVE_SATURATE          \
  ".if %c[clamps]\n\t"                \
  "vldrw.32 q0, [r11, #%c[low]]\n\t"  \
  "vmax.s16 q2, q2, q0\n\t"           \
  "vldrw.32 q0, [r11, #%c[high]]\n\t" \
  "vmin.s16 q2, q2, q0\n\t"           \
  ".else\n\t"                         \
  "vqmovnb.s16 q2, q2\n\t"            \
  ".endif\n\t"
#define OPSMITH_MVE_STORE \
  "vpst\n\t"              \
  "vstrbt.16 q2, [r9, q3]\n\t"

// Where constants have shifts to the left, if they have any.
template <class FourChannels>
constexpr auto offset_of_left(const FourChannels* f) -> decltype(f->left, size_t()) {
  return offsetof(FourChannels, left);
}
template <class FourChannels>
constexpr size_t offset_of_left(const void*) {
  return 0;
}

// A line of outputs, four channels and two samples at a time. In assembly as a whole, since sums
// have to be in the even registers, all of them; the odd ones are pointers and r11 is all else.
// Outputs are made while the next ones are multiplied, unless weights have an offset.
template <class Form, class FourChannels>
inline __attribute__((always_inline)) void outputs(Block* blocks) {
  register Block* frame __asm("r11") = blocks;
  __asm volatile(
      "vldrw.32 q3, [r11, #%c[places]]\n"
      "1:\n\t"  // four channels
      "ldrd r0, r9, [r11, #%c[filter]]\n\t"
      "ldrd r1, r2, [r11, #%c[order]]\n\t"
      "vldrb.8 q0, [r1]\n\t"
      "vctp.8 r2\n\t"
      "add r3, r0, r2\n\t"
      "add r5, r3, r2\n\t"
      "add r7, r5, r2\n\t"
      "vpstttt\n\t"  // other places have weights of zero
      "vldrbt.u8 q4, [r0, q0]\n\t"
      "vldrbt.u8 q5, [r3, q0]\n\t"
      "vldrbt.u8 q6, [r5, q0]\n\t"
      "vldrbt.u8 q7, [r7, q0]\n\t"
      "ldrd r1, r2, [r11, #%c[x]]\n\t"
      "ldr r6, [r11, #%c[end]]\n\t"
      "ldr r0, [r11, #%c[channels]]\n\t"
      "add r3, r1, r2\n\t"
      "add r5, r3, r2\n\t"
      "add r7, r5, r2\n\t"
      "vctp.32 r0\n\t"
      "cmp r1, r6\n\t"
      "beq 3f\n"
      "2:\n\t"  // two samples, the first ones
      OPSMITH_MVE_WINDOWS("", "", "", "", "")
      ".ifeq %c[with_offset]\n\t"
      "b 6f\n"
      "5:\n\t"  // two others
      OPSMITH_MVE_WINDOWS(OPSMITH_MVE_FIRST, OPSMITH_MVE_SECOND, OPSMITH_MVE_OFFSET,
                          OPSMITH_MVE_SATURATE, OPSMITH_MVE_STORE)
      ".endif\n"
      "6:\n\t"
      // As mve::requantize(). Where no output is below the zero point before the clamp, it makes
      // nothing of how negative numbers are rounded.
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldm r11, {r0, r2, r4, r6}\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "vldrw.32 q2, [r0, #%c[bias]]\n\t"
      "vadd.i32 q0, q0, q2\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "vadd.i32 q1, q1, q2\n\t"
      ".if %c[own]\n\t"
      "vldrb.s32 q2, [r0, #%c[left]]\n\t"
      "vshl.s32 q0, q0, q2\n\t"
      "vshl.s32 q1, q1, q2\n\t"
      ".endif\n\t"
      "vldrw.32 q2, [r0, #%c[multiplier]]\n\t"
      ".if %c[single]\n\t"
      ".arch_extension mve.fp\n\t"
      "vcvt.f32.s32 q0, q0\n\t"
      "add r9, r4\n\t"
      "vcvt.f32.s32 q1, q1\n\t"
      "vmul.f32 q0, q0, q2\n\t"
      "cmp r1, r6\n\t"
      "vmul.f32 q1, q1, q2\n\t"
      "vcvtn.s32.f32 q0, q0\n\t"
      "vcvtn.s32.f32 q1, q1\n\t"
      ".else\n\t"
      "vqrdmulh.s32 q0, q0, q2\n\t"
      "add r9, r4\n\t"
      "vqrdmulh.s32 q1, q1, q2\n\t"
      "vldrb.s32 q2, [r0, #%c[shift]]\n\t"
      ".if %c[linear] && %c[own]\n\t"  // channels that round once stay
      "vmrs r8, p0\n\t"
      "mov r0, #1\n\t"
      "vptt.s32 lt, q2, zr\n\t"
      "vqdmlaht.s32 q0, q0, r0\n\t"
      "vqdmlaht.s32 q1, q1, r0\n\t"
      "vmsr p0, r8\n\t"
      ".elseif %c[linear]\n\t"
      "mov r0, #1\n\t"
      "vqdmlah.s32 q0, q0, r0\n\t"
      "vqdmlah.s32 q1, q1, r0\n\t"
      ".endif\n\t"
      "vrshl.s32 q0, q0, q2\n\t"
      "cmp r1, r6\n\t"
      "vrshl.s32 q1, q1, q2\n\t"
      ".endif\n\t"
      ".ifeq %c[with_offset]\n\t"
      "blo 5b\n\t"
      ".endif\n\t" OPSMITH_MVE_FIRST OPSMITH_MVE_SECOND OPSMITH_MVE_OFFSET OPSMITH_MVE_SATURATE
      OPSMITH_MVE_STORE
      ".if %c[with_offset]\n\t"
      "blo 2b\n\t"
      ".endif\n\t"
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
      "ldr r0, [r11, #%c[more]]\n\t"
      "add r11, r0\n\t"
      "cmp r0, #0\n\t"
      "bne 1b"
      : [frame] "+r"(frame)
      : [step] "i"(Form::kStep), [linear] "i"(Form::kLinear), [clamps] "i"(Form::kClamps),
        [with_offset] "i"(Form::kOffset), [single] "i"(Form::kSingle), [own] "i"(Form::kOwn),
        [left] "i"(offset_of_left<FourChannels>(static_cast<const FourChannels*>(nullptr))),
        [x] "i"(offsetof(Block, x)), [more] "i"(offsetof(Block, more)),
        [end] "i"(offsetof(Block, end)), [filter] "i"(offsetof(Block, filter)),
        [order] "i"(offsetof(Block, order)), [taps] "i"(offsetof(Block, taps)),
        [channels] "i"(offsetof(Block, channels)), [odd] "i"(offsetof(Block, odd)),
        [line_step] "i"(offsetof(Block, step)), [low] "i"(offsetof(Block, low)),
        [high] "i"(offsetof(Block, high)), [places] "i"(offsetof(Block, places)),
        [offset] "i"(offsetof(Block, offset)), [bias] "i"(offsetof(FourChannels, bias)),
        [multiplier] "i"(offsetof(FourChannels, multiplier)),
        [shift] "i"(offsetof(FourChannels, shift))
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

#undef OPSMITH_MVE_STORE
#undef OPSMITH_MVE_SATURATE
#undef OPSMITH_MVE_OFFSET
#undef OPSMITH_MVE_SECOND
#undef OPSMITH_MVE_FIRST
#undef OPSMITH_MVE_STEP_OF_LINE
#undef OPSMITH_MVE_WINDOWS
#undef OPSMITH_MVE_WINDOW

}  // namespace opsmith::depthwise_conv_2d
