// Convolutions of int8 by strips of the image, for Helium. Fast because VMLADAVA adds sixteen
// products at once, each vector of weights that is loaded serves two pixels and each of pixels four
// output channels: eight sums stay in registers. A strip is copied column by column, so that the
// inputs of each of its output pixels are one run of bytes. G is `Strips` of
// runtimes/cmsis/mve_strips.py.
#pragma once

#include "runtimes/cmsis/mve.h"
#include "runtimes/cmsis/mve_known_pairs.h"

namespace opsmith::mve {

// How few channels are spread over columns that are `column` bytes: sixteen bytes of a row, and
// where they go. Where this is too far for a byte, it is done column by column.
struct Spread {
  uint8x16_t places;
  int32_t at_once;  // columns
};

inline Spread spread(int32_t channels, int32_t column) {
  Spread found = {vdupq_n_u8(0), 16 / channels};
  if (15 / channels * column + 15 % channels > 255) return {found.places, 0};
  uint8_t places[16];
  for (int32_t i = 0; i < 16; ++i) {
    places[i] = static_cast<uint8_t>(i / channels * column + i % channels);
  }
  found.places = vldrbq_u8(places);
  return found;
}

// Copies part of a row of the image to a strip.
template <class G>
inline void copy_row(const G& g, const Spread& by, int8_t* strip, const int8_t* row,
                     int32_t columns) {
  const int32_t column = g.filter_height * g.input_channels;
  if (g.filter_height == 1) return copy(strip, row, columns * column);
  if (by.at_once == 0) {
    return copy_columns(strip, column, row, g.input_channels, g.input_channels, columns);
  }
  const int32_t step = by.at_once * g.input_channels, size = columns * g.input_channels;
  // What whole vectors have beyond these columns is the beginning of the next one, and right.
  const int32_t whole = (size - 1) / step;
  __asm volatile(
      "wls lr, %[whole], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[row]]\n\t"
      "add %[row], %[step]\n\t"
      "vstrb.8 q0, [%[strip], %q[places]]\n\t"
      "add %[strip], %[to_step]\n\t"
      "le lr, 1b\n"
      "2:\n\t"
      "vctp.8 %[rest]\n\t"
      "vpstt\n\t"
      "vldrbt.u8 q0, [%[row]]\n\t"
      "vstrbt.8 q0, [%[strip], %q[places]]"
      : [row] "+r"(row), [strip] "+r"(strip)
      : [whole] "r"(whole), [step] "r"(step), [to_step] "r"(by.at_once * column),
        [rest] "r"(size - whole * step), [places] "w"(by.places)
      : "lr", "q0", "p0", "cc", "memory");
}

// Copies the inputs of output pixels that are neighbours: columns from the first that one of them
// needs, in each the pixels under the filter from top to bottom. Outside is the zero point. Cold,
// as take_pairs() is.
template <class G>
inline __attribute__((noinline, cold)) void fill_strip(const G& g, const Spread& by,
                                                       const int8_t* image, int32_t top,
                                                       int32_t left, int32_t columns,
                                                       int8_t* strip) {
  const int32_t column = g.filter_height * g.input_channels;
  const int32_t bottom = top + (g.filter_height - 1) * g.dilation_height;
  const int32_t from = left < 0 ? 0 : left;
  const int32_t end = left + columns < g.input_width ? left + columns : g.input_width;
  if (top < 0 || bottom >= g.input_height || from > left || end < left + columns) {
    fill(strip, static_cast<int8_t>(g.input_zero_point), columns * column);
  }
  strip += (from - left) * column;
  for (int32_t y = top; y <= bottom; y += g.dilation_height, strip += g.input_channels) {
    if (y < 0 || y >= g.input_height || end <= from) continue;
    copy_row(g, by, strip, image + (y * g.input_width + from) * g.input_channels, end - from);
  }
}

// Where the eight outputs of a pair go, see pairs_of_pixels().
inline uint16x8_t places(int32_t apart) {
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  const uint16x8_t of_second =
      vmulq_n_u16(vandq_u16(lanes, vdupq_n_u16(1)), static_cast<uint16_t>(apart));
  return vaddq_u16(vshrq_n_u16(lanes, 1), of_second);
}

// Output pixels that are neighbours and not yet computed.
struct Row {
  const int8_t* x;  // the inputs of the first
  int32_t step;     // bytes from these to the next one's
  int32_t pixels;
  int8_t* y;
};
// Pairs of them.
struct PairsOfRow {
  KnownPairs known;
  int8_t few[8];  // outputs of a pair with less than four channels each
  int8_t* y;      // where these go
  int32_t count;  // of pixels that have them
};

// Takes as many pairs as there are, or the one that is left: it is computed and written twice.
// Cold: compiled for size, since the time goes into the pairs.
template <bool kUnsigned, class G>
inline __attribute__((noinline, cold)) void take_pairs(const G& g, const int32_t* blocks, Row& row,
                                                       PairsOfRow& taken) {
  const int32_t channels = g.output_channels, step = row.step;
  const int32_t second = row.pixels > 1;
  const bool only = g.tail == 0 && g.full_steps == 0;
  Pairs& pairs = taken.known.based.pairs;
  pairs = {row.x,
           row.x + second * step,
           2 * step,
           g.tail == 0 ? 16 * (g.full_steps + 1) : g.tail + 16 * g.full_steps,
           blocks,
           only          ? kOnly
           : g.tail == 0 ? kWhole
                         : kTail,
           static_cast<uint32_t>(g.full_steps % 4),
           row.y,
           row.y + channels - 4,
           second * channels,
           g.tail,
           g.output_zero_point,
           second ? row.pixels / 2 : 1};
  vstrhq_u16(taken.known.places, places(pairs.apart));
  taken.count = 0;
  if (channels < 4) {
    pairs.y = pairs.last = taken.few;
    pairs.apart = 4;
    vstrhq_u16(taken.known.places, places(4));
    pairs.left = 1;
    taken.y = row.y;
    taken.count = 1 + second;
  }
  if constexpr (kUnsigned) {
    const int32_t inputs = g.filter_height * g.filter_width * g.input_channels;
    taken.known.based.base0 = g.sum_factor * sum_of(pairs.x0, inputs);
    taken.known.based.base1 = g.sum_factor * sum_of(pairs.x1, inputs);
    pairs.left = 1;
  }
  const int32_t done = second ? 2 * pairs.left : 1;
  row.x += done * step;
  row.y += done * channels;
  row.pixels -= done;
}

// Neighbours whose inputs are `step` bytes apart.
template <bool kUnsigned, class G>
inline __attribute__((noinline)) void row_of_pixels(const G& g, PairsFunction function,
                                                    const int32_t* blocks, const int8_t* x,
                                                    int32_t step, int32_t pixels, int8_t* y) {
  Row row = {x, step, pixels, y};
  while (row.pixels > 0) {
    PairsOfRow taken;
    take_pairs<kUnsigned>(g, blocks, row, taken);
    function(taken.known);
    for (int32_t i = 0; i < taken.count; ++i) {
      for (int32_t c = 0; c < g.output_channels; ++c) *taken.y++ = taken.few[4 * i + c];
    }
  }
  clamp_outputs<kUnsigned>(g, y, pixels * g.output_channels);
}

// The output pixels of one row from `first` to before `end`, which have a strip in common. Inputs
// of uint8 become int8, 128 less, as weights are; G has the factor of their sum that this makes up
// for.
template <int32_t kRounding, bool kUnsigned = false, class G>
inline void group_of_pixels(const G& g, const Spread& by, const int32_t* blocks,
                            const int8_t* image, int32_t oy, int32_t first, int32_t end,
                            int8_t* strip, int8_t* y) {
  const int32_t columns = (end - first - 1) * g.stride_width + g.filter_width;
  fill_strip(g, by, image, oy * g.stride_height - g.padding_top,
             first * g.stride_width - g.padding_left, columns, strip);
  if constexpr (kUnsigned) flip(strip, columns * g.filter_height * g.input_channels);
  const int32_t step = g.stride_width * g.filter_height * g.input_channels;
  row_of_pixels<kUnsigned>(g, any_pairs<kRounding, kUnsigned>, blocks, strip, step, end - first, y);
}

}  // namespace opsmith::mve
