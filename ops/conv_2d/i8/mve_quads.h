// Needs Helium. Fast because a vector of inputs that is loaded serves all filter columns that meet
// it in four neighbouring outputs, and one of weights serves the four. A strip of the image has the
// vectors of each column apart: vector 0 of all columns, then vector 1, and so on. Under a filter
// that is dilated across, columns that some output has in common lie side by side.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/mve.h"
#include "runtimes/cmsis/mve_pairs.h"
#include "runtimes/cmsis/mve_quads.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {

// A walk through y, line by line: outputs of one phase that are neighbours in it. It is the same
// for all filters, so that the code of each is its assembly alone.
struct Walk {
  Walk(const QuadGeometry& geometry, bool backward, const int8_t* input, int8_t* output,
       const int32_t* filter, int8_t* columns)
      : g(geometry), reversed(backward), x(input), y(output), blocks(filter), strip(columns) {}

  const QuadGeometry& g;
  bool reversed;
  const int8_t* x;
  int8_t* y;
  const int32_t* blocks;
  int8_t* strip;
  int32_t number = 0;  // of the group of pixels, in the order of the walk
  int32_t phase = 0;   // of the line
  int32_t pixels = 0;  // in it
  int32_t first = 0;   // of them that is not yet computed
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
// point. Cold, as next() is: compiled for size, since the time goes into loops between calls.
inline __attribute__((noinline, cold)) void fill_phase(const QuadGeometry& g, const int8_t* image,
                                                       int32_t top, int32_t left, int8_t* to) {
  const int32_t step = g.dilation_width, channels = g.input_channels;
  const int32_t before = left < 0 ? (step - 1 - left) / step : 0;
  const int32_t inside = (g.input_width - left + step - 1) / step;
  const int32_t columns = (inside < g.columns ? inside : g.columns) - before;
  if (columns <= 0) return;
  to += 16 * before;
  for (int32_t fy = 0, y = top; fy < g.filter_height; ++fy, y += g.dilation_height) {
    const bool is_inside = y >= 0 && y < g.input_height;
    const int8_t* from = image + (y * g.input_width + left + before * step) * channels;
    for (int32_t c = 0; c < channels; c += 16, to += 16 * g.columns * g.phases) {
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

// Begins with outputs of the next line, if there is one, so that they are `quads`; the last ones of
// less than four are computed with some before them, and these written twice. Inputs of all phases
// in the strip are copied before outputs of any of them are written.
inline __attribute__((noinline, cold)) bool next(Walk& walk, mve::Quads& quads) {
  const QuadGeometry& g = walk.g;
  const int32_t groups = (g.output_width + g.group - 1) / g.group, phases = g.dilation_width;
  const int32_t count = g.batches * g.output_height * groups;
  if (walk.first == walk.pixels && walk.pixels != 0 && ++walk.phase == phases) {
    walk.phase = 0;
    ++walk.number;
  }
  if (walk.number == count) return false;
  const int32_t at = nth(walk.number, count, walk.reversed), row = at / groups;
  const int32_t from = (at - row * groups) * g.group, here = walk.phase % g.phases;
  const int32_t pitch = 16 * g.columns * g.phases;
  const int32_t vectors = g.filter_height * g.input_channels / 16;
  if (walk.first == walk.pixels) {
    const int32_t left = g.output_width - from;
    walk.pixels = ((left < g.group ? left : g.group) - walk.phase + phases - 1) / phases;
    walk.first = 0;
    if (here == 0) {
      // Columns outside of the image stay, where all that is copied at once is a row.
      if (walk.number == 0 || groups > 1 || g.phases < phases) {
        mve::fill(walk.strip, static_cast<int8_t>(g.input_zero_point), vectors * pitch);
      }
      const int32_t b = row / g.output_height;
      const int8_t* image = walk.x + b * g.input_height * g.input_width * g.input_channels;
      const int32_t top = (row - b * g.output_height) * g.stride_height - g.padding_top;
      for (int32_t i = 0; i < g.phases; ++i) {
        fill_phase(g, image, top, from - g.padding_left + walk.phase + i,
                   walk.strip + 16 * g.columns * i);
      }
    }
  }
  const int32_t fours = (walk.pixels - walk.first) / 4;
  const int32_t first = fours != 0 ? walk.first : walk.pixels - 4;
  walk.first = fours != 0 ? first + 4 * fours : walk.pixels;
  const int32_t apart = phases * g.output_channels;
  int8_t* to = walk.y + (row * g.output_width + from + walk.phase) * g.output_channels;
  to += first * apart;
  const int8_t* from_strip = walk.strip + 16 * (g.columns * here + first);
  quads = {from_strip,
           to + g.output_channels - 2,
           to,
           g.output_zero_point,
           pitch,
           from_strip + vectors * pitch,
           from_strip + pitch,
           fours != 0 ? fours : 1,
           walk.blocks,
           4 * apart - g.output_channels,
           4 * apart,
           static_cast<uint32_t>(vectors),
           {}};
  return true;
}

template <int32_t kTaps, int32_t kRounding>
inline __attribute__((noinline)) void convolve_quads(Walk& walk) {
  const QuadGeometry& g = walk.g;
  const auto apart = static_cast<uint16_t>(g.dilation_width * g.output_channels);
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t pixel = vmulq_n_u16(vshrq_n_u16(lanes, 1), apart);
  const uint16x8_t places = vaddq_u16(pixel, vandq_u16(lanes, vdupq_n_u16(1)));
  mve::Quads quads;
  while (next(walk, quads)) {
    vstrhq_u16(quads.places, places);
    mve::quads_of_pixels<kTaps, kRounding>(quads);
  }
  const int32_t pixels = g.batches * g.output_height * g.output_width;
  mve::clamp_outputs(g, walk.y, pixels * g.output_channels);
}

// What is known of the filter and the outputs when the kernel is compiled.
template <const QuadsParams& kParams>
void convolve_quads(const StaticQuads<kParams>&, Walk& walk) {
  convolve_quads<kParams.taps, mve::kLinear>(walk);
}
template <const QuadsOwnParams& kParams>
void convolve_quads(const StaticQuadsOwn<kParams>&, Walk& walk) {
  convolve_quads<kParams.taps, mve::own_rounding(true, kParams.left)>(walk);
}
template <int32_t kRounding>
void any_quads(int32_t taps, Walk& walk) {
  switch (taps) {
    case 3:
      return convolve_quads<3, kRounding>(walk);
    case 5:
      return convolve_quads<5, kRounding>(walk);
    case 7:
      return convolve_quads<7, kRounding>(walk);
    default:
      return convolve_quads<9, kRounding>(walk);
  }
}
inline void convolve_quads(const QuadsParams& p, Walk& walk) {
  any_quads<mve::kLinear>(p.taps, walk);
}
inline void convolve_quads(const QuadsOwnParams& p, Walk& walk) {
  any_quads<mve::own_rounding(true, true)>(p.taps, walk);
}

template <class P, class S>
void mve_quads(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const QuadsTables& tables,
               const S& scratch) {
  Walk walk(*tables.geometry, p.reversed, in.x, out.y, tables.blocks, scratch.strip);
  convolve_quads(p, walk);
}

}  // namespace opsmith::conv_2d::i8
