// Where kernels of float32 find the inputs of neighbours in a row of y.
#pragma once

#include "runtimes/core/walk.h"
#include "runtimes/families/window.h"

namespace opsmith::conv_2d::f32 {

inline constexpr int32_t kPixels = 4;  // of y that go together, where they can

// Where the window of a pixel of y begins, which may be outside of the image.
struct Corner {
  int32_t top, left;
};
template <class P>
constexpr Corner corner_of(const P& p, int32_t oy, int32_t ox) {
  return {oy * p.stride_height - p.padding_top, ox * p.stride_width - p.padding_left};
}

// Whether the windows of four pixels of y, from ox on, lie between the sides of the image.
template <class P>
bool are_between_sides(const P& p, int32_t ox) {
  const int32_t left = ox * p.stride_width - p.padding_left;
  const int32_t more = (kPixels - 1) * p.stride_width + (p.filter_width - 1) * p.dilation_width;
  return ox >= 0 && ox + kPixels <= p.output_width && left >= 0 && left + more < p.input_width;
}

// Calls f(image, corner, pixels, y) for four neighbours in a row of y whose windows lie between the
// sides of the image, or for one pixel: with the corner of the first window.
template <class P, class F>
void for_each_strip(const P& p, const float* x, float* y, F f) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  for (int32_t i = 0; i < p.batches * p.output_height; ++i) {
    const int32_t row = nth(i, p.batches * p.output_height, p.reversed);
    const float* image = x + row / p.output_height * size;
    for (int32_t done = 0, pixels; done < p.output_width; done += pixels) {
      const int32_t left = p.output_width - done;
      pixels = are_between_sides(p, p.reversed ? left - kPixels : done) ? kPixels : 1;
      const int32_t ox = p.reversed ? left - pixels : done;
      f(image, corner_of(p, row % p.output_height, ox), pixels,
        y + (row * p.output_width + ox) * p.output_channels);
    }
  }
}

// Calls f(inputs, weights, count) for each run of inputs that weights of one channel meet in order:
// the places of the first of them in the image and in the filter.
template <class P, class F>
void for_each_run(const P& p, const Corner& corner, F f) {
  const int32_t channels = p.input_channels;
  const Taps rows = taps_inside(corner.top, p.input_height, p.filter_height, p.dilation_height);
  const Taps columns = taps_inside(corner.left, p.input_width, p.filter_width, p.dilation_width);
  const int32_t taps = p.dilation_width == 1 ? columns.end - columns.first : 1;
  for (int32_t fy = rows.first; fy < rows.end; ++fy) {
    const int32_t row = (corner.top + fy * p.dilation_height) * p.input_width + corner.left;
    for (int32_t fx = columns.first; fx < columns.end; fx += taps) {
      f((row + fx * p.dilation_width) * channels, (fy * p.filter_width + fx) * channels,
        taps * channels);
    }
  }
}

// Copies the inputs of a group of channels for one pixel of y, with zeros outside of the image;
// returns where those of the next one go. Some columns of each window are inside: no float32
// convolution absorbs a PAD.
template <class P>
float* copy_window(const P& p, const float* image, const Corner& corner, float* window) {
  const int32_t depth = p.filter_channels, run = p.filter_width * depth;
  const Taps columns = taps_inside(corner.left, p.input_width, p.filter_width, 1);
  const int32_t first = columns.first * depth, end = columns.end * depth;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = corner.top + fy * p.dilation_height;
    const bool there = y >= 0 && y < p.input_height;
    const int32_t at = (y * p.input_width + corner.left) * p.input_channels;
    if (depth == p.input_channels) {
      const int32_t from = there ? first : run, to = there ? end : run;
      int32_t i = 0;
      for (; i < from; ++i) *window++ = 0.0f;
      for (; i < to; ++i) *window++ = image[at + i];
      for (; i < run; ++i) *window++ = 0.0f;
    } else {
      const float* row = image + at;
      for (int32_t i = 0; i < run; row += p.input_channels) {
        for (int32_t j = 0; j < depth; ++j, ++i) {
          *window++ = there && i >= first && i < end ? row[j] : 0.0f;
        }
      }
    }
  }
  return window;
}

// Calls f(pixels, group, y) for each group of channels of four neighbours in y, or of the last ones
// of an image, whose windows then are in `windows`.
template <class P, class F>
void for_each_copy(const P& p, const float* x, float* windows, float* y, F f) {
  const int32_t size = p.input_height * p.input_width * p.input_channels;
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t strips = (pixels + kPixels - 1) / kPixels;
  for (int32_t i = 0; i < p.batches * strips; ++i) {
    const int32_t strip = nth(i, p.batches * strips, p.reversed), b = strip / strips;
    const int32_t first = strip % strips * kPixels;
    const int32_t end = first + kPixels < pixels ? first + kPixels : pixels;
    for (int32_t group = 0; group < p.input_channels / p.filter_channels; ++group) {
      const float* image = x + b * size + group * p.filter_channels;
      float* window = windows;
      for (int32_t n = first; n < end; ++n) {
        window =
            copy_window(p, image, corner_of(p, n / p.output_width, n % p.output_width), window);
      }
      f(end - first, group, y + (b * pixels + first) * p.output_channels);
    }
  }
}

}  // namespace opsmith::conv_2d::f32
