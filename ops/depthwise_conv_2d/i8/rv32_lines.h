// Needs RV32M. Fast because a weight that is loaded serves four outputs of a line, whose sums are
// in registers. For filters of any size; a channel is first copied into a plane with its border.
#pragma once

#include "ops/depthwise_conv_2d/i8/rv32.h"

namespace opsmith::depthwise_conv_2d::i8 {
namespace planes {

inline constexpr int32_t kOutputs = 4;

// Where lines of a plane, of a filter and of outputs are. Distances are bytes.
struct Lines {
  int32_t lines, samples;            // of y
  int32_t step, stride;              // from window to window: to the next line, and in a line
  int32_t filter_lines, down, taps;  // down: from a line of a window to the next
  int32_t to_line, to_sample;        // of y
};

// The sums of four outputs, of which each reads `stride` inputs beyond the one before: 1, where
// kTaps says how many weights a line has, which then have no loop. One function for all layers.
template <int32_t kTaps>
__attribute__((noinline)) void four_sums(const Lines& at, const int8_t* x, const int8_t* w,
                                         int32_t (&sums)[kOutputs]) {
  const int32_t taps = kTaps == 0 ? at.taps : kTaps, down = at.down;
  const int32_t stride = kTaps == 0 ? at.stride : 1;
  int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (int32_t lines = at.filter_lines; lines > 0; --lines, x += down) {
    const int8_t *first = x, *second = x + stride;
    const int8_t *third = second + stride, *fourth = third + stride;
#pragma GCC unroll 7
    for (int32_t i = 0; i < taps; ++i, ++w) {
      sum0 += *w * *first++, sum1 += *w * *second++;
      sum2 += *w * *third++, sum3 += *w * *fourth++;
    }
  }
  sums[0] = sum0, sums[1] = sum1, sums[2] = sum2, sums[3] = sum3;
}

// All outputs of a channel. One function for all layers.
template <class O, class C>
__attribute__((noinline)) void lines_of_channel(const Lines& at, const O& outputs,
                                                const int8_t* plane, const int8_t* w,
                                                const C& constants, int8_t* y) {
  const C channel = constants;
  const O o = outputs;
  const int32_t pitch = at.to_sample, right = kOutputs * at.stride;
  const int32_t unrolled = at.stride == 1 ? at.taps : 0;
  for (int32_t line = 0; line < at.lines; ++line) {
    const int8_t* x = plane + line * at.step;
    int8_t* to = y + line * at.to_line;
    for (int32_t left = at.samples; left > 0; left -= kOutputs, x += right) {
      int32_t sums[kOutputs];
      if (unrolled == 5) {
        four_sums<5>(at, x, w, sums);
      } else if (unrolled == 7) {
        four_sums<7>(at, x, w, sums);
      } else {
        four_sums<0>(at, x, w, sums);
      }
      for (int32_t i = 0; i < min(left, kOutputs); ++i, to += pitch) {
        *to = requantize_sum(o, sums[i], channel);
      }
    }
  }
}

// Corrects the outputs of a channel that have the sum of one of its exceptions, and returns the
// next channel's. Shared by all layers.
__attribute__((noinline, cold)) inline const Exception* corrected(const Lines& at,
                                                                  const Exception* e,
                                                                  const int8_t* plane,
                                                                  const int8_t* w, int8_t* y) {
  for (const int32_t c = e->channel(); e->channel() == c; ++e) {
    for (int32_t i = 0; i < at.lines * at.samples; ++i) {
      const int32_t line = i / at.samples, sample = i - line * at.samples;
      int8_t& to = y[line * at.to_line + sample * at.to_sample];
      if (to != e->line()) continue;
      const int8_t* x = plane + line * at.step + sample * at.stride;
      int32_t sum = 0;
      for (int32_t f = 0; f < at.filter_lines * at.taps; ++f) {
        sum += w[f] * x[f / at.taps * at.down + f % at.taps];
      }
      if (sum == e->sum) to = e->output();
    }
  }
  return e;
}

// Copies one channel of an image into the inside of the plane, line by line.
template <class P>
void fill_lines(const P& p, const int8_t* image, int8_t* plane) {
  const int32_t pitch = p.input_sample_pitch, samples = p.copied_samples;
  int8_t* to = plane + p.padding_line * p.plane_pitch + p.padding_sample;
  for (int32_t i = 0; i < p.copied_lines; ++i, to += p.plane_pitch, image += p.input_line_pitch) {
    const int8_t* x = image;
#pragma GCC unroll 4
    for (int32_t j = 0; j < samples; ++j, x += pitch) to[j] = *x;
  }
}

// The whole convolution.
template <class P>
void convolve_lines(const P& given, const In<int8_t>& in, const Out<int8_t>& out,
                    const Packed& tables, int8_t* plane) {
  const P p = given;  // which y may alias
  const Lines at = {p.output_lines,   p.output_samples,    p.stride_line * p.plane_pitch,
                    p.stride_sample,  p.filter_lines,      p.dilation_line * p.plane_pitch,
                    p.filter_samples, p.output_line_pitch, p.output_sample_pitch};
  memset(plane, p.input_zero_point, static_cast<size_t>(p.plane_bytes));
  for (int32_t b = 0; b < p.batches; ++b) {
    int8_t* y = out.y + b * p.output_bytes;
    const int8_t* w = tables.filter;
    const Exception* e = exceptions_of(p, tables.requantization);
    for (int32_t i = 0, c = 0; i < p.channels; ++i) {
      fill_lines(p, in.x + b * p.input_bytes + i, plane);
      for (int32_t f = 0; f < p.channel_multiplier; ++f, ++c, ++y) {
        output_channel(
            p, tables.requantization, c, e,
            [&](const auto& o, const auto& constants) {
              lines_of_channel(at, o, plane, w, constants, y);
            },
            [&](const Exception* first) { return corrected(at, first, plane, w, y); });
        w += at.filter_lines * at.taps;
      }
    }
  }
}

}  // namespace planes

template <class P, class S>
void rv32_lines(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
                const S& scratch) {
  planes::convolve_lines(p, in, out, tables, scratch.plane);
}

}  // namespace opsmith::depthwise_conv_2d::i8
