// Channels in planes with their border, by filters of 3x3, for int8 and uint8. Fast because one
// load of a plane gives four neighbours: SMLAD takes the outer two columns of a filter row at once,
// five registers hold all nine weights, and rows serve two rows of outputs.
#pragma once

#include "runtimes/cmsis/dsp_3x3.h"

namespace opsmith::depthwise_conv_2d {

// Whether windows overlap in both directions.
template <class P>
constexpr bool dense(const P& p) {
  return p.stride_height == 1 && p.stride_width == 1;
}

// Copies one channel of an image into the inside of the plane; kFlip is what its words are XORed
// with. Loads in a row take half the time of loads apart.
template <uint32_t kFlip, class P>
void fill_plane(const P& p, const int8_t* x, int8_t* plane) {
  const int32_t across = p.plane_width, pitch = p.input_channels, line = p.input_width * pitch;
  const int32_t rows = p.plane_height - p.padding_top, columns = across - p.padding_left;
  const int32_t height = rows < p.input_height ? rows : p.input_height;
  const int32_t width = columns < p.input_width ? columns : p.input_width;
  int8_t* row = plane + p.padding_top * across + p.padding_left;
  for (int32_t i = 0; i < height; ++i, row += across) {
    const int8_t* pixel = x + i * line;
    int8_t* to = row;
    for (int32_t j = 0; j < width / 4; ++j, pixel += 4 * pitch, to += 4) {
      const uint8_t pixel0 = static_cast<uint8_t>(pixel[0]);
      const uint8_t pixel1 = static_cast<uint8_t>(pixel[pitch]);
      const uint8_t pixel2 = static_cast<uint8_t>(pixel[2 * pitch]);
      const uint8_t pixel3 = static_cast<uint8_t>(pixel[3 * pitch]);
      dsp::store_word(to, dsp::word_of(pixel0, pixel1, pixel2, pixel3) ^ kFlip);
    }
    for (int32_t j = 0; j < width % 4; ++j) {
      to[j] = static_cast<int8_t>(pixel[j * pitch] ^ static_cast<int8_t>(kFlip));
    }
  }
}

// The sums of two columns in the upper and the lower row of a block of windows that overlap in both
// directions: of four rows of the plane, the inner two serve both rows of outputs. Thirteen
// registers, so that the weights stay where they are.
__attribute__((always_inline)) inline void dense_block(const int8_t* top, int32_t width,
                                                       const dsp::Weights3x3& w,
                                                       int32_t& upper_left, int32_t& upper_right,
                                                       int32_t& lower_left, int32_t& lower_right) {
  int32_t ul, ur, ll, lr;
  uint32_t even, odd;
  __asm(
      "ldr %[odd], [%[top]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smuad %[ul], %[even], %[w0]\n\t"
      "smuad %[ur], %[odd], %[w0]\n\t"
      "smlabb %[ul], %[odd], %[m01], %[ul]\n\t"
      "smlatb %[ur], %[even], %[m01], %[ur]\n\t"
      "ldr %[odd], [%[top], %[width]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ul], %[even], %[w1], %[ul]\n\t"
      "smlad %[ur], %[odd], %[w1], %[ur]\n\t"
      "smlabt %[ul], %[odd], %[m01], %[ul]\n\t"
      "smlatt %[ur], %[even], %[m01], %[ur]\n\t"
      "smuad %[ll], %[even], %[w0]\n\t"
      "smuad %[lr], %[odd], %[w0]\n\t"
      "smlabb %[ll], %[odd], %[m01], %[ll]\n\t"
      "smlatb %[lr], %[even], %[m01], %[lr]\n\t"
      "ldr %[odd], [%[top], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ul], %[even], %[w2], %[ul]\n\t"
      "smlad %[ur], %[odd], %[w2], %[ur]\n\t"
      "smlabb %[ul], %[odd], %[m2], %[ul]\n\t"
      "smlatb %[ur], %[even], %[m2], %[ur]\n\t"
      "smlad %[ll], %[even], %[w1], %[ll]\n\t"
      "smlad %[lr], %[odd], %[w1], %[lr]\n\t"
      "smlabt %[ll], %[odd], %[m01], %[ll]\n\t"
      "smlatt %[lr], %[even], %[m01], %[lr]\n\t"
      "add %[odd], %[top], %[width]\n\t"
      "ldr %[odd], [%[odd], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[ll], %[even], %[w2], %[ll]\n\t"
      "smlad %[lr], %[odd], %[w2], %[lr]\n\t"
      "smlabb %[ll], %[odd], %[m2], %[ll]\n\t"
      "smlatb %[lr], %[even], %[m2], %[lr]"
      : [ul] "=&r"(ul), [ur] "=&r"(ur), [ll] "=&r"(ll), [lr] "=&r"(lr), [even] "=&r"(even),
        [odd] "=&r"(odd)
      : [top] "r"(top), [width] "r"(width), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
        [m01] "r"(w.third01), [m2] "r"(w.third2), "m"(*reinterpret_cast<const int8_t (*)[]>(top)));
  upper_left = ul, upper_right = ur, lower_left = ll, lower_right = lr;
}

// The sum of a single window.
inline int32_t window(const int8_t* top, int32_t width, const dsp::Weights3x3& w) {
  int32_t sum;
  uint32_t even, odd;
  __asm(
      "ldr %[odd], [%[top]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smuad %[sum], %[even], %[w0]\n\t"
      "smlabb %[sum], %[odd], %[m01], %[sum]\n\t"
      "ldr %[odd], [%[top], %[width]]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[sum], %[even], %[w1], %[sum]\n\t"
      "smlabt %[sum], %[odd], %[m01], %[sum]\n\t"
      "ldr %[odd], [%[top], %[width], lsl #1]\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "smlad %[sum], %[even], %[w2], %[sum]\n\t"
      "smlabb %[sum], %[odd], %[m2], %[sum]"
      : [sum] "=&r"(sum), [even] "=&r"(even), [odd] "=&r"(odd)
      : [top] "r"(top), [width] "r"(width), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
        [m01] "r"(w.third01), [m2] "r"(w.third2), "m"(*reinterpret_cast<const int8_t (*)[]>(top)));
  return sum;
}

// All outputs of a channel whose plane is filled, of windows that overlap in both directions.
template <class P, class O, class C>
__attribute__((always_inline)) inline void dense_channel(const P& p, const O& o,
                                                         const int8_t* plane,
                                                         const dsp::Weights3x3& w, const C& channel,
                                                         int8_t* y) {
  const int32_t width = p.plane_width;
  const int32_t pitch = p.output_width * p.input_channels;
  for (int32_t oy = 0; oy < p.output_height; oy += 2, y += 2 * pitch) {
    const int8_t* top = plane + oy * width;
    int8_t* to = y;
    for (int32_t ox = 0; ox < p.output_width; ox += 2) {
      const bool right = ox + 1 < p.output_width;
      int32_t ul, ur, ll, lr;
      dense_block(top, width, w, ul, ur, ll, lr);
      to[0] = dsp::requantize(o, ul, channel);
      if (right) to[p.input_channels] = dsp::requantize(o, ur, channel);
      if (oy + 1 < p.output_height) {
        to[pitch] = dsp::requantize(o, ll, channel);
        if (right) to[pitch + p.input_channels] = dsp::requantize(o, lr, channel);
      }
      to += 2 * p.input_channels;
      top += 2;
    }
  }
}

// The same for a Params read at run time, without branches: what is beyond the image is written
// first, and then over.
template <class P, class C>
void dense_channel(const P& p, const dsp::SaturatedOutputs o, const int8_t* plane,
                   const dsp::Weights3x3 w, const C channel, int8_t* y) {
  const int32_t height = p.output_height, across = p.output_width, width = p.plane_width;
  const int32_t channels = p.input_channels, pitch = across * channels;
  for (int32_t oy = height; oy > 0; oy -= 2, y += 2 * pitch, plane += 2 * width) {
    const int8_t* top = plane;
    int8_t* to = y;
    for (int32_t ox = across; ox > 0; ox -= 2, to += 2 * channels, top += 2) {
      int32_t ul, ur, ll, lr;
      dense_block(top, width, w, ul, ur, ll, lr);
      const int32_t right = ox > 1 ? channels : 0;
      int8_t* below = to + (oy > 1 ? pitch : 0);
      below[right] = dsp::requantize(o, lr, channel);
      below[0] = dsp::requantize(o, ll, channel);
      to[right] = dsp::requantize(o, ur, channel);
      to[0] = dsp::requantize(o, ul, channel);
    }
  }
}

// The same of other windows.
template <class P, class O, class C>
void sparse_channel(const P& p, const O outputs, const int8_t* plane, const dsp::Weights3x3 w,
                    const C channel, int8_t* y) {
  const int32_t width = p.plane_width, channels = p.input_channels, across = p.output_width;
  const int32_t down = p.stride_height * width, right = p.stride_width;
  for (int32_t oy = p.output_height; oy > 0; --oy, plane += down) {
    const int8_t* top = plane;
    for (int32_t ox = across; ox > 0; --ox, top += right, y += channels) {
      *y = dsp::requantize(outputs, window(top, width, w), channel);
    }
  }
}

// All outputs of a channel whose plane is filled. Operands are copied, since y could alias them.
template <class P, class C, class Y>
void output_channel(const P& p, const int8_t* plane, const dsp::Weights3x3& weights,
                    const C& constants, Y* elements) {
  int8_t* y = reinterpret_cast<int8_t*>(elements);
  const dsp::Weights3x3 w = weights;
  const C channel = constants;
  const auto outputs = dsp::outputs_of<Y>(p, &P::left_shift);
  const auto saturated = dsp::saturated(outputs);
  if (dense(p)) {
    dense_channel(p, saturated, plane, w, channel, y);
  } else {
    sparse_channel(p, saturated, plane, w, channel, y);
  }
  dsp::clamp_outputs(outputs, p.output_height * p.output_width, p.input_channels, y);
}

// All channels of all images. kFlip turns inputs of uint8 into int8, 128 less; weights(bytes) are
// the nine that a channel has in the table. Operands stay behind their references, which takes
// fewer registers.
template <uint32_t kFlip, class P, class In, class Out, class Tables, class Scratch, class Weights>
__attribute__((always_inline)) inline void all_planes(const P& p, const In& in, const Out& out,
                                                      const Tables& tables, const Scratch& scratch,
                                                      Weights weights) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t output_size = p.output_height * p.output_width * p.input_channels;
  const int32_t border = p.input_zero_point ^ static_cast<int32_t>(kFlip & 0xff);
  memset(scratch.plane, border, static_cast<size_t>(p.plane_width * p.plane_height));
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t c = 0; c < p.input_channels; ++c) {
      fill_plane<kFlip>(p, reinterpret_cast<const int8_t*>(in.x) + b * size + c, scratch.plane);
      const dsp::Weights3x3 w = weights(tables.filter + 12 * c);
      auto* y = out.y + b * output_size + c;
      if (p.right_shift != 0) {
        const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
        output_channel(p, scratch.plane, w, t[c], y);
      } else {
        const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
        output_channel(p, scratch.plane, w, t[c], y);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d
