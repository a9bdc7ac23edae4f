// Needs the DSP extension. Fast because one SMLAL adds four products: two neighbours of a row are a
// polynomial, so are two taps of the filter, and with t = 2^22 their product is one of integers
// (Kronecker's substitution). For stride 1, three taps in a row, and channels in units of 8.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp_polynomials.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {
namespace polynomials {

using namespace dsp::polynomials;

// Words of the sums of one row: of a block's outputs, and of one before the first.
template <class P>
int32_t row_of_sums(const P& p) {
  return 2 * (kOutputs * p.blocks + 1);
}

// What each sum begins with: less the offsets that coefficients of all parts have.
template <class P>
int32_t first_sum(const P& p) {
  return -kOffset * ((p.units + p.part - 1) / p.part);
}

// Where the polynomials of a strip are.
struct Filled {
  uint32_t* lines;
  uint32_t* ends;  // of four rows each, the words of their last pixels side by side
};

// Adds to the sums of two channels of a strip: [row][output, from -1 on][channel]. Returns the taps
// of the next two.
template <class P>
const int8_t* add_units(const P& p, int32_t rows, const Filled& filled, const int8_t* filter,
                        uint32_t* taps, int32_t* sums) {
  const int32_t row = row_of_sums(p), pitch = p.pairs * kUnit;
  uint32_t* taps_of_ends = taps + p.part * kUnit * 4;
  for (int32_t unit = 0; unit < p.units; unit += p.part) {
    const int32_t count = smaller(p.part, p.units - unit);
    filter = fill_taps(filter, count * kUnit, taps, taps_of_ends);
    const uint32_t* line = filled.lines + unit * pitch;
    const uint32_t* end = line + pitch * count;
    for (int32_t r = 0; r < rows; ++r, line += p.line, end += p.line) {
      add_products(line, end, 4 * pitch, taps, p.blocks, sums + r * row);
    }
    if (!p.last_alone) continue;
    for (int32_t r = 0; r < rows; r += kRows) {
      const uint32_t* ends = filled.ends + (r * p.units + unit * kRows) * kUnit / 2;
      add_ends(ends, count, taps_of_ends, rows - r, row, sums + (r + 1) * row - 2);
    }
  }
  return filter;
}

// A pixel of x, or the border around them.
template <class P>
__attribute__((noinline)) const int8_t* pixel(const P& p, const int8_t* image, int32_t y, int32_t x,
                                              const int8_t* border) {
  const bool inside = y >= 0 && y < p.input_height && x >= 0 && x < p.input_width;
  return inside ? image + (y * p.input_width + x) * p.input_channels : border;
}

// Polynomials of the rows that N rows of y read, from row `top` and column `left` on. Cold:
// compiled for size, since its time is that of fill_pixels().
template <class P>
__attribute__((noinline, cold)) void fill_lines(const P& p, const int8_t* image, int32_t top,
                                                int32_t left, int32_t rows, const int8_t* border,
                                                const Filled& filled) {
  uint32_t* line = filled.lines;
  for (int32_t l = 0; l < rows + p.filter_height - 1; ++l, line += p.line) {
    for (int32_t k = 0; k < p.pairs; ++k) {
      const int32_t x = left + 2 * k;
      fill_pixels(pixel(p, image, top + l, x, border), pixel(p, image, top + l, x + 1, border),
                  p.input_channels, p.pairs * kUnit, line + k * kUnit);
    }
  }
  for (int32_t r = 0; p.last_alone && r < rows; ++r) {
    uint32_t* to = filled.ends + r / kRows * kRows * p.units * kUnit / 2 + r % kRows;
    for (int32_t fy = 0; fy < p.filter_height; ++fy) {
      const int8_t* from = pixel(p, image, top + r + fy, left + p.columns, border);
      for (int32_t i = 0; i < p.input_channels; i += 2, to += kRows) {
        *to = dsp::pkhbt(static_cast<uint32_t>(from[i]), static_cast<uint32_t>(from[i + 1]));
      }
    }
  }
}

// Writes outputs of one channel, whose sums are two words apart and begin again; `channels` are the
// bytes from one to the next.
template <class O, class C>
void write_outputs(const O& o, int32_t* sums, int32_t first, const C& constants, int32_t count,
                   int32_t channels, int8_t* y) {
  const C channel = constants;
  for (; count > 1; count -= 2, sums += 4) {
    const int32_t sum = sums[0], next = sums[2];
    sums[0] = sums[2] = first;
    *y = dsp::requantize(o, sum, channel);
    y += channels;
    *y = dsp::requantize(o, next, channel);
    y += channels;
  }
  if (count == 1) {
    const int32_t sum = *sums;
    *sums = first;
    *y = dsp::requantize(o, sum, channel);
  }
}

// The outputs of channel c of a strip, of whose sums those of the first output are at `sums`.
// Flatten: several instances would share functions, with a call for each output.
template <class P>
__attribute__((noinline, flatten)) void write_channel(const P& p, int32_t rows, int32_t columns,
                                                      int32_t c, const Packed& tables,
                                                      int32_t* sums, int8_t* y) {
  const auto o = dsp::outputs_of<int8_t>(p, &P::left_shift);
  const int32_t first = first_sum(p), channels = p.output_channels;
  const auto write = [&](const auto& channel) {
    write_outputs(dsp::saturated(o), sums, first, channel, columns, channels, y + c);
  };
  const auto listed = listed_of(p, tables.requantization, c);
  for (int32_t r = 0; r < rows; ++r) {
    if constexpr (is_listed(static_cast<const P*>(nullptr))) {
      listed.first == listed.end ? write(listed.line) : write(listed);
    } else {
      with_constants(p, tables.requantization, [&](auto constants) { write(constants[c]); });
    }
    dsp::clamp_outputs(o, columns, channels, y + c);
    sums += row_of_sums(p);
    y += p.output_width * channels;
  }
}

}  // namespace polynomials

template <class P, class S>
void kronecker(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Packed& tables,
               const S& scratch) {
  const polynomials::Filled filled = {reinterpret_cast<uint32_t*>(scratch.lines),
                                      reinterpret_cast<uint32_t*>(scratch.ends)};
  const uint32_t zero_points = 0x01010101u * static_cast<uint8_t>(p.input_zero_point);
  for (int32_t c = 0; c < p.input_channels; c += 4) {
    dsp::store_word(scratch.border + c, zero_points);
  }
  const int32_t first = polynomials::first_sum(p);
  const int32_t across = (p.output_width + p.columns - 1) / p.columns;
  const int32_t strips = (p.output_height + p.rows - 1) / p.rows * across;
  for (int32_t i = 0; i < strips; ++i) {
    const int32_t strip = nth(i, strips, p.reversed);
    const int32_t top = strip / across * p.rows, left = strip % across * p.columns;
    const int32_t rows = polynomials::smaller(p.rows, p.output_height - top);
    const int32_t columns = polynomials::smaller(p.columns, p.output_width - left);
    polynomials::fill_lines(p, in.x, top - p.padding_top, left - p.padding_left, rows,
                            scratch.border, filled);
    for (int32_t k = 0; k < p.rows * polynomials::row_of_sums(p); ++k) scratch.sums[k] = first;
    int8_t* y = out.y + (top * p.output_width + left) * p.output_channels;
    const int8_t* filter = tables.filter;
    for (int32_t c = 0; c < p.output_channels; c += 2) {
      auto* taps = reinterpret_cast<uint32_t*>(scratch.taps);
      filter = polynomials::add_units(p, rows, filled, filter, taps, scratch.sums);
      for (int32_t k = 0; k < 2 && c + k < p.output_channels; ++k) {
        polynomials::write_channel(p, rows, columns, c + k, tables, scratch.sums + 2 + k, y);
      }
    }
  }
}

}  // namespace opsmith::conv_2d::i8
