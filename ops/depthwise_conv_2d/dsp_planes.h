// Channels in planes with their border, by filters of 3x3, for int8 and uint8. Fast because one
// load of a plane gives four neighbours: SMLAD takes the outer two columns of a filter row at once,
// five registers hold all nine weights, and rows serve two rows of outputs.
#pragma once

#include "ops/depthwise_conv_2d/dsp_dense_rows.h"
#include "ops/depthwise_conv_2d/dsp_gather.h"
#include "ops/depthwise_conv_2d/dsp_own_channel.h"
#include "ops/depthwise_conv_2d/dsp_plane_windows.h"
#include "ops/depthwise_conv_2d/dsp_sparse_rows.h"
#include "ops/depthwise_conv_2d/pitches.h"
#include "runtimes/cmsis/dsp_clamp.h"

namespace opsmith::depthwise_conv_2d {

constexpr int32_t kFew = 4;  // outputs of a channel, which take less time than a call

// Whether windows overlap in both directions.
template <class P>
constexpr bool dense(const P& p) {
  return p.stride_height == 1 && p.stride_width == 1;
}

// Copies one channel of an image into the inside of the plane; kFlip is what its words are XORed
// with.
template <uint32_t kFlip, class P>
void fill_plane(const P& p, const int8_t* x, int8_t* plane) {
  const Pitches of_x = row_pitches(p, p.input_width);
  const int32_t across = p.plane_width;
  const int32_t rows = p.plane_height - p.padding_top, columns = across - p.padding_left;
  const int32_t height = rows < p.input_height ? rows : p.input_height;
  const int32_t width = columns < p.input_width ? columns : p.input_width;
  int8_t* row = plane + p.padding_top * across + p.padding_left;
  for (int32_t i = 0; i < height; ++i, row += across) {
    gather<kFlip>(x + i * of_x.row, of_x.pixel, width, row);
  }
}

// All outputs of a channel whose plane is filled, of windows that overlap in both directions.
template <class P, class O, class C>
__attribute__((always_inline)) inline void dense_channel(const P& p, const O& o,
                                                         const int8_t* plane,
                                                         const dsp::Weights3x3& weights,
                                                         const C& channel, int8_t* y) {
  const dsp::Weights3x3 w = weights;
  const int32_t width = p.plane_width;
  const Pitches of_y = row_pitches(p, p.output_width);
  const int32_t pitch = of_y.row, next = of_y.pixel;
  for (int32_t oy = 0; oy < p.output_height; oy += 2, y += 2 * pitch) {
    const int8_t* top = plane + oy * width;
    int8_t* to = y;
    for (int32_t ox = 0; ox < p.output_width; ox += 2) {
      const bool right = ox + 1 < p.output_width;
      int32_t ul, ur, ll, lr;
      dense_block(top, width, w, ul, ur, ll, lr);
      to[0] = dsp::requantize(o, ul, channel);
      if (right) to[next] = dsp::requantize(o, ur, channel);
      if (oy + 1 < p.output_height) {
        to[pitch] = dsp::requantize(o, ll, channel);
        if (right) to[pitch + next] = dsp::requantize(o, lr, channel);
      }
      to += 2 * next;
      top += 2;
    }
  }
}

template <class P, int32_t kLeft, int32_t kRight, class C>
void dense_channel(const P& p, const dsp::StaticOutputs<kLeft, kRight, -128, 127>& outputs,
                   const int8_t* plane, const dsp::Weights3x3& w, const C& channel, int8_t* y) {
  if constexpr (has_near_blocks<P>()) {
    dense_rows<P>(plane, w, channel, y);
  } else {
    dense_channel<P, dsp::StaticOutputs<kLeft, kRight, -128, 127>, C>(p, outputs, plane, w, channel,
                                                                      y);
  }
}

// The same for a Params read at run time.
template <class P, class C>
void dense_channel(const P& p, const dsp::SaturatedOutputs o, const int8_t* plane,
                   const dsp::Weights3x3 w, const C channel, int8_t* y) {
  dense_windows(windows_of(p), o, plane, w, channel, y);
}

// The same of other windows.
template <class P, class O, class C>
void sparse_channel(const P& p, const O outputs, const int8_t* plane, const dsp::Weights3x3 w,
                    const C channel, int8_t* y) {
  const int32_t width = p.plane_width, across = p.output_width;
  const Pitches of_y = row_pitches(p, across);
  const int32_t down = p.stride_height * width, right = p.stride_width;
  for (int32_t oy = p.output_height; oy > 0; --oy, plane += down, y += of_y.row) {
    const int8_t* top = plane;
    int8_t* to = y;
    for (int32_t ox = across; ox > 0; --ox, top += right, to += of_y.pixel) {
      *to = dsp::requantize(outputs, window(top, width, w), channel);
    }
  }
}

template <class P, int32_t kLeft, int32_t kRight, class C>
void sparse_channel(const P& p, const dsp::StaticOutputs<kLeft, kRight, -128, 127> outputs,
                    const int8_t* plane, const dsp::Weights3x3& w, const C& channel, int8_t* y) {
  if constexpr (has_near_rows<P>() && P::output_height * P::output_width > kFew) {
    sparse_rows<P>(plane, w, channel, y);
  } else {
    sparse_channel<P, decltype(outputs), C>(p, outputs, plane, w, channel, y);
  }
}

// All outputs of a channel whose plane is filled, which clamp_image() bounds. Operands are copied,
// since y could alias them.
template <class P, class C, class Y>
void output_channel(const P& p, const int8_t* plane, const dsp::Weights3x3& weights,
                    const C& constants, Y* elements) {
  int8_t* y = reinterpret_cast<int8_t*>(elements);
  const C channel = constants;
  const auto outputs = dsp::of_others(dsp::unclamped<Y>(dsp::outputs_of<Y>(p, &P::left_shift)));
  if (dense(p)) {
    dense_channel(p, outputs, plane, weights, channel, y);
  } else {
    sparse_channel(p, outputs, plane, weights, channel, y);
  }
}

// A channel of Rounding where some round once or, if kTwice, are among thresholds.
template <bool kTwice, class P>
void rounded_channel(const P& p, const int8_t* plane, const dsp::Weights3x3& w,
                     const dsp::Rounding& channel, int8_t* y) {
  own_channel<kTwice>(windows_of(p), plane, w, channel, y);
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
    [[maybe_unused]] auto* e = exceptions_of(p, tables.requantization);
    for (int32_t c = 0; c < p.input_channels; ++c) {
      fill_plane<kFlip>(p, reinterpret_cast<const int8_t*>(in.x) + b * size + c, scratch.plane);
      const dsp::Weights3x3 w = weights(tables.filter + 12 * c);
      auto* y = out.y + b * output_size + c;
      if constexpr (is_listed(static_cast<const P*>(nullptr))) {
        const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
        output_channel(p, scratch.plane, w, t[c], y);
        if (e->channel() != c) continue;
        dsp::clamp_channel(p, p.output_height * p.output_width, p.input_channels, y);
        WindowsOfPlane room;
        const auto* at = windows_of(p, &P::output_height, &room);
        e = correct_channel<int8_t>(at, e, scratch.plane, tables.filter + 12 * c, y);
      } else if constexpr (is_single(static_cast<const P*>(nullptr))) {
        const auto* t = reinterpret_cast<const Single*>(tables.requantization);
        output_channel(p, scratch.plane, w, t[c], y);
      } else if (p.right_shift != 0) {
        const auto* t = reinterpret_cast<const dsp::Threshold*>(tables.requantization);
        if constexpr (has_own(static_cast<const P*>(nullptr))) {
          if (t[c].is_own()) {
            rounded_channel<true>(p, scratch.plane, w, t[c].own(), y);
            continue;
          }
        }
        output_channel(p, scratch.plane, w, t[c], y);
      } else {
        const auto* t = reinterpret_cast<const dsp::Rounding*>(tables.requantization);
        if constexpr (has_own(static_cast<const P*>(nullptr))) {
          if (t[c].rounds_once()) {
            rounded_channel<false>(p, scratch.plane, w, t[c], y);
            continue;
          }
        }
        output_channel(p, scratch.plane, w, t[c], y);
      }
    }
    dsp::clamp_image(p, output_size, out.y + b * output_size);
  }
}

}  // namespace opsmith::depthwise_conv_2d
