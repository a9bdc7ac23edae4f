// Needs the DSP extension. Fast because four channels at a time are copied to planes of halfwords,
// strip by strip: a word of an image is taken apart for four channels at once, and a word of a
// plane has two neighbours that SMLAD takes as they are. For filters of 3x3 and steps of two.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "ops/depthwise_conv_2d/dsp_half_rows.h"
#include "runtimes/cmsis/dsp_clamp.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::depthwise_conv_2d::i8 {

// Two neighbours, a pixel apart, of four channels or of one: a word in each plane.
template <int32_t kChannels>
__attribute__((always_inline)) inline void copy_two(const int8_t* x, int32_t pixel, int32_t plane,
                                                    int8_t* to) {
  if constexpr (kChannels == 1) {
    const int32_t left = x[0], right = x[pixel];
    dsp::store_word(to, dsp::pkhbt(static_cast<uint32_t>(left), static_cast<uint32_t>(right)));
  } else {
    const uint32_t left = dsp::load_word(x), right = dsp::load_word(x + pixel);
    const uint32_t left02 = dsp::sxtb16(left), left13 = dsp::sxtb16_ror8(left);
    const uint32_t right02 = dsp::sxtb16(right), right13 = dsp::sxtb16_ror8(right);
    dsp::store_word(to, dsp::pkhbt(left02, right02));
    dsp::store_word(to + plane, dsp::pkhbt(left13, right13));
    dsp::store_word(to + 2 * plane, dsp::pkhtb(right02, left02));
    dsp::store_word(to + 3 * plane, dsp::pkhtb(right13, left13));
  }
}

// A pixel: a halfword in each plane.
template <int32_t kChannels>
__attribute__((always_inline)) inline void copy_one(const int8_t* x, int32_t plane, int8_t* to) {
#pragma GCC unroll 4
  for (int32_t i = 0; i < kChannels; ++i, to += plane) *reinterpret_cast<int16_t*>(to) = x[i];
}

// Pixels of a row of an image that the planes have.
template <class P>
constexpr int32_t pixels_copied(const P& p) {
  const int32_t room = p.plane_pitch / 2 - p.padding_left;
  return room < p.input_width ? room : p.input_width;
}

// These pixels of some channels; words of a plane begin with every other column.
template <int32_t kChannels, class P>
__attribute__((always_inline)) inline void copy_row(const P& p, const int8_t* x, int8_t* to) {
  const int32_t before = p.padding_left & 1, rest = pixels_copied(p) - before;
  const int32_t pixel = p.input_channels, plane = p.plane_bytes;
  if (before) copy_one<kChannels>(x, plane, to);
  x += before * pixel, to += 2 * before;
  for (int32_t eights = rest / 8; eights > 0; --eights, x += 8 * pixel, to += 16) {
#pragma GCC unroll 4
    for (int32_t i = 0; i < 4; ++i)
      copy_two<kChannels>(x + 2 * i * pixel, pixel, plane, to + 4 * i);
  }
#pragma GCC unroll 4
  for (int32_t twos = rest / 2 % 4; twos > 0; --twos, x += 2 * pixel, to += 4) {
    copy_two<kChannels>(x, pixel, plane, to);
  }
  if (rest & 1) copy_one<kChannels>(x, plane, to);
}

// N bytes of each of four planes become a zero point. Shared by all layers.
__attribute__((noinline)) inline void clear(int32_t zero_point, int32_t plane, int32_t bytes,
                                            int8_t* to) {
  const uint32_t zeros = dsp::in_both_halves(zero_point);
  for (int32_t i = 0; i < 4; ++i, to += plane) {
#pragma GCC unroll 4
    for (int32_t j = 0; j < bytes; j += 4) dsp::store_word(to + j, zeros);
  }
}

// Copies N rows of an image from row y on. The columns beside it stay as they are, and so do the
// rows beyond it where there is one strip.
template <class P>
__attribute__((always_inline)) inline void fill_strip(const P& p, const int8_t* x, int32_t y,
                                                      int32_t rows, int32_t channels,
                                                      int8_t* planes) {
  const int32_t pitch = p.input_width * p.input_channels;
  const int32_t first = clamp(-y, 0, rows), end = clamp(p.input_height - y, first, rows);
  if (p.strip_rows < p.output_height) {
    const int32_t above = first * p.plane_pitch, to_end = end * p.plane_pitch;
    if (above > 0) clear(p.input_zero_point, p.plane_bytes, above, planes);
    const int32_t under = rows * p.plane_pitch - to_end;
    if (under > 0) clear(p.input_zero_point, p.plane_bytes, under, planes + to_end);
  }
  const int8_t* from = x + (y + first) * pitch;
  int8_t* to = planes + first * p.plane_pitch + 2 * p.padding_left;
  for (int32_t left = end - first; left > 0; --left, from += pitch, to += p.plane_pitch) {
    if (channels == 4 || p.input_channels % 4 == 0) {
      copy_row<4>(p, from, to);
    } else {
      for (int32_t i = 0; i < channels; ++i) copy_row<1>(p, from + i, to + i * p.plane_bytes);
    }
  }
}

// Where the windows of a strip of N rows and their outputs are.
template <class P>
constexpr WindowsOfPlane strip_windows(const P& p, int32_t rows) {
  const Pitches of_y = row_pitches(p, p.output_width);
  const int32_t pitch = p.plane_pitch;
  return {rows, p.output_width, pitch, p.stride_height * pitch, 4, of_y.row, of_y.pixel};
}

// The outputs of a channel of a strip, where they have other constants than an instance's.
template <class P, class C>
void strip_channel(const P& p, const int8_t* plane, const dsp::Weights3x3& w, const C& channel,
                   int32_t rows, int8_t* y) {
  const dsp::Outputs o = {p.left_shift, p.right_shift, p.activation_min, p.activation_max};
  half_channel(strip_windows(p, rows), plane, w, channel, o, y);
}

// The outputs of a channel of an instance, which are not of one that rounds once.
template <class P, class O, class C>
void strip_channel(const P& p, const O& /*outputs*/, const int8_t* plane, const dsp::Weights3x3& w,
                   const C& channel, int32_t rows, int8_t* y) {
  strip_channel(p, plane, w, channel, rows, y);
}
template <class P, int32_t kLeft, int32_t kRight, class C>
void strip_channel(const P&, const dsp::StaticOutputs<kLeft, kRight, -128, 127>& /*outputs*/,
                   const int8_t* plane, const dsp::Weights3x3& w, const C& channel, int32_t rows,
                   int8_t* y) {
  half_rows<P>(plane, w, channel, rows, y);
}

// Channels of a strip, and the first exception of these or later ones.
struct Channels {
  int32_t first, end;
  const Exception* exception;
};

// N rows of outputs of some channels. Returns the first exception of a later one.
template <class P>
__attribute__((always_inline)) inline const Exception* strip_outputs(const P& p,
                                                                     const int8_t* planes,
                                                                     const Packed& tables,
                                                                     const Channels& channels,
                                                                     int32_t rows, int8_t* y) {
  constexpr const P* kKind = nullptr;
  if (p.strip_rows >= p.output_height) rows = p.output_height;
  const auto all = dsp::outputs_of<int8_t>(p, &P::left_shift);
  const auto outputs = dsp::of_others(dsp::unclamped<int8_t>(all));
  const auto* thresholds = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
  const auto* roundings = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
  [[maybe_unused]] const Exception* e = channels.exception;
  for (int32_t c = channels.first; c < channels.end; ++c, planes += p.plane_bytes) {
    const int8_t* filter = tables.filter + 12 * c;
    const dsp::Weights3x3 w = dsp::unpacked_3x3(filter);
    if (p.right_shift == 0 && !is_listed(kKind)) {
      if (has_own(kKind) && roundings[c].rounds_once()) {
        strip_channel(p, planes, w, roundings[c], rows, y + c);
      } else {
        strip_channel(p, outputs, planes, w, roundings[c], rows, y + c);
      }
    } else if (has_own(kKind) && thresholds[c].is_own()) {
      strip_channel(p, planes, w, thresholds[c].own(), rows, y + c);
    } else {
      strip_channel(p, outputs, planes, w, thresholds[c], rows, y + c);
    }
    if constexpr (is_listed(kKind)) {
      if (e->channel() != c) continue;
      dsp::clamp_channel(p, rows * p.output_width, p.input_channels, y + c);
      const WindowsOfPlane at = strip_windows(p, rows);
      e = correct_channel<int16_t>(&at, e, planes, filter, y + c);
    }
  }
  return e;
}

template <class P, class S>
void dsp_quads(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
               const S& scratch) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t row_size = p.output_width * p.input_channels;
  int8_t* planes = reinterpret_cast<int8_t*>(scratch.planes);
  clear(p.input_zero_point, p.plane_bytes, p.plane_bytes, planes);
  for (int32_t b = 0; b < p.batches; ++b) {
    Channels channels = {0, 0, exceptions_of(p, tables.requantization)};
    for (int32_t c = 0; c < p.input_channels; c += 4) {
      const int32_t after = p.input_channels - c, count = after < 4 ? after : 4;
      const Exception* next = channels.exception;
      channels.first = c, channels.end = c + count;
      for (int32_t row = 0; row < p.output_height; row += p.strip_rows) {
        const int32_t left = p.output_height - row;
        const int32_t rows = left < p.strip_rows ? left : p.strip_rows;
        const int32_t top = row * p.stride_height - p.padding_top;
        fill_strip(p, in.x + b * size + c, top, (rows - 1) * p.stride_height + 3, count, planes);
        int8_t* y = out.y + (b * p.output_height + row) * row_size;
        next = strip_outputs(p, planes, tables, channels, rows, y);
      }
      channels.exception = next;
    }
    const int32_t output_size = p.output_height * row_size;
    dsp::clamp_image(p, output_size, out.y + b * output_size);
  }
}

}  // namespace opsmith::depthwise_conv_2d::i8
