// Needs Helium, and an input zero point of -128. Fast for small images: vectors hold an image of a
// channel, and each output is its products with the weights as they lie around that output, which
// are one load of a buffer in which the window is surrounded by zeros. The image is copied once for
// all lines, eight channels at a time, before outputs that may replace it.
//
// Both factors are 128 more, so that they have no sign: what is outside the image is then zero, and
// the sum of the image, times 128, is subtracted.
#pragma once

#include <stddef.h>

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::depthwise_conv_2d::i8 {

// What the assembly may know when it is compiled: fields of ImageParams. `linear` and `clamps` hold
// for any node.
template <int32_t kImageVectors, int32_t kColumnStride, bool kIsLinear, bool kIsClamped>
struct ImageForm {
  static constexpr int32_t kVectors = kImageVectors, kStride = kColumnStride;
  static constexpr bool kLinear = kIsLinear, kClamps = kIsClamped;
};

// What the assembly below keeps in memory, where r11 points: two channels.
struct TwoPlanes {
  struct Channel {
    int32_t bias, multiplier, shift;
    int32_t other;  // of the first channel, the zero point; of the second, bytes of a line of y
  } channels[2];
  int16x8_t low;
  int16x8_t high;
  uint16x8_t places;  // of the outputs first[0], second[0], first[1] and so on
  uint32_t inside;    // which of them there are
};

// The sum of an output: its weights by the image of a channel.
#define OPSMITH_MVE_OUTPUT(weights, at, sum, first, second, third) \
  "vldrb.8 q0, [" weights ", #-%c[stride] * " at                   \
  "]\n\t"                                                          \
  "vmladav.u8 " sum ", q0, %q[" first                              \
  "]\n\t"                                                          \
  ".if %c[vectors] > 1\n\t"                                        \
  "vldrb.8 q1, [" weights ", #16 - %c[stride] * " at               \
  "]\n\t"                                                          \
  "vmladava.u8 " sum ", q1, %q[" second                            \
  "]\n\t"                                                          \
  ".endif\n\t"                                                     \
  ".if %c[vectors] > 2\n\t"                                        \
  "vldrb.8 q0, [" weights ", #32 - %c[stride] * " at               \
  "]\n\t"                                                          \
  "vmladava.u8 " sum ", q0, %q[" third                             \
  "]\n\t"                                                          \
  ".endif\n\t"
#define OPSMITH_MVE_FOUR(weights, a, b, c, d, ...) \
  OPSMITH_MVE_OUTPUT(weights, "0", a, __VA_ARGS__) \
  OPSMITH_MVE_OUTPUT(weights, "1", b, __VA_ARGS__) \
  OPSMITH_MVE_OUTPUT(weights, "2", c, __VA_ARGS__) \
  OPSMITH_MVE_OUTPUT(weights, "3", d, __VA_ARGS__)

// Up to four outputs of each of some lines, for up to two channels: those that there are. The
// weights of lines are line_step before each other.
template <class Form>
inline __attribute__((always_inline)) void four_columns(const TwoPlanes& planes,
                                                        const uint8x16_t (&x)[2][3],
                                                        const uint8_t* first, const uint8_t* second,
                                                        int32_t line_step, int32_t lines,
                                                        int8_t* y) {
  register const TwoPlanes* frame __asm("r11") = &planes;
  register const uint8_t* a __asm("r1") = first;
  register const uint8_t* b __asm("r3") = second;
  register const uint8_t* end __asm("r5") = first - lines * line_step;
  register const int32_t step __asm("r7") = line_step;
  register int8_t* to __asm("r9") = y;
  constexpr int32_t kSecond = Form::kVectors > 1, kThird = Form::kVectors > 2 ? 2 : 0;
  __asm volatile(
      "ldr r0, [r11, #%c[inside]]\n\t"
      "vmsr p0, r0\n"
      "1:\n\t"
      // clang-format off
      OPSMITH_MVE_FOUR("r1", "r0", "r2", "r4", "r6", "a0", "a1", "a2")
      OPSMITH_MVE_FOUR("r3", "r8", "r10", "r12", "lr", "b0", "b1", "b2")
      // clang-format on
      // As mve::requantize(). Where no output is below the zero point before the clamp, it makes
      // nothing of how negative numbers are rounded.
      "vmov q0[2], q0[0], r0, r4\n\t"
      "vmov q0[3], q0[1], r2, r6\n\t"
      "ldm r11, {r0, r2, r4, r6}\n\t"
      "vmov q1[2], q1[0], r8, r12\n\t"
      "vadd.i32 q0, q0, r0\n\t"
      "vmov q1[3], q1[1], r10, lr\n\t"
      "ldrd r8, r10, [r11, #16]\n\t"
      "vadd.i32 q1, q1, r8\n\t"
      "mov r0, #1\n\t"
      "vqrdmulh.s32 q0, q0, r2\n\t"
      "ldrd r12, lr, [r11, #24]\n\t"
      "vqrdmulh.s32 q1, q1, r10\n\t"
      "sub r1, r7\n\t"
      ".if %c[linear]\n\t"
      "vqdmlah.s32 q0, q0, r0\n\t"
      "vqdmlah.s32 q1, q1, r0\n\t"
      ".endif\n\t"
      "vrshl.s32 q0, r4\n\t"
      "vrshl.s32 q1, r12\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "sub r3, r7\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      ".if %c[clamps]\n\t"
      "vldrw.32 q1, [r11, #%c[low]]\n\t"
      "vqadd.s16 q0, q0, r6\n\t"
      "vmax.s16 q0, q0, q1\n\t"
      "vldrw.32 q1, [r11, #%c[high]]\n\t"
      "vmin.s16 q0, q0, q1\n\t"
      "vldrw.32 q1, [r11, #%c[places]]\n\t"
      ".else\n\t"
      "vldrw.32 q1, [r11, #%c[places]]\n\t"
      "vqadd.s16 q0, q0, r6\n\t"
      "vqmovnb.s16 q0, q0\n\t"
      ".endif\n\t"
      "cmp r1, r5\n\t"
      "vpst\n\t"
      "vstrbt.16 q0, [r9, q1]\n\t"
      "add r9, lr\n\t"
      "bne 1b"
      : [to] "+r"(to), [a] "+r"(a), [b] "+r"(b)
      : [frame] "r"(frame), [end] "r"(end), [step] "r"(step), [a0] "w"(x[0][0]),
        [a1] "w"(x[0][kSecond]), [a2] "w"(x[0][kThird]), [b0] "w"(x[1][0]), [b1] "w"(x[1][kSecond]),
        [b2] "w"(x[1][kThird]), [vectors] "i"(Form::kVectors), [stride] "i"(Form::kStride),
        [linear] "i"(Form::kLinear), [clamps] "i"(Form::kClamps),
        [inside] "i"(offsetof(TwoPlanes, inside)), [low] "i"(offsetof(TwoPlanes, low)),
        [high] "i"(offsetof(TwoPlanes, high)), [places] "i"(offsetof(TwoPlanes, places))
      : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "p0", "cc", "memory");
}
#undef OPSMITH_MVE_FOUR
#undef OPSMITH_MVE_OUTPUT

// Copies an image of up to eight channels to planes, the border of which stays.
inline __attribute__((noinline)) void stage_planes(const ImageGeometry& g, const int8_t* x,
                                                   int32_t channels, int32_t plane_bytes,
                                                   uint8_t* planes) {
  const mve_pred16_t some = vctp16q(static_cast<uint32_t>(channels));
  const uint16x8_t places = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(plane_bytes));
  const uint16x8_t flipped = vdupq_n_u16(0x80);
  for (int32_t row = 0; row < g.rows; ++row) {
    for (int32_t column = 0; column < g.columns; ++column, x += g.channels) {
      const uint16x8_t bytes = vldrbq_z_u16(reinterpret_cast<const uint8_t*>(x), some);
      vstrbq_scatter_offset_u16(planes + column, places, veorq_u16(bytes, flipped));
    }
    planes += g.pitch;
  }
}

// Puts the windows of two channels, from their filters, where they lie in buffers of weights.
inline void stage_windows(const ImageGeometry& g, const uint8_t* order, const int8_t* filter,
                          uint8_t* window) {
  const int8_t* second = filter + g.taps;
  uint8_t* of_second = window + g.weights_bytes;
  __asm volatile(
      "vmov.i8 q3, #0x80\n\t"
      "dls lr, %[vectors]\n"
      "1:\n\t"
      "vldrb.8 q0, [%[order]], #16\n\t"
      "vptt.i8 ne, q0, %[none]\n\t"
      "vldrbt.u8 q1, [%[filter], q0]\n\t"
      "vldrbt.u8 q2, [%[second], q0]\n\t"
      "veor q1, q1, q3\n\t"
      "vstrb.8 q1, [%[window]], #16\n\t"
      "veor q2, q2, q3\n\t"
      "vstrb.8 q2, [%[of_second]], #16\n\t"
      "le lr, 1b"
      : [order] "+r"(order), [window] "+r"(window), [of_second] "+r"(of_second)
      :
      [filter] "r"(filter), [second] "r"(second), [vectors] "r"(g.window_vectors), [none] "r"(0xff)
      : "lr", "q0", "q1", "q2", "q3", "p0", "cc", "memory");
}

// Up to two channels of an image, whose constants are those of `four` from `place` on.
template <class Form>
inline __attribute__((always_inline)) void two_channels(const ImageGeometry& g,
                                                        const FourChannels& four, int32_t place,
                                                        const uint8_t* planes, const uint8_t* first,
                                                        uint32_t there, TwoPlanes& two, int8_t* y) {
  uint8x16_t x[2][3];
#pragma GCC unroll 2
  for (int32_t i = 0; i < 2; ++i) {
    uint32_t sum = 0;
#pragma GCC unroll 3
    for (int32_t k = 0; k < Form::kVectors; ++k) {
      x[i][k] = vldrbq_u8(planes + 16 * (i * Form::kVectors + k));
      sum = k == 0 ? vaddvq_u8(x[i][k]) : vaddvaq_u8(sum, x[i][k]);
    }
    two.channels[i].bias = four.bias[place + i] - static_cast<int32_t>(sum << 7);
    two.channels[i].multiplier = four.multiplier[place + i];
    two.channels[i].shift = four.shift[place + i];
  }
  const int32_t width = g.output_columns;
  for (int32_t left = width; left > 0; left -= 4, first -= 4 * Form::kStride, y += 4 * g.channels) {
    two.inside = left < 4 ? there & ((1u << 4 * left) - 1) : there;
    four_columns<Form>(two, x, first, first + g.weights_bytes, g.line_step, g.output_rows, y);
  }
}

template <class Form>
inline __attribute__((noinline)) void every_plane(const In<int8_t>& in, const Out<int8_t>& out,
                                                  const ImageTables& tables, uint8_t* planes,
                                                  uint8_t* weights) {
  constexpr int32_t kGroup = 8, kBytes = 16 * Form::kVectors;
  const ImageGeometry& g = *tables.geometry;
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second = vandq_u16(lanes, vdupq_n_u16(1));
  TwoPlanes two;
  two.channels[0].other = g.output_zero_point;
  two.channels[1].other = g.output_columns * g.channels;
  two.low = vdupq_n_s16(static_cast<int16_t>(g.activation_min));
  two.high = vdupq_n_s16(static_cast<int16_t>(g.activation_max));
  two.places = vmlaq_n_u16(of_second, vshrq_n_u16(lanes, 1), static_cast<uint16_t>(g.channels));
  mve::fill(reinterpret_cast<int8_t*>(planes), 0, kGroup * kBytes);
  mve::fill(reinterpret_cast<int8_t*>(weights), -128, 2 * g.weights_bytes);
  for (int32_t b = 0; b < g.batches; ++b) {
    const int8_t* x = in.x + b * g.input_bytes;
    int8_t* y = out.y + b * g.output_bytes;
    const int8_t* filter = tables.filter;
    for (int32_t c = 0; c < g.channels; c += 2, filter += 2 * g.taps) {
      const int32_t left = g.channels - c, place = c % kGroup;
      if (place == 0) stage_planes(g, x + c, left < kGroup ? left : kGroup, kBytes, planes);
      stage_windows(g, tables.order, filter, weights + g.window);
      two_channels<Form>(g, tables.requantization[c / 4], c % 4, planes + place * kBytes,
                         weights + g.origin, left > 1 ? 0xffff : 0x3333, two, y + c);
    }
  }
}

template <const ImageParams& kParams>
void every_plane(const StaticImage<kParams>&, const In<int8_t>& in, const Out<int8_t>& out,
                 const ImageTables& tables, uint8_t* planes, uint8_t* weights) {
  every_plane<ImageForm<kParams.vectors, kParams.stride, kParams.linear, kParams.clamps>>(
      in, out, tables, planes, weights);
}
template <class P>
void every_plane(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                 const ImageTables& tables, uint8_t* planes, uint8_t* weights) {
  if (p.stride == 1) {
    every_plane<ImageForm<3, 1, true, true>>(in, out, tables, planes, weights);
  } else {
    every_plane<ImageForm<3, 2, true, true>>(in, out, tables, planes, weights);
  }
}

template <class P>
void mve_image(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const ImageTables& tables,
               const MveImageScratch& scratch) {
  every_plane(p, in, out, tables, reinterpret_cast<uint8_t*>(scratch.planes),
              reinterpret_cast<uint8_t*>(scratch.weights));
}

}  // namespace opsmith::depthwise_conv_2d::i8
