// Needs the DSP extension. Fast because a channel is first copied into a plane with its border,
// where one load gives two neighbours: SMLAD takes two columns of a filter row at once, five
// registers hold all nine weights, and rows serve two rows of outputs. For filters of 3x3.
#pragma once

#include "depthwise_conv_2d.op.h"
#include "runtimes/cmsis/dsp_3x3.h"
#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::depthwise_conv_2d::i16x8 {

// Copies one channel of an image into the inside of the plane. Loads in a row take half the time of
// loads apart.
template <class P>
void fill_plane(const P& p, const int16_t* x, int16_t* plane) {
  int16_t* row = plane + p.padding_top * p.plane_width + p.padding_left;
  const int32_t height = min(p.plane_height - p.padding_top, p.input_height);
  const int32_t width = min(p.plane_width - p.padding_left, p.input_width);
  const int32_t pitch = p.input_channels;
  for (int32_t i = 0; i < height; ++i, row += p.plane_width) {
    const int16_t* pixel = x + i * p.input_width * pitch;
    int32_t j = 0;
    for (; j < (width & ~3); j += 4, pixel += 4 * pitch) {
      const int16_t pixel0 = pixel[0], pixel1 = pixel[pitch], pixel2 = pixel[2 * pitch],
                    pixel3 = pixel[3 * pitch];
      row[j] = pixel0, row[j + 1] = pixel1, row[j + 2] = pixel2, row[j + 3] = pixel3;
    }
    for (; j < width; ++j, pixel += pitch) row[j] = *pixel;
  }
}

// Adds to the sums of two columns in the upper and the lower row of a block of windows that overlap
// in both directions: of four rows of the plane, the inner two serve both rows of outputs. `bytes`
// are those of a row. Thirteen registers, so that the weights stay where they are.
__attribute__((always_inline)) inline void add_block(const int16_t* top, int32_t bytes,
                                                     const dsp::Weights3x3& w, int32_t& upper_left,
                                                     int32_t& upper_right, int32_t& lower_left,
                                                     int32_t& lower_right) {
  int32_t ul = upper_left, ur = upper_right, ll = lower_left, lr = lower_right;
  uint32_t left, right;
  __asm(
      "ldrd %[left], %[right], [%[top]]\n\t"
      "add %[top], %[bytes]\n\t"
      "smlad %[ul], %[left], %[w0], %[ul]\n\t"
      "smlabb %[ul], %[right], %[t01], %[ul]\n\t"
      "smlatb %[ur], %[left], %[w0], %[ur]\n\t"
      "smlabt %[ur], %[right], %[w0], %[ur]\n\t"
      "smlatb %[ur], %[right], %[t01], %[ur]\n\t"
      "ldrd %[left], %[right], [%[top]]\n\t"
      "add %[top], %[bytes]\n\t"
      "smlad %[ul], %[left], %[w1], %[ul]\n\t"
      "smlabt %[ul], %[right], %[t01], %[ul]\n\t"
      "smlatb %[ur], %[left], %[w1], %[ur]\n\t"
      "smlabt %[ur], %[right], %[w1], %[ur]\n\t"
      "smlatt %[ur], %[right], %[t01], %[ur]\n\t"
      "smlad %[ll], %[left], %[w0], %[ll]\n\t"
      "smlabb %[ll], %[right], %[t01], %[ll]\n\t"
      "smlatb %[lr], %[left], %[w0], %[lr]\n\t"
      "smlabt %[lr], %[right], %[w0], %[lr]\n\t"
      "smlatb %[lr], %[right], %[t01], %[lr]\n\t"
      "ldrd %[left], %[right], [%[top]]\n\t"
      "add %[top], %[bytes]\n\t"
      "smlad %[ul], %[left], %[w2], %[ul]\n\t"
      "smlabb %[ul], %[right], %[t2], %[ul]\n\t"
      "smlatb %[ur], %[left], %[w2], %[ur]\n\t"
      "smlabt %[ur], %[right], %[w2], %[ur]\n\t"
      "smlatb %[ur], %[right], %[t2], %[ur]\n\t"
      "smlad %[ll], %[left], %[w1], %[ll]\n\t"
      "smlabt %[ll], %[right], %[t01], %[ll]\n\t"
      "smlatb %[lr], %[left], %[w1], %[lr]\n\t"
      "smlabt %[lr], %[right], %[w1], %[lr]\n\t"
      "smlatt %[lr], %[right], %[t01], %[lr]\n\t"
      "ldrd %[left], %[right], [%[top]]\n\t"
      "smlad %[ll], %[left], %[w2], %[ll]\n\t"
      "smlabb %[ll], %[right], %[t2], %[ll]\n\t"
      "smlatb %[lr], %[left], %[w2], %[lr]\n\t"
      "smlabt %[lr], %[right], %[w2], %[lr]\n\t"
      "smlatb %[lr], %[right], %[t2], %[lr]"
      : [ul] "+r"(ul), [ur] "+r"(ur), [ll] "+r"(ll), [lr] "+r"(lr), [left] "=&r"(left),
        [right] "=&r"(right), [top] "+r"(top)
      : [bytes] "r"(bytes), [w0] "r"(w.row0), [w1] "r"(w.row1), [w2] "r"(w.row2),
        [t01] "r"(w.third01), [t2] "r"(w.third2), "m"(*reinterpret_cast<const int16_t (*)[]>(top)));
  upper_left = ul, upper_right = ur, lower_left = ll, lower_right = lr;
}

// A sum and the products of a single window.
inline int32_t add_window(const int16_t* top, int32_t width, const dsp::Weights3x3& w,
                          int32_t sum) {
  const int16_t *middle = top + width, *bottom = middle + width;
  sum = dsp::smlad(dsp::load_word(top), w.row0, sum);
  sum = dsp::smlad(dsp::load_word(middle), w.row1, sum);
  sum = dsp::smlad(dsp::load_word(bottom), w.row2, sum);
  sum = dsp::smlabb(static_cast<uint32_t>(top[2]), w.third01, sum);
  sum = dsp::smlabt(static_cast<uint32_t>(middle[2]), w.third01, sum);
  return dsp::smlabb(static_cast<uint32_t>(bottom[2]), w.third2, sum);
}

// All outputs of a channel whose plane is filled, two rows and two columns at a time.
template <class P>
void dense_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& weights,
                   const Narrow& channel, int16_t* y) {
  const dsp::Weights3x3 w = weights;
  const Narrow constants = channel;
  const int32_t pitch = p.output_width * p.input_channels;
  for (int32_t oy = 0; oy < p.output_height; oy += 2, y += 2 * pitch, plane += 2 * p.plane_width) {
    int16_t* to = y;
    for (int32_t ox = 0; ox < p.output_width; ox += 2, to += 2 * p.input_channels) {
      const bool right = ox + 1 < p.output_width;
      int32_t ul = constants.bias, ur = ul, ll = ul, lr = ul;
      add_block(plane + ox, 2 * p.plane_width, w, ul, ur, ll, lr);
      to[0] = dsp::narrowed(p, ul, constants.multiplier);
      if (right) to[p.input_channels] = dsp::narrowed(p, ur, constants.multiplier);
      if (oy + 1 < p.output_height) {
        to[pitch] = dsp::narrowed(p, ll, constants.multiplier);
        if (right) to[pitch + p.input_channels] = dsp::narrowed(p, lr, constants.multiplier);
      }
    }
  }
}

// The same for windows apart, one by one.
template <class P>
void single_outputs(const P& p, const int16_t* plane, const dsp::Weights3x3& weights,
                    const Narrow& channel, int16_t* y) {
  const dsp::Weights3x3 w = weights;
  const Narrow constants = channel;
  for (int32_t oy = 0; oy < p.output_height; ++oy, plane += p.stride_height * p.plane_width) {
    const int16_t* top = plane;
    for (int32_t ox = 0; ox < p.output_width; ++ox, y += p.input_channels) {
      const int32_t sum = add_window(top, p.plane_width, w, constants.bias);
      *y = dsp::narrowed(p, sum, constants.multiplier);
      top += p.stride_width;
    }
  }
}

template <class P>
void dsp(const P& p, const In<int16_t>& in, const Out<int16_t>& out, const Packed& tables,
         const DspScratch& scratch) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t output_size = p.output_height * p.output_width * p.input_channels;
  int16_t* plane = reinterpret_cast<int16_t*>(scratch.plane);
  memset(plane, 0, static_cast<size_t>(2 * p.plane_width * p.plane_height));
  const auto* constants = reinterpret_cast<const Narrow*>(tables.requantization);
  for (int32_t b = 0; b < p.batches; ++b) {
    for (int32_t c = 0; c < p.input_channels; ++c) {
      fill_plane(p, in.x + b * size + c, plane);
      const dsp::Weights3x3 w = dsp::unpacked_3x3(tables.filter + 12 * c);
      int16_t* y = out.y + b * output_size + c;
      if (p.stride_height == 1 && p.stride_width == 1) {
        dense_outputs(p, plane, w, constants[c], y);
      } else {
        single_outputs(p, plane, w, constants[c], y);
      }
    }
  }
}

}  // namespace opsmith::depthwise_conv_2d::i16x8
