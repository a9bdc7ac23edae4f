// Needs Helium. Fast because eight channels are multiplied by their weights as halfwords, from
// which zero points were taken off, and no border is copied.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::u8 {

inline constexpr int32_t kLanes = 8;

// Adds the products of a row of N taps to the sums of channels 0, 2, 4, 6 and 1, 3, 5, 7.
template <class P>
void add_row(const P& p, const uint8_t* x, const uint8_t* w, int32_t taps, mve_pred16_t some,
             int32x4_t& even, int32x4_t& odd) {
  for (; taps > 0; --taps, w += p.input_channels) {
    const int16x8_t inputs = vsubq_n_s16(vreinterpretq_s16_u16(vldrbq_z_u16(x, some)),
                                         static_cast<int16_t>(p.input_zero_point));
    const int16x8_t weights = vsubq_n_s16(vreinterpretq_s16_u16(vldrbq_z_u16(w, some)),
                                          static_cast<int16_t>(p.filter_zero_point));
    x += p.dilation_width * p.input_channels;
    even = vaddq_s32(even, vmullbq_int_s16(inputs, weights));
    odd = vaddq_s32(odd, vmulltq_int_s16(inputs, weights));
  }
}

// Up to eight channels of an output pixel from `c` on, from its taps inside the image.
template <class P>
void eight_channels(const P& p, const uint8_t* x, Taps rows, Taps columns, const MveTables& tables,
                    int32_t c, uint8_t* y) {
  const mve_pred16_t some = vctp16q(static_cast<uint32_t>(p.input_channels - c));
  const int32_t pixel = p.dilation_width * p.input_channels;
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  int32x4_t even = vldrwq_s32(tables.bias + c), odd = vldrwq_s32(tables.bias + c + 4);
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    const int32_t tap = (fy * p.filter_width + columns.first) * p.input_channels;
    add_row(p, x + fy * pitch + columns.first * pixel, tables.filter + tap + c,
            columns.end - columns.first, some, even, odd);
  }
  const int32x4_t multiplier = vdupq_n_s32(p.multiplier), shift = vdupq_n_s32(p.shift);
  even = mve::requantize(even, multiplier, shift);
  odd = mve::requantize(odd, multiplier, shift);
  int16x8_t all = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
  all = vqaddq_n_s16(all, static_cast<int16_t>(p.output_zero_point));
  all = vmaxq_s16(all, vdupq_n_s16(static_cast<int16_t>(p.activation_min)));
  all = vminq_s16(all, vdupq_n_s16(static_cast<int16_t>(p.activation_max)));
  vstrbq_p_u16(y, vreinterpretq_u16_s16(all), some);
}

template <class P>
void mve(const P& p, const In<uint8_t>& in, const Out<uint8_t>& out, const MveTables& tables) {
  const int32_t channels = p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const uint8_t* x = in.x + ((b * p.input_height + top) * p.input_width + left) * channels;
    for (int32_t c = 0; c < channels; c += kLanes) {
      eight_channels(p, x + c, rows, columns, tables, c, out.y + number * channels + c);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::u8
