// Needs Helium. Fast because a vector of inputs that is loaded serves all filter columns that meet
// it in four neighbouring outputs, and one of weights serves the four. A strip of the image has the
// vectors of each column apart: vector 0 of all columns, then vector 1, and so on. Under a filter
// that is dilated across, columns that some output has in common lie side by side.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/cmsis/mve_quads.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// The strip of outputs that are neighbours.
struct Strip {
  int8_t* first;
  int32_t columns;  // of each phase, of which a dilated filter has several
  int32_t pitch;    // bytes from a vector of a column to the next
};

// Copies the vectors of columns that are `step` bytes apart.
inline void copy_vectors(int8_t* to, const int8_t* from, int32_t step, int32_t columns) {
  __asm volatile(
      "wls lr, %[columns], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[from]]\n\t"
      "add %[from], %[step]\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "le lr, 1b\n"
      "2:"
      : [to] "+r"(to), [from] "+r"(from)
      : [columns] "r"(columns), [step] "r"(step)
      : "lr", "q0", "cc", "memory");
}

// Copies the columns of a phase, from `left` on, that the image has; rows outside have the zero
// point.
inline void fill_phase(const QuadGeometry& g, const int8_t* image, int32_t top, int32_t left,
                       const Strip& strip, int8_t* to) {
  const int32_t step = g.dilation_width, channels = g.input_channels;
  const int32_t before = left < 0 ? (step - 1 - left) / step : 0;
  const int32_t inside = (g.input_width - left + step - 1) / step;
  const int32_t columns = (inside < strip.columns ? inside : strip.columns) - before;
  if (columns <= 0) return;
  to += 16 * before;
  for (int32_t fy = 0, y = top; fy < g.filter_height; ++fy, y += g.dilation_height) {
    const bool is_inside = y >= 0 && y < g.input_height;
    const int8_t* from = image + (y * g.input_width + left + before * step) * channels;
    for (int32_t c = 0; c < channels; c += 16, to += strip.pitch) {
      if (!is_inside) {
        mve::fill(to, static_cast<int8_t>(g.input_zero_point), 16 * columns);
      } else if (step * channels == 16) {
        mve::copy(to, from, 16 * columns);
      } else {
        copy_vectors(to, from + c, step * channels, columns);
      }
    }
  }
}

// Neighbours of one phase, whose inputs begin at `x`. The last ones of less than four are computed
// with some before them, and these written twice.
template <int32_t kTaps, bool kLinear>
inline void line_of_pixels(const QuadGeometry& g, const int32_t* blocks, const int8_t* x,
                           int32_t pitch, int32_t pixels, int8_t* y) {
  const int32_t channels = g.output_channels, apart = g.dilation_width * channels;
  const int32_t vectors = g.filter_height * g.input_channels / 16;
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t pixel = vmulq_n_u16(vshrq_n_u16(lanes, 1), static_cast<uint16_t>(apart));
  const uint16x8_t places = vaddq_u16(pixel, vandq_u16(lanes, vdupq_n_u16(1)));
  int32_t first = 0, end = pixels & ~3;
  while (first < pixels) {
    mve::Quads quads = {x + 16 * first,
                        (end - first) / 4,
                        vectors * pitch,
                        blocks,
                        pitch,
                        static_cast<uint32_t>(vectors),
                        y + first * apart,
                        4 * apart - channels,
                        4 * apart,
                        g.output_zero_point,
                        y + first * apart + channels - 2};
    mve::quads_of_pixels<kTaps, kLinear>(quads, places,
                                         vdupq_n_s16(static_cast<int16_t>(g.activation_min)),
                                         vdupq_n_s16(static_cast<int16_t>(g.activation_max)));
    first = end == pixels ? pixels : pixels - 4;
    end = pixels;
  }
}

// The output pixels of a row from `first` to before `end`, phase by phase: inputs of so many phases
// are copied before outputs of any of them are written.
template <int32_t kTaps, bool kLinear>
inline __attribute__((noinline)) void quads_of_row(const QuadGeometry& g, const int8_t* image,
                                                   int32_t oy, int32_t first, int32_t end,
                                                   const int32_t* blocks, const Strip& strip,
                                                   bool fills, int8_t* y) {
  const int32_t size = g.filter_height * g.input_channels / 16 * strip.pitch;
  const int32_t top = oy * g.stride_height - g.padding_top, phases = g.dilation_width;
  const int32_t left = first - g.padding_left, bytes = 16 * strip.columns;
  for (int32_t k = 0; k < phases; k += g.phases) {
    if (fills) mve::fill(strip.first, static_cast<int8_t>(g.input_zero_point), size);
    for (int32_t i = 0; i < g.phases; ++i) {
      fill_phase(g, image, top, left + k + i, strip, strip.first + i * bytes);
    }
    for (int32_t i = 0; i < g.phases; ++i) {
      const int32_t pixels = (end - first - k - i + phases - 1) / phases;
      line_of_pixels<kTaps, kLinear>(g, blocks, strip.first + i * bytes, strip.pitch, pixels,
                                     y + (first + k + i) * g.output_channels);
    }
  }
}

template <int32_t kTaps, bool kLinear>
inline __attribute__((noinline)) void convolve_quads(const QuadGeometry& g, bool reversed,
                                                     const int8_t* x, int8_t* y,
                                                     const int32_t* blocks, int8_t* strip) {
  const int32_t groups = (g.output_width + g.group - 1) / g.group;
  const Strip s = {strip, g.columns, 16 * g.columns * g.phases};
  // Columns outside of the image stay, where all that is copied at once is a row.
  const bool whole_rows = groups == 1 && g.phases == g.dilation_width;
  for (int32_t i = 0; i < g.batches; ++i) {
    const int32_t b = nth(i, g.batches, reversed);
    const int8_t* image = x + b * g.input_height * g.input_width * g.input_channels;
    for (int32_t j = 0; j < g.output_height; ++j) {
      const int32_t oy = nth(j, g.output_height, reversed);
      int8_t* row = y + (b * g.output_height + oy) * g.output_width * g.output_channels;
      for (int32_t k = 0; k < groups; ++k) {
        const int32_t first = nth(k, groups, reversed) * g.group;
        const int32_t end = first + g.group < g.output_width ? first + g.group : g.output_width;
        quads_of_row<kTaps, kLinear>(g, image, oy, first, end, blocks, s, !whole_rows || i + j == 0,
                                     row);
      }
    }
  }
}

// What is known of the filter and the outputs when the kernel is compiled.
template <const QuadsParams& kParams>
void convolve_quads(const StaticQuads<kParams>& p, const QuadGeometry& g, const int8_t* x,
                    int8_t* y, const int32_t* blocks, int8_t* strip) {
  convolve_quads<kParams.taps, kParams.linear>(g, p.reversed, x, y, blocks, strip);
}
template <class P>
void convolve_quads(const P& p, const QuadGeometry& g, const int8_t* x, int8_t* y,
                    const int32_t* blocks, int8_t* strip) {
  switch (p.taps) {
    case 3:
      return convolve_quads<3, true>(g, p.reversed, x, y, blocks, strip);
    case 5:
      return convolve_quads<5, true>(g, p.reversed, x, y, blocks, strip);
    case 7:
      return convolve_quads<7, true>(g, p.reversed, x, y, blocks, strip);
    default:
      return convolve_quads<9, true>(g, p.reversed, x, y, blocks, strip);
  }
}

template <class P>
void mve_quads(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const QuadsTables& tables,
               const MveQuadsScratch& scratch) {
  convolve_quads(p, *tables.geometry, in.x, out.y, tables.blocks, scratch.strip);
}

}  // namespace opsmith::conv_2d::i8
