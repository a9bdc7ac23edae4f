// The walk of mve_lines.h through images, for int8 and uint8: its geometry and tables are those of
// mve_lines.py.
#pragma once

#include "ops/depthwise_conv_2d/mve_outputs.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d {

// Copies the samples of up to eight channels, each to its strip, uint8 as int8 that are 128 less.
// After the last channel come zeros, or other values that nobody reads.
template <bool kUnsigned, class LinesGeometry>
inline void spread(const LinesGeometry& g, const int8_t* from, int32_t channels, int8_t* to) {
  const uint16x8_t strips = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(g.strip_bytes));
  const int16x8_t sign = kUnsigned ? vdupq_n_s16(0x80) : vreinterpretq_s16_u16(strips);
  if (channels == 8) {
    __asm volatile(
        "wls lr, %[samples], 2f\n"
        "1:\n\t"
        "vldrb.s16 q0, [%[from]]\n\t"
        "add %[from], %[pitch]\n\t"
        ".if %c[flips]\n\t"
        "veor q0, q0, %q[sign]\n\t"
        ".endif\n\t"
        "vstrb.16 q0, [%[to], %q[strips]]\n\t"
        "add %[to], %[lines]\n\t"
        "le lr, 1b\n"
        "2:"
        : [from] "+l"(from), [to] "+r"(to)
        : [samples] "r"(g.copied_samples), [pitch] "r"(g.input_sample_pitch),
          [lines] "r"(g.filter_lines), [strips] "w"(strips), [flips] "i"(kUnsigned),
          [sign] "w"(sign)
        : "lr", "q0", "cc", "memory");
    return;
  }
  const mve_pred16_t inside = vctp16q(channels);
  for (int32_t i = 0; i < g.copied_samples; ++i, to += g.filter_lines) {
    const int16x8_t sample = vldrbq_z_s16(from, inside);
    vstrbq_scatter_offset_s16(to, strips, kUnsigned ? veorq_s16(sample, sign) : sample);
    from += g.input_sample_pitch;
  }
}

// Sets the same bytes of the strips to the zero point.
template <class LinesGeometry>
inline void spread_border(const LinesGeometry& g, int8_t* to) {
  const uint16x8_t strips = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(g.strip_bytes));
  const int16x8_t border = vdupq_n_s16(static_cast<int16_t>(g.input_zero_point));
  for (int32_t i = 0; i < g.copied_samples; ++i, to += g.filter_lines) {
    vstrbq_scatter_offset_s16(to, strips, border);
  }
}

// Puts line `line` of the input, which may be outside the image, in its place in the strips.
template <bool kUnsigned, class LinesGeometry>
inline void stage_line(const LinesGeometry& g, const int8_t* image, int32_t line, int32_t channels,
                       int8_t* strip) {
  int8_t* to = strip + (line + g.padding_line) % g.filter_lines + g.padding_sample * g.filter_lines;
  if (line < 0 || line >= g.input_lines) return spread_border(g, to);
  spread<kUnsigned>(g, image + line * g.input_line_pitch, channels, to);
}

// The weights of up to eight channels as the strips have the taps: a vector each, with zeros.
template <class LinesGeometry>
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
template <class Form, class LinesGeometry>
inline Line prepared(const LinesGeometry& g, int32_t step) {
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second =
      vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), static_cast<uint16_t>(g.output_sample_pitch));
  Line line;
  line.strip_bytes = g.strip_bytes;
  line.zero_point = g.output_zero_point;
  line.pair_pitch = 2 * g.output_sample_pitch;
  line.odd = g.output_samples % 2;
  line.step = step;
  line.places = vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
  line.low = vdupq_n_s16(static_cast<int16_t>(g.activation_min));
  line.high = vdupq_n_s16(static_cast<int16_t>(g.activation_max));
  if constexpr (Form::kOffset) {
    const mve_pred16_t taps = vctp8q(static_cast<uint32_t>(g.filter_lines * g.filter_samples));
    line.offset = vpselq_s8(vdupq_n_s8(static_cast<int8_t>(g.weights_offset)), vdupq_n_s8(0), taps);
  }
  return line;
}

// Up to eight channels of an image, whose constants begin where `t` says.
template <class Form, class LinesGeometry, class Tables, class Scratch>
inline void group_of_channels(const LinesGeometry& g, Line& outs, const int8_t* image, int8_t* y,
                              int32_t channels, const Tables& t, const Scratch& scratch) {
  int32_t next = -g.padding_line;
  for (int32_t line = 0; line < g.output_lines; ++line, y += g.output_line_pitch) {
    const int32_t top = line * g.stride_line - g.padding_line;
    for (next = next < top ? top : next; next < top + g.filter_lines; ++next) {
      stage_line<Form::kUnsigned>(g, image, next, channels, scratch.strip);
    }
    if (line == 0 || g.filter_lines > 1) {
      const int32_t turned = line * g.stride_line % g.filter_lines;
      stage_weights(g, t.order + 16 * turned, t.filter, channels, scratch.weights);
    }
    outs.x = scratch.strip;
    outs.end = outs.x + g.output_samples / 2 * 2 * outs.step;
    outs.weights = scratch.weights;
    outs.y = y;
    outs.channels = channels;
    outputs<Form>(outs, t.requantization);
  }
}

template <class Form, class LinesGeometry, class Tables, class Scratch>
inline __attribute__((noinline)) void all_groups(const LinesGeometry& g, int32_t step,
                                                 const int8_t* x, int8_t* y, Tables t,
                                                 const Scratch& scratch) {
  Line line = prepared<Form>(g, step);
  const Tables all = t;
  // The border stays: all else in the strips is written again before it is read.
  mve::fill(scratch.strip, static_cast<int8_t>(g.input_zero_point), 8 * g.strip_bytes);
  for (int32_t b = 0; b < g.batches; ++b, x += g.input_bytes, y += g.output_bytes, t = all) {
    for (int32_t c = 0; c < g.channels; c += 8) {
      const int32_t size = g.channels - c < 8 ? g.channels - c : 8;
      group_of_channels<Form>(g, line, x + c, y + c, size, t, scratch);
      t.filter += 8 * g.filter_lines * g.filter_samples;
      t.requantization += 2;
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d
