// Needs Helium. Fast because one VMLADAV is a window of a channel: its taps, up to sixteen, are
// neighbours in a strip, which lines of samples (rows of pixels, or columns) are spread to. Eight
// channels at a time, the lines under the filter lie in it as a ring, with their border, so each is
// read once and y may replace x; the weights are turned with the ring.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/i8/mve_outputs.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d::i8 {

// What the assembly may know when it is compiled. All of it holds for any node.
struct Known {
  int32_t step = 0;  // of LinesParams, or 0: told at run time
  bool linear = true;
  bool clamps = true;
};
template <const LinesParams& kParams>
constexpr Known known(const StaticLines<kParams>&) {
  return {kParams.step, kParams.linear, kParams.clamps};
}
template <class P>
constexpr Known known(const P&) {
  return {};
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
                              const MveLinesScratch& scratch) {
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
    outs.constants = t.requantization;
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
                                               const MveLinesScratch& scratch) {
  Line line = prepared(g, step);
  const LinesTables all = t;
  // The border stays: all else in the strips is written again before it is read.
  mve::fill(scratch.strip, static_cast<int8_t>(g.input_zero_point), 8 * g.strip_bytes);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_bytes, y += g.output_bytes, t = all) {
    for (int32_t c = 0; c < g.channels; c += 8) {
      const int32_t size = g.channels - c < 8 ? g.channels - c : 8;
      group_of_channels<kStep, kLinear, kClamps>(g, line, x + c, y + c, size, t, scratch);
      t.filter += 8 * g.filter_lines * g.filter_samples;
      t.requantization += 2;
    }
  }
}

template <class P>
void mve_lines(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const LinesTables& tables,
               const MveLinesScratch& scratch) {
  constexpr Known kKnown = known(P{});
  convolve<kKnown.step, kKnown.linear, kKnown.clamps>(*tables.geometry, p.step, in.x, out.y, tables,
                                                      scratch);
}

}  // namespace opsmith::depthwise_conv_2d::i8
