// Needs Helium. Fast because VMULLB and VMULLT multiply eight channels by their weights, which two
// neighbours in a line of samples (a row of pixels, or a column) share. Eight channels at a
// time, the lines under the filter lie as a ring, with their border, so each is read once and y may
// replace x; the weights are turned with the ring.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// Adds inputs by the weights in q6: even channels to `even`, and products of odd ones are left in
// `odd`, which may be `x` where nobody needs it any more. Meanwhile those of the tap before are
// added, by OPSMITH_MVE_ADD: products and sums take two cycles each, and alternate.
#define OPSMITH_MVE_TAP(even, x, odd, before)                    \
  "vmullb.s16 q7, " x ", q6\n\t" before "vmullt.s16 " odd ", " x \
  ", q6\n\t"                                                     \
  "vadd.i32 " even ", " even ", q7\n\t"
#define OPSMITH_MVE_ADD(sums, odd) "vadd.i32 " sums ", " sums ", " odd "\n\t"

// What line_of_threes() loads at once: from `x` on, into registers one after the other. As
// operands, which are more than compilers find registers for at some levels of optimisation, it
// would fail.
struct LineOfThrees {
  int32_t channels;
  const int16_t* x;
  const int8_t* w;
  int16_t* y;
  int32_t left;  // outputs
  const EightChannels* constants;
  int32_t lines;
  int32_t line;     // bytes of one
  int32_t back;     // bytes from after the last line to the inputs of the next pair
  int32_t weights;  // bytes
  int32_t pitch;    // bytes from one output to the next
  int32_t low;
  int32_t high;
};
static_assert(sizeof(LineOfThrees) == 13 * 4, "");

// What all lines of a group of channels have in common.
inline LineOfThrees lines_of_threes(const NarrowLines& g, const int16_t* x,
                                    const EightChannels& constants, int32_t channels) {
  return {channels,
          x,
          nullptr,
          nullptr,
          g.output_samples,
          &constants,
          g.filter_lines,
          g.line_bytes,
          g.filter_lines * g.line_bytes - 32,
          24 * g.filter_lines,
          2 * g.output_sample_pitch,
          g.activation_min,
          g.activation_max};
}

// A line of outputs of up to eight channels, two samples at a time, where windows of neighbours
// have three taps in a line: the inner two of four samples are in both. Of a last sample alone the
// second is not stored. All registers are spoken for, but that which may be the frame's pointer.
inline void line_of_threes(const LineOfThrees& of) {
  register const LineOfThrees* at __asm("lr") = &of;
  __asm volatile(
      "ldr r0, [lr], #4\n\t"
      "vctp.16 r0\n\t"
      "ldm lr, {r0-r6, r8-r12}\n"
      "1:\n\t"
      "vldrw.32 q0, [r4]\n\t"
      "vldrw.32 q1, [r4, #16]\n\t"
      "vmov q2, q0\n\t"
      "vmov q3, q1\n\t"
      "dls lr, r5\n"
      "2:\n\t"
      // Sums of the first of two samples: of channels 0, 2, 4, 6 in q0, of 1, 3, 5, 7 in q1; of the
      // second in q2 and q3.
      "vldrb.s16 q6, [r1], #8\n\t"
      "vldrh.u16 q4, [r0]\n\t" OPSMITH_MVE_TAP("q0", "q4", "q4", "")
      "vldrh.u16 q5, [r0, #16]\n\t" OPSMITH_MVE_TAP("q2", "q5", "q4", OPSMITH_MVE_ADD("q1", "q4"))
      "vldrb.s16 q6, [r1], #8\n\t" OPSMITH_MVE_TAP("q0", "q5", "q5", OPSMITH_MVE_ADD("q3", "q4"))
      "vldrh.u16 q4, [r0, #32]\n\t" OPSMITH_MVE_TAP("q2", "q4", "q5", OPSMITH_MVE_ADD("q1", "q5"))
      "vldrb.s16 q6, [r1], #8\n\t" OPSMITH_MVE_TAP("q0", "q4", "q4", OPSMITH_MVE_ADD("q3", "q5"))
      "vldrh.u16 q5, [r0, #48]\n\t" OPSMITH_MVE_TAP("q2", "q5", "q5", OPSMITH_MVE_ADD("q1", "q4"))
      "add r0, r6\n\t" OPSMITH_MVE_ADD("q3", "q5")
      "le lr, 2b\n\t"
      "sub r0, r8\n\t"
      "sub r1, r9\n\t"
      "vldrw.32 q6, [r4, #32]\n\t"
      "vrmulh.s32 q0, q0, q6\n\t"
      "vldrw.32 q7, [r4, #48]\n\t"
      "vrmulh.s32 q1, q1, q7\n\t"
      "vrmulh.s32 q2, q2, q6\n\t"
      "vrmulh.s32 q3, q3, q7\n\t"
      "vdup.16 q4, r11\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      "vqmovnb.s32 q2, q2\n\t"
      "vqmovnt.s32 q2, q3\n\t"
      "vdup.16 q5, r12\n\t"
      "vmax.s16 q0, q0, q4\n\t"
      "vmax.s16 q2, q2, q4\n\t"
      "vmin.s16 q0, q0, q5\n\t"
      "vmin.s16 q2, q2, q5\n\t"
      "vpst\n\t"
      "vstrht.16 q0, [r2]\n\t"
      "add r2, r10\n\t"
      "subs r3, #2\n\t"
      "blt 3f\n\t"
      "vpst\n\t"
      "vstrht.16 q2, [r2]\n\t"
      "add r2, r10\n\t"
      "bgt 1b\n"
      "3:"
      : "+r"(at)
      :
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "q0", "q1", "q2",
        "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

// Sums of channels 0, 2, 4, 6 and of 1, 3, 5, 7, of two samples.
struct PairSums {
  int32x4_t even0, odd0, even1, odd1;
};

// Adds the products of any number of taps.
inline void add_taps(const NarrowLines& g, const int16_t* x, const int8_t* w, PairSums& sums) {
  const int16_t* next = x + 8 * g.stride_sample;
  int32_t lines = g.filter_lines;
  register int32x4_t even0 __asm("q0") = sums.even0, odd0 __asm("q1") = sums.odd0;
  register int32x4_t even1 __asm("q2") = sums.even1, odd1 __asm("q3") = sums.odd1;
  __asm volatile(
      "1:\n\t"
      "dls lr, %[samples]\n"
      "2:\n\t"
      "vldrb.s16 q6, [%[w]], #8\n\t"
      "vldrh.u16 q4, [%[x]], #16\n\t" OPSMITH_MVE_TAP("q0", "q4", "q4", "")
      "vldrh.u16 q5, [%[next]], #16\n\t"
      OPSMITH_MVE_TAP("q2", "q5", "q5", OPSMITH_MVE_ADD("q1", "q4"))
      OPSMITH_MVE_ADD("q3", "q5")
      "le lr, 2b\n\t"
      "add %[x], %[skipped]\n\t"
      "add %[next], %[skipped]\n\t"
      "subs %[lines], #1\n\t"
      "bne 1b"
      : [x] "+r"(x), [next] "+r"(next), [w] "+l"(w), [lines] "+r"(lines), "+w"(even0), "+w"(odd0),
        "+w"(even1), "+w"(odd1)
      : [samples] "r"(g.filter_samples), [skipped] "r"(g.line_bytes - 16 * g.filter_samples)
      : "q4", "q5", "q6", "q7", "lr", "cc", "memory");
  sums = {even0, odd0, even1, odd1};
}

#undef OPSMITH_MVE_ADD
#undef OPSMITH_MVE_TAP

// Eight outputs from their sums.
inline int16x8_t eight_outputs(const NarrowLines& g, const EightChannels& constants, int32x4_t even,
                               int32x4_t odd) {
  even = vrmulhq_s32(even, vldrwq_s32(constants.multiplier));
  odd = vrmulhq_s32(odd, vldrwq_s32(constants.multiplier + 4));
  const int16x8_t all = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
  const int16x8_t above = vmaxq_s16(all, vdupq_n_s16(static_cast<int16_t>(g.activation_min)));
  return vminq_s16(above, vdupq_n_s16(static_cast<int16_t>(g.activation_max)));
}

// The same of any filters.
inline void line_of_outputs(const NarrowLines& g, const int16_t* x, const int8_t* w,
                            const EightChannels& constants, int32_t channels, int16_t* y) {
  const mve_pred16_t inside = vctp16q(channels);
  for (int32_t left = g.output_samples; left > 0; left -= 2, x += 16 * g.stride_sample) {
    const int32x4_t even = vldrwq_s32(constants.bias), odd = vldrwq_s32(constants.bias + 4);
    PairSums sums = {even, odd, even, odd};
    add_taps(g, x, w, sums);
    vstrhq_p_s16(y, eight_outputs(g, constants, sums.even0, sums.odd0), inside);
    y += g.output_sample_pitch;
    if (left == 1) return;
    vstrhq_p_s16(y, eight_outputs(g, constants, sums.even1, sums.odd1), inside);
    y += g.output_sample_pitch;
  }
}

// Copies line `line` of the input to its place in the ring: zeros where it is outside of the image.
inline void stage_line(const NarrowLines& g, const int16_t* image, int32_t line, int32_t channels,
                       int16_t* to) {
  const bool inside = line >= 0 && line < g.input_lines;
  const int16_t* from = image + (inside ? line * g.input_line_pitch : 0);
  __asm volatile(
      "vctp.16 %[channels]\n\t"
      "wls lr, %[samples], 2f\n"
      "1:\n\t"
      "vpst\n\t"
      "vldrht.u16 q0, [%[from]]\n\t"
      "add %[from], %[pitch]\n\t"
      "vstrh.16 q0, [%[to]], #16\n\t"
      "le lr, 1b\n"
      "2:"
      : [from] "+r"(from), [to] "+r"(to)
      : [channels] "r"(inside ? channels : 0), [samples] "r"(g.copied_samples),
        [pitch] "r"(2 * g.input_sample_pitch)
      : "q0", "p0", "lr", "cc", "memory");
}

// Up to eight channels of an image. Their weights are in scratch twice, so that they can begin with
// those of any line.
template <bool kThrees>
inline void group_of_channels(const NarrowLines& g, const int16_t* image,
                              const EightChannels& constants, int32_t channels,
                              const MveLinesScratch& scratch, int16_t* y) {
  LineOfThrees threes = lines_of_threes(g, scratch.strip, constants, channels);
  int32_t next = -g.padding_line;
  int32_t place = 0;  // in the ring, of the next line: that of the first one under the filter
  for (int32_t line = 0; line < g.output_lines; ++line, y += g.output_line_pitch) {
    const int32_t top = line * g.stride_line - g.padding_line;
    for (next = max(next, top); next < top + g.filter_lines; ++next) {
      stage_line(g, image, next, channels,
                 scratch.strip + place * g.line_bytes / 2 + 8 * g.padding_sample);
      if (++place == g.filter_lines) place = 0;
    }
    const int8_t* weights = scratch.weights + 8 * (g.filter_lines - place) * g.filter_samples;
    if constexpr (kThrees) {
      threes.w = weights;
      threes.y = y;
      line_of_threes(threes);
    } else {
      line_of_outputs(g, scratch.strip, weights, constants, channels, y);
    }
  }
}

template <bool kThrees>
inline __attribute__((noinline)) void all_groups(const NarrowLines& g, const int16_t* x, int16_t* y,
                                                 const MveLinesTables& tables,
                                                 const MveLinesScratch& scratch) {
  const int32_t of_group = 8 * g.filter_lines * g.filter_samples;
  // The border stays: all else in the ring is written again before it is read.
  mve::fill(reinterpret_cast<int8_t*>(scratch.strip), 0, g.line_bytes * g.filter_lines);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_size, y += g.output_size) {
    const int8_t* weights = tables.filter;
    for (int32_t c = 0; c < g.channels; c += 8, weights += of_group) {
      mve::copy(scratch.weights, weights, of_group);
      mve::copy(scratch.weights + of_group, weights, of_group);
      group_of_channels<kThrees>(g, x + c, tables.requantization[c / 8], g.channels - c, scratch,
                                 y + c);
    }
  }
}

template <const MveLinesParams& kParams>
constexpr bool has_threes(const StaticMveLines<kParams>&) {
  return kParams.threes;
}
template <class P>
constexpr bool has_threes(const P&) {
  return false;
}

template <class P>
void mve_lines(const P&, const In<int16_t>& in, const Out<int16_t>& out,
               const MveLinesTables& tables, const MveLinesScratch& scratch) {
  all_groups<has_threes(P{})>(*tables.geometry, in.x, out.y, tables, scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
