// Windows of four pixels as columns of halfwords, for kernels that require `dsp`.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// Columns: for each two inputs of a window one word for each of four pixels, with the inputs spread
// to halfwords. Of each four inputs (0, 2) are together and come first, then (1, 3).
constexpr int32_t kPixels = 4;

// kFlip turns uint8 inputs into int8, 128 less.
inline constexpr uint32_t kFlip = 0x80808080;

template <uint32_t kMask>
inline void spread_word(uint32_t word, uint32_t* columns) {
  word ^= kMask;
  columns[0] = sxtb16(word);
  columns[kPixels] = sxtb16_ror8(word);
}

// Writes inputs as columns of one pixel; `size` is a multiple of four. Loads in a row take half the
// time of loads apart.
template <uint32_t kMask>
inline uint32_t* spread(const int8_t* inputs, int32_t size, uint32_t* columns) {
  const int8_t* end = inputs + (size & ~15);
  for (; inputs != end; inputs += 16, columns += 8 * kPixels) {
    const uint32_t word0 = load_word(inputs), word1 = load_word(inputs + 4),
                   word2 = load_word(inputs + 8), word3 = load_word(inputs + 12);
    spread_word<kMask>(word0, columns);
    spread_word<kMask>(word1, columns + 2 * kPixels);
    spread_word<kMask>(word2, columns + 4 * kPixels);
    spread_word<kMask>(word3, columns + 6 * kPixels);
  }
  for (int32_t i = 0; i < (size & 15); i += 4, columns += 2 * kPixels) {
    spread_word<kMask>(load_word(inputs + i), columns);
  }
  return columns;
}

// Writes up to four neighbours of four channels or more as columns; of fewer, the columns of the
// others become those of the first. kUneven: last channels do not fill a word, and have zeros
// behind them. All instances share it: a call takes little of the time of four pixels' products.
template <uint32_t kMask, bool kUneven = false>
__attribute__((noinline)) void spread_neighbours(const int8_t* inputs, int32_t channels,
                                                 int32_t count, uint32_t* columns) {
  const int32_t second = count > 1 ? channels : 0, third = count > 2 ? 2 * channels : 0,
                fourth = count > 3 ? 3 * channels : 0, rest = kUneven ? channels & 3 : 0;
  const int8_t* end = inputs + channels - rest;
  for (; inputs != end; inputs += 4, columns += 2 * kPixels) {
    const uint32_t word0 = load_word(inputs), word1 = load_word(inputs + second),
                   word2 = load_word(inputs + third), word3 = load_word(inputs + fourth);
    spread_word<kMask>(word0, columns);
    spread_word<kMask>(word1, columns + 1);
    spread_word<kMask>(word2, columns + 2);
    spread_word<kMask>(word3, columns + 3);
  }
  if constexpr (kUneven) {
    inputs += rest - 4;  // words that end where the pixels do
    const int32_t lacking = 32 - 8 * rest;
    spread_word<0>((load_word(inputs) ^ kMask) >> lacking, columns);
    spread_word<0>((load_word(inputs + second) ^ kMask) >> lacking, columns + 1);
    spread_word<0>((load_word(inputs + third) ^ kMask) >> lacking, columns + 2);
    spread_word<0>((load_word(inputs + fourth) ^ kMask) >> lacking, columns + 3);
  }
}

// Writes N zero points as columns of one pixel; `size` is even.
template <uint32_t kMask>
inline uint32_t* spread_border(int32_t zero_point, int32_t size, uint32_t* columns) {
  const int8_t value = static_cast<int8_t>(zero_point ^ static_cast<int32_t>(kMask & 0xff));
  const uint32_t half = static_cast<uint16_t>(value);
  for (int32_t i = 0; i < size; i += 2, columns += kPixels) *columns = half << 16 | half;
  return columns;
}

// Writes a window tap by tap as columns of one pixel; channels are a multiple of four. Outside of
// the image is the zero point.
template <uint32_t kMask, class P>
void spread_taps(const P& p, const int8_t* image, int32_t top, int32_t left, uint32_t* columns) {
  const int32_t channels = p.input_channels;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool row = y >= 0 && y < p.input_height;
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      const int8_t* tap = image + (y * p.input_width + x) * channels;
      columns = row && x >= 0 && x < p.input_width
                    ? spread<kMask>(tap, channels, columns)
                    : spread_border<kMask>(p.input_zero_point, channels, columns);
    }
  }
}

// Copies a window tap by tap; outside of the image is the zero point.
template <class P>
void copy_window(const P& p, const int8_t* image, int32_t top, int32_t left, int8_t* window) {
  const size_t channels = static_cast<size_t>(p.input_channels);
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    for (int32_t fx = 0; fx < p.filter_width; ++fx, window += channels) {
      const int32_t x = left + fx * p.dilation_width;
      if (y >= 0 && y < p.input_height && x >= 0 && x < p.input_width) {
        memcpy(window, image + (y * p.input_width + x) * p.input_channels, channels);
      } else {
        memset(window, p.input_zero_point, channels);
      }
    }
  }
}

// The window of one output pixel as columns. `window` is scratch for channels that are no multiple
// of four.
template <uint32_t kMask, class P>
void spread_window(const P& p, const int8_t* image, int32_t top, int32_t left, int32_t size,
                   int8_t* window, uint32_t* columns) {
  const int32_t row = p.filter_width * p.input_channels;
  const int32_t bottom = top + (p.filter_height - 1) * p.dilation_height;
  const bool rows = (p.dilation_width == 1 || p.filter_width == 1) && top >= 0 &&
                    bottom < p.input_height && left >= 0 &&
                    left + p.filter_width <= p.input_width;  // whole rows of it are in the image
  const int8_t* first = image + (top * p.input_width + left) * p.input_channels;
  const int32_t pitch = p.dilation_height * p.input_width * p.input_channels;
  if (rows && row % 4 == 0) {
    for (int32_t fy = 0; fy < p.filter_height; ++fy) {
      columns = spread<kMask>(first + fy * pitch, row, columns);
    }
    return;
  }
  if (p.input_channels % 4 == 0) return spread_taps<kMask>(p, image, top, left, columns);
  if (rows) {
    for (int32_t fy = 0; fy < p.filter_height; ++fy) {
      memcpy(window + fy * row, first + fy * pitch, static_cast<size_t>(row));
    }
  } else {
    copy_window(p, image, top, left, window);
  }
  spread<kMask>(window, size, columns);
}

// The columns of up to four pixels from `pixel` on.
template <uint32_t kMask = 0, class P>
void spread_pixels(const P& p, const int8_t* image, int32_t pixel, int32_t count, int32_t size,
                   int8_t* window, uint32_t* columns) {
  const bool dense = p.filter_height == 1 && p.filter_width == 1 && p.stride_height == 1 &&
                     p.stride_width == 1 && p.padding_top == 0 && p.padding_left == 0 &&
                     p.output_width == p.input_width && p.output_height == p.input_height;
  const int32_t channels = p.input_channels;
  const int8_t* first = image + pixel * channels;
  if (dense && channels % 4 == 0) return spread_neighbours<kMask>(first, channels, count, columns);
  if (dense && channels > 4) return spread_neighbours<kMask, true>(first, channels, count, columns);
  int32_t row = pixel / p.output_width;
  int32_t column = pixel - row * p.output_width;
  for (int32_t k = 0; k < count; ++k) {
    spread_window<kMask>(p, image, row * p.stride_height - p.padding_top,
                         column * p.stride_width - p.padding_left, size, window, columns + k);
    if (++column == p.output_width) column = 0, ++row;
  }
}

}  // namespace opsmith::dsp
