// Needs Thumb. Fast because one multiplication serves two pixels, and because four sums stay in the
// registers that cores without Thumb-2 have. Windows are copied with their border, so that no
// product is skipped and zero points are in the constants.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/core/high_product.h"
#include "runtimes/core/walk.h"

namespace opsmith::conv_2d::i8 {
namespace pixel_pairs {

inline constexpr int32_t kPixels = 2;

// The inputs of one output pixel of a pair; outside of the image is the zero point.
template <class Multiply, class P>
void gather_window(const P& p, const int8_t* image, int32_t top, int32_t left, int32_t pixel,
                   typename Multiply::Input* window) {
  const int32_t row = p.filter_width * p.input_channels;
  const int32_t right = left + (p.filter_width - 1) * p.dilation_width;
  const bool whole = left >= 0 && right < p.input_width && p.dilation_width == 1;
  for (int32_t fy = 0; fy < p.filter_height; ++fy) {
    const int32_t y = top + fy * p.dilation_height;
    const bool inside = y >= 0 && y < p.input_height;
    const int8_t* pixels = image + (y * p.input_width + left) * p.input_channels;
    if (inside && whole) {
      window = Multiply::put(row, pixel, window, [&](int32_t i) { return pixels[i]; });
      continue;
    }
    for (int32_t fx = 0; fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (inside && x >= 0 && x < p.input_width) {
        const int8_t* from = pixels + fx * p.dilation_width * p.input_channels;
        window = Multiply::put(p.input_channels, pixel, window, [&](int32_t i) { return from[i]; });
      } else {
        const int8_t zero = static_cast<int8_t>(p.input_zero_point);
        window = Multiply::put(p.input_channels, pixel, window, [&](int32_t) { return zero; });
      }
    }
  }
}

// Sums of two channels for a pair of pixels. An input of the first pixel and 2^16 times that of the
// second are one word, a word of weights has two for each of the channels, and a register thus
// takes the sum A + 2^16 B of two products for either pixel: no pair of weights is -128 twice, so
// that A and B fit 16 bits. Such registers are summed up as they are, and their upper halves for
// themselves: a shift by 16 is B rounded down, and leaves the sign of A as the carry that is
// missing.
struct Multiply {
  using Input = int32_t;
  using Weight = int32_t;
  static constexpr int32_t kChannels = 2;

  // What a pair of channels has of weights for N inputs, filled up to a multiple of four.
  static constexpr int32_t weights(int32_t size) { return (size + 3) / 4 * 2; }

  template <class From>
  static Input* put(int32_t inputs, int32_t pixel, Input* to, From from) {
    if (pixel == 0) {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) to[i] = from(i);
    } else {
#pragma GCC unroll 4
      for (int32_t i = 0; i < inputs; ++i) to[i] += from(i) * 65536;
    }
    return to + inputs;
  }

  static void sums_of(const Input* x, int32_t size, const Weight* w,
                      int32_t (&sums)[kPixels][kChannels]) {
    add_products(x, w, x + 2 * weights(size), &sums[0][0]);
  }

 private:
  // All registers, which the compiler would spill: r8 and r9 sum up the registers that the text
  // above speaks of, r6 and r7 their upper halves.
  __attribute__((naked, noipa)) static void add_products(const Input* /*x*/, const Weight* /*w*/,
                                                         const Input* /*end*/, int32_t* /*sums*/) {
    __asm volatile(
        "push {r4-r7, lr}\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "mov r6, r10\n\t"
        "push {r4-r6}\n\t"
        "mov r10, r2\n\t"
        "mov lr, r3\n\t"
        "movs r6, #0\n\t"
        "movs r7, #0\n\t"
        "mov r8, r6\n\t"
        "mov r9, r6\n"
        "1:\n\t"
        ".rept 2\n\t"
        "ldmia r0!, {r2, r3}\n\t"  // two inputs
        "ldmia r1!, {r4}\n\t"      // their weights: bytes 0 and 1, and 2 and 3
        "sxtb r5, r4\n\t"
        "muls r5, r2, r5\n\t"
        "mov r12, r5\n\t"
        "lsrs r5, r4, #8\n\t"
        "sxtb r5, r5\n\t"
        "muls r5, r3, r5\n\t"
        "add r5, r12\n\t"
        "add r8, r5\n\t"
        "asrs r5, r5, #16\n\t"
        "adcs r6, r5\n\t"
        "lsrs r5, r4, #16\n\t"
        "sxtb r5, r5\n\t"
        "muls r2, r5, r2\n\t"
        "asrs r4, r4, #24\n\t"
        "muls r4, r3, r4\n\t"
        "adds r4, r4, r2\n\t"
        "add r9, r4\n\t"
        "asrs r4, r4, #16\n\t"
        "adcs r7, r4\n\t"
        ".endr\n\t"
        "cmp r0, r10\n\t"
        "bne 1b\n\t"
        "lsls r2, r6, #16\n\t"
        "lsls r3, r7, #16\n\t"
        "mov r4, r8\n\t"
        "mov r5, r9\n\t"
        "subs r4, r4, r2\n\t"
        "subs r5, r5, r3\n\t"
        "mov r0, lr\n\t"
        "stmia r0!, {r4-r7}\n\t"
        "pop {r4-r6}\n\t"
        "mov r8, r4\n\t"
        "mov r9, r5\n\t"
        "mov r10, r6\n\t"
        "pop {r4-r7, pc}");
  }
};

// All channels of as many pixels as there are of a pair.
template <class Multiply, class Constants, class P>
void pair_outputs(const P& p, const typename Multiply::Input* windows, int32_t size, int32_t pixels,
                  const typename Multiply::Weight* weights, Constants constants, int8_t* y) {
  constexpr int32_t kChannels = Multiply::kChannels;
  for (int32_t c = 0; c < p.output_channels; c += kChannels, weights += Multiply::weights(size)) {
    int32_t sums[kPixels][kChannels];
    Multiply::sums_of(windows, size, weights, sums);
    const int32_t channels = min(p.output_channels - c, kChannels);
    for (int32_t i = 0; i < channels; ++i) {
      const auto channel = lines_of(constants)[c + i];
      y[c + i] = requantize_sum(p, sums[0][i], channel);
      if (pixels == kPixels) {
        y[p.output_channels + c + i] = requantize_sum(p, sums[1][i], channel);
      }
    }
    exceptions_before(constants, c + kChannels, [&](const Exception* e) {
      return corrected_block<kChannels>(e, c, &sums[0][0], y, pixels, p.output_channels);
    });
  }
}

// The whole convolution, with what computes sums.
template <class Multiply, class Tables, class P>
void convolve(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables,
              typename Multiply::Input* windows) {
  const int32_t size = p.filter_height * p.filter_width * p.input_channels;
  const int32_t pixels = p.output_height * p.output_width;
  const int32_t last = (pixels - 1) / kPixels * kPixels;
  for (int32_t i = 0; i < p.batches; ++i) {
    const int32_t b = nth(i, p.batches, p.reversed);
    const int8_t* image = in.x + b * p.input_height * p.input_width * p.input_channels;
    for (int32_t j = 0; j < pixels; j += kPixels) {
      const int32_t first = p.reversed ? last - j : j;
      const int32_t count = min(pixels - first, kPixels);
      for (int32_t k = 0; k < kPixels; ++k) {
        const int32_t pixel = min(first + k, pixels - 1);  // of half a pair: twice the one
        const int32_t row = pixel / p.output_width;
        const int32_t column = pixel - row * p.output_width;
        gather_window<Multiply>(p, image, row * p.stride_height - p.padding_top,
                                column * p.stride_width - p.padding_left, k, windows);
      }
      int8_t* y = out.y + (b * pixels + first) * p.output_channels;
      with_constants(p, tables.requantization, [&](auto constants) {
        pair_outputs<Multiply>(p, windows, size, count, tables.filter, constants, y);
      });
    }
  }
}

}  // namespace pixel_pairs

template <class P, class S>
void plain(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const PlainTables& tables,
           const S& scratch) {
  pixel_pairs::convolve<pixel_pairs::Multiply>(p, in, out, tables, scratch.windows);
}

}  // namespace opsmith::conv_2d::i8
