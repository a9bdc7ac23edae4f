// Needs Helium. Fast because VMULLB and VMULLT multiply eight channels by their weights, and taps
// outside of the image are left out rather than looked at.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

constexpr int32_t kLanes = 8;

// Sums of channels 0, 2, 4, 6 and of 1, 3, 5, 7.
struct Sums {
  int32x4_t even;
  int32x4_t odd;
};

// Steps are bytes from a tap of a row to the next.
#define OPSMITH_MVE_TAPS(load)                                                                 \
  __asm volatile(                                                                              \
      "vctp.16 %[channels]\n\t"                                                                \
      "wls lr, %[taps], 2f\n"                                                                  \
      "1:\n\t" load                                                                            \
      "add %[x], %[x_step]\n\t"                                                                \
      "vldrb.s16 q1, [%[w]]\n\t"                                                               \
      "add %[w], %[w_step]\n\t"                                                                \
      "vmullb.s16 q2, q0, q1\n\t"                                                              \
      "vadd.i32 %q[even], %q[even], q2\n\t"                                                    \
      "vmullt.s16 q3, q0, q1\n\t"                                                              \
      "vadd.i32 %q[odd], %q[odd], q3\n\t"                                                      \
      "le lr, 1b\n"                                                                            \
      "2:"                                                                                     \
      : [x] "+r"(x), [w] "+l"(w), [even] "+w"(sums.even), [odd] "+w"(sums.odd)                 \
      : [x_step] "r"(x_step), [w_step] "r"(w_step), [taps] "r"(taps), [channels] "r"(channels) \
      : "q0", "q1", "q2", "q3", "p0", "lr", "cc", "memory")

// Adds the products of a row of N taps to the sums of up to eight channels.
inline void add_row(const int16_t* x, int32_t x_step, const int8_t* w, int32_t w_step, int32_t taps,
                    int32_t channels, Sums& sums) {
  if (channels >= kLanes) {
    OPSMITH_MVE_TAPS("vldrh.u16 q0, [%[x]]\n\t");
  } else {  // what is after them may not be there
    OPSMITH_MVE_TAPS("vpst\n\tvldrht.u16 q0, [%[x]]\n\t");
  }
}
#undef OPSMITH_MVE_TAPS

// Up to eight channels of an output pixel, from its taps inside the image.
template <class P>
void eight_channels(const P& p, const int16_t* x, const int8_t* w, Taps rows, int32_t taps,
                    const EightChannels& constants, int32_t left, int16_t* y) {
  const int32_t pixel = 2 * p.dilation_width * p.input_channels;
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  Sums sums = {vldrwq_s32(constants.bias), vldrwq_s32(constants.bias + 4)};
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    add_row(x, pixel, w, p.input_channels, taps, left, sums);
    x += pitch;
    w += p.filter_width * p.input_channels;
  }
  sums.even = vrmulhq_s32(sums.even, vldrwq_s32(constants.multiplier));
  sums.odd = vrmulhq_s32(sums.odd, vldrwq_s32(constants.multiplier + 4));
  int16x8_t all = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), sums.even), sums.odd);
  all = vmaxq_s16(all, vdupq_n_s16(static_cast<int16_t>(p.activation_min)));
  all = vminq_s16(all, vdupq_n_s16(static_cast<int16_t>(p.activation_max)));
  vstrhq_p_s16(y, all, vctp16q(left));
}

template <class P>
void mve(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const MveTables& tables) {
  const int32_t channels = p.input_channels;
  for_each_pixel(p, [&](int32_t b, int32_t oy, int32_t ox, int32_t number) {
    const int32_t top = oy * p.stride_height - p.padding_top;
    const int32_t left = ox * p.stride_width - p.padding_left;
    const Taps rows = taps_inside(top, p.input_height, p.filter_height, p.dilation_height);
    const Taps columns = taps_inside(left, p.input_width, p.filter_width, p.dilation_width);
    const int32_t y = b * p.input_height + top + rows.first * p.dilation_height;
    const int32_t x = left + columns.first * p.dilation_width;
    const int16_t* image = in.x + (y * p.input_width + x) * channels;
    const int8_t* w = tables.filter + (rows.first * p.filter_width + columns.first) * channels;
    const int32_t taps = max(columns.end - columns.first, 0);
    const EightChannels* constants = tables.requantization;
    for (int32_t c = 0; c < channels; c += kLanes, ++constants) {
      eight_channels(p, image + c, w + c, rows, taps, *constants, channels - c,
                     out.y + number * channels + c);
    }
  });
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
