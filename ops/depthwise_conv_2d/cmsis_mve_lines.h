// Needs Helium. Fast because one VMLADAV is a window of a channel: its taps, up to sixteen, are
// neighbours in a strip, which lines of samples (rows of pixels, or columns) are spread to. Eight
// channels at a time, the lines under the filter lie in it as a ring, with their border, so each is
// read once and y may replace x; the weights are turned with the ring.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d {

// What the table of that name holds, in this order. Pitches are bytes from one to the next.
struct LinesGeometry {
  int32_t batches;
  int32_t channels;
  int32_t input_bytes;  // of an image
  int32_t output_bytes;
  int32_t input_lines;
  int32_t copied_samples;  // of a line of the input
  int32_t input_line_pitch;
  int32_t input_sample_pitch;
  int32_t output_lines;
  int32_t output_samples;
  int32_t output_line_pitch;
  int32_t output_sample_pitch;
  int32_t filter_lines;
  int32_t filter_samples;
  int32_t stride_line;
  int32_t padding_line;
  int32_t padding_sample;
  int32_t strip_bytes;  // of a channel
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t activation_min;
  int32_t activation_max;
};

// What the assembly may know when it is compiled. All of it holds for any node.
struct Known {
  int32_t step = 0;  // of LinesShape, or 0: told at run time
  bool linear = true;
  bool clamps = true;
};
template <const LinesShape& kShape>
constexpr Known known(const StaticLines<kShape>&) {
  return {kShape.step, kShape.linear, kShape.clamps};
}
template <class S>
constexpr Known known(const S&) {
  return {};
}

// What the assembly below keeps in memory, by these offsets.
struct Line {
  const int8_t* x;        // 0: the strip of the first of four channels
  int32_t strip_bytes;    // 4
  const int32_t* table;   // 8: biases, multipliers and shifts of the channels
  int32_t zero_point;     // 12
  int32_t pair_pitch;     // 16: bytes from the outputs of a pair to those of the next
  const int8_t* end;      // 20: of the pairs, in the first strip
  const int8_t* weights;  // 24: a vector for each channel
  int8_t* y;              // 28
  int32_t channels;       // 32: that are left
  int32_t odd;            // 36: whether a sample is left behind the pairs
  int32_t step;           // 40
  int32_t unused;         // 44: vectors are aligned to 8 bytes
  int16x8_t low;          // 48
  int16x8_t high;         // 64
  uint16x8_t places;      // 80: of the outputs first[0], second[0], first[1] and so on
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
  "vmladav.s8 " second ", q1, " weights "\n\t"

// A line of outputs, four channels and two samples at a time. In assembly as a whole, since sums
// have to be in the even registers, all of them; the odd ones are pointers and r11 is all else.
template <int32_t kStep, bool kLinear, bool kClamps>
inline __attribute__((always_inline)) void outputs(Line& line) {
  register Line* frame __asm("r11") = &line;
  __asm volatile(
      "vldrw.32 q3, [r11, #80]\n"
      "1:\n\t"  // four channels
      "ldrd r0, r9, [r11, #24]\n\t"
      "vldrb.8 q4, [r0]\n\t"
      "vldrb.8 q5, [r0, #16]\n\t"
      "vldrb.8 q6, [r0, #32]\n\t"
      "vldrb.8 q7, [r0, #48]\n\t"
      "ldrd r1, r2, [r11]\n\t"
      "ldr r6, [r11, #20]\n\t"
      "ldr r0, [r11, #32]\n\t"
      "add r3, r1, r2\n\t"
      "add r5, r3, r2\n\t"
      "add r7, r5, r2\n\t"
      "vctp.32 r0\n\t"
      "cmp r1, r6\n\t"
      "beq 3f\n"
      "2:\n\t"  // two samples
      ".ifeq %c[step]\n\t"
      "ldr lr, [r11, #40]\n\t"
      ".endif\n\t"  //
      OPSMITH_MVE_WINDOWS("r1", "q4", "r0", "r8") OPSMITH_MVE_WINDOWS("r3", "q5", "r2", "r10")
          OPSMITH_MVE_WINDOWS("r5", "q6", "r4", "r12") OPSMITH_MVE_WINDOWS("r7", "q7", "r6", "lr")
      // As mve::requantize(). Where no output is below the zero point before the clamp, it makes
      // nothing of how negative numbers are rounded.
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldrd r0, r2, [r11, #8]\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "vldrw.32 q2, [r0]\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "vadd.i32 q0, q0, q2\n\t"
      "vadd.i32 q1, q1, q2\n\t"
      "vldrw.32 q2, [r0, #16]\n\t"
      "vqrdmulh.s32 q0, q0, q2\n\t"
      "vqrdmulh.s32 q1, q1, q2\n\t"
      "vldrb.s32 q2, [r0, #32]\n\t"
      ".if %c[linear]\n\t"
      "mov r0, #1\n\t"
      "vqdmlah.s32 q0, q0, r0\n\t"
      "vqdmlah.s32 q1, q1, r0\n\t"
      ".endif\n\t"
      "vrshl.s32 q0, q0, q2\n\t"
      "vrshl.s32 q1, q1, q2\n\t"
      "ldrd r4, r6, [r11, #16]\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      "vqadd.s16 q0, q0, r2\n\t"
      ".if %c[clamps]\n\t"
      "vldrw.32 q2, [r11, #48]\n\t"
      "vmax.s16 q0, q0, q2\n\t"
      "vldrw.32 q2, [r11, #64]\n\t"
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
      "ldr r0, [r11, #36]\n\t"
      "cbz r0, 4f\n\t"
      "vmrs r0, p0\n\t"
      "and r0, #0x33333333\n\t"
      "vmsr p0, r0\n\t"
      "b 2b\n"
      "4:\n\t"
      "ldr r0, [r11, #32]\n\t"
      "subs r0, #4\n\t"
      "ble 5f\n\t"
      "str r0, [r11, #32]\n\t"
      "ldrd r1, r2, [r11]\n\t"
      "ldrd r3, r4, [r11, #8]\n\t"
      "ldr r6, [r11, #20]\n\t"
      "ldrd r8, r9, [r11, #24]\n\t"
      "add r1, r1, r2, lsl #2\n\t"
      "add r3, #36\n\t"
      "add r6, r6, r2, lsl #2\n\t"
      "add r8, #64\n\t"
      "add r9, #4\n\t"
      "str r1, [r11]\n\t"
      "str r3, [r11, #8]\n\t"
      "str r6, [r11, #20]\n\t"
      "strd r8, r9, [r11, #24]\n\t"
      "b 1b\n"
      "5:"
      : [frame] "+r"(frame)
      : [step] "i"(kStep), [linear] "i"(kLinear), [clamps] "i"(kClamps)
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r12", "lr", "q0", "q1",
        "q2", "q3", "q4", "q5", "q6", "q7", "p0", "cc", "memory");
}

// Copies the samples of up to eight channels, each to its strip. Behind the last channel, zeros.
inline void spread(const LinesGeometry& g, const int8_t* from, int32_t channels, int8_t* to) {
  const uint16x8_t strips = vmulq_n_u16(vidupq_n_u16(0, 1), g.strip_bytes);
  if (channels == 8) {
    __asm volatile(
        "wls lr, %[samples], 2f\n"
        "1:\n\t"
        "vldrb.s16 q0, [%[from]]\n\t"
        "add %[from], %[pitch]\n\t"
        "vstrb.16 q0, [%[to], %q[strips]]\n\t"
        "add %[to], %[lines]\n\t"
        "le lr, 1b\n"
        "2:"
        : [from] "+l"(from), [to] "+r"(to)
        : [samples] "r"(g.copied_samples), [pitch] "r"(g.input_sample_pitch),
          [lines] "r"(g.filter_lines), [strips] "w"(strips)
        : "lr", "q0", "cc", "memory");
    return;
  }
  const mve_pred16_t inside = vctp16q(channels);
  for (int32_t i = 0; i < g.copied_samples; ++i, to += g.filter_lines) {
    vstrbq_scatter_offset_s16(to, strips, vldrbq_z_s16(from, inside));
    from += g.input_sample_pitch;
  }
}

// Sets the same bytes of the strips to the zero point.
inline void spread_border(const LinesGeometry& g, int8_t* to) {
  const uint16x8_t strips = vmulq_n_u16(vidupq_n_u16(0, 1), g.strip_bytes);
  const int16x8_t border = vdupq_n_s16(g.input_zero_point);
  for (int32_t i = 0; i < g.copied_samples; ++i, to += g.filter_lines) {
    vstrbq_scatter_offset_s16(to, strips, border);
  }
}

// Puts line `line` of the input, which may be outside the image, in its place in the strips.
inline void stage_line(const LinesGeometry& g, const int8_t* image, int32_t line, int32_t channels,
                       int8_t* strip) {
  int8_t* to = strip + (line + g.padding_line) % g.filter_lines + g.padding_sample * g.filter_lines;
  if (line < 0 || line >= g.input_lines) return spread_border(g, to);
  spread(g, image + line * g.input_line_pitch, channels, to);
}

// The weights of up to eight channels as the strips have the taps: a vector each, with zeros.
inline void stage_weights(const LinesGeometry& g, const uint8_t* order, const int8_t* filter,
                          int32_t channels, int8_t* weights) {
  const int32_t taps = g.filter_lines * g.filter_samples;
  __asm volatile(
      "vldrb.8 q1, [%[order]]\n\t"
      "vctp.8 %[taps]\n\t"
      "dls lr, %[channels]\n"
      "1:\n\t"
      "vpst\n\t"
      "vldrbt.u8 q0, [%[filter], q1]\n\t"
      "add %[filter], %[taps]\n\t"
      "vstrb.8 q0, [%[weights]], #16\n\t"
      "le lr, 1b"
      : [filter] "+r"(filter), [weights] "+r"(weights)
      : [order] "r"(order), [taps] "r"(taps), [channels] "r"(channels)
      : "lr", "q0", "q1", "p0", "cc", "memory");
}

// What is the same for all of them.
inline Line prepared(const LinesGeometry& g, int32_t step) {
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second = vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), g.output_sample_pitch);
  Line line;
  line.strip_bytes = g.strip_bytes;
  line.zero_point = g.output_zero_point;
  line.pair_pitch = 2 * g.output_sample_pitch;
  line.odd = g.output_samples % 2;
  line.step = step;
  line.places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
  line.low = vdupq_n_s16(g.activation_min);
  line.high = vdupq_n_s16(g.activation_max);
  return line;
}

// Up to eight channels of an image, whose constants begin where `t` says.
template <int32_t kStep, bool kLinear, bool kClamps>
inline void group_of_channels(const LinesGeometry& g, Line& outs, const int8_t* image, int8_t* y,
                              int32_t channels, const LinesTables& t,
                              const CmsisMveLinesScratch& scratch) {
  int32_t next = -g.padding_line;
  for (int32_t line = 0; line < g.output_lines; ++line, y += g.output_line_pitch) {
    const int32_t top = line * g.stride_line - g.padding_line;
    for (next = next < top ? top : next; next < top + g.filter_lines; ++next) {
      stage_line(g, image, next, channels, scratch.strip);
    }
    if (line == 0 || g.filter_lines > 1) {
      const int32_t turned = line * g.stride_line % g.filter_lines;
      stage_weights(g, t.order + 16 * turned, t.filter, channels, scratch.weights);
    }
    outs.x = scratch.strip;
    outs.table = t.requantization;
    outs.end = outs.x + g.output_samples / 2 * 2 * outs.step;
    outs.weights = scratch.weights;
    outs.y = y;
    outs.channels = channels;
    outputs<kStep, kLinear, kClamps>(outs);
  }
}

template <int32_t kStep, bool kLinear, bool kClamps>
inline __attribute__((noinline)) void convolve(const LinesGeometry& g, int32_t step,
                                               const int8_t* x, int8_t* y, LinesTables t,
                                               const CmsisMveLinesScratch& scratch) {
  Line line = prepared(g, step);
  const LinesTables all = t;
  // The border stays: all else in the strips is written again before it is read.
  mve::fill(scratch.strip, static_cast<int8_t>(g.input_zero_point), 8 * g.strip_bytes);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_bytes, y += g.output_bytes, t = all) {
    for (int32_t c = 0; c < g.channels; c += 8) {
      const int32_t size = g.channels - c < 8 ? g.channels - c : 8;
      group_of_channels<kStep, kLinear, kClamps>(g, line, x + c, y + c, size, t, scratch);
      t.filter += 8 * g.filter_lines * g.filter_samples;
      t.requantization += 2 * 9;
    }
  }
}

template <class S>
void depthwise_conv_2d_i8_cmsis_mve_lines(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                                          const LinesTables& tables,
                                          const CmsisMveLinesScratch& scratch) {
  constexpr Known kKnown = known(S{});
  const LinesGeometry& g = *reinterpret_cast<const LinesGeometry*>(tables.geometry);
  convolve<kKnown.step, kKnown.linear, kKnown.clamps>(g, s.step, in.x, out.y, tables, scratch);
}

#undef OPSMITH_MVE_WINDOWS

}  // namespace opsmith::depthwise_conv_2d
