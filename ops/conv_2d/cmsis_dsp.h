// Needs the DSP extension. Fast because each pair of weights and of pixels that is loaded serves
// four output channels by two pixels: eight sums stay in registers, and SMLAD adds two products at
// once.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::conv_2d {

// Writes four bytes as two pairs of halfwords, (0, 2) and (1, 3), for one of two pixels whose pairs
// take turns.
inline void spread(uint32_t bytes, uint32_t* columns) {
  columns[0] = dsp::sxtb16(bytes);
  columns[2] = dsp::sxtb16_ror8(bytes);
}

// The inputs of one output pixel, spread; outside of the image is the zero point. For channels that
// are a multiple of four.
template <class S>
void spread_pixels(const S& s, const int8_t* image, int32_t top, int32_t left, uint32_t* columns) {
  const uint32_t outside = static_cast<uint8_t>(s.input_zero_point) * 0x01010101u;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      const bool inside = y >= 0 && y < s.input_height && x >= 0 && x < s.input_width;
      const int8_t* pixel = image + (y * s.input_width + x) * s.input_channels;
      for (int32_t c = 0; c < s.input_channels; c += 4, columns += 4) {
        spread(inside ? dsp::load_word(pixel + c) : outside, columns);
      }
    }
  }
}

// The same for any number of channels: byte by byte into a window, which is then spread.
template <class S>
void spread_bytes(const S& s, const int8_t* image, int32_t top, int32_t left, int32_t size,
                  int8_t* window, uint32_t* columns) {
  int8_t* next = window;
  for (int32_t fy = 0; fy < s.filter_height; ++fy) {
    const int32_t y = top + fy * s.dilation_height;
    for (int32_t fx = 0; fx < s.filter_width; ++fx) {
      const int32_t x = left + fx * s.dilation_width;
      const bool inside = y >= 0 && y < s.input_height && x >= 0 && x < s.input_width;
      const int8_t* pixel = image + (y * s.input_width + x) * s.input_channels;
      for (int32_t c = 0; c < s.input_channels; ++c) {
        *next++ = inside ? pixel[c] : static_cast<int8_t>(s.input_zero_point);
      }
    }
  }
  for (int32_t i = 0; i < size; i += 4, columns += 4) spread(dsp::load_word(window + i), columns);
}

// Adds the products of two of four inputs to the sums of channels a to d of pixels 0 and 1. Eight
// sums, two pointers and three words leave one register of fourteen to the loop; what the compiler
// finds by itself spills sums. Volatile, to stay behind the barrier that follows the columns.
template <int32_t kAt>
inline void multiply_half(const uint32_t* columns, const uint32_t* weights, int32_t& a0,
                          int32_t& b0, int32_t& c0, int32_t& d0, int32_t& a1, int32_t& b1,
                          int32_t& c1, int32_t& d1) {
  uint32_t x, w, pair;
  __asm volatile(
      "ldr %[x], [%[columns], %[at]]\n\t"
      "ldr %[w], [%[weights], %[at]]\n\t"
      "sxtb16 %[pair], %[w]\n\t"
      "sxtb16 %[w], %[w], ror #8\n\t"
      "smlad %[a0], %[pair], %[x], %[a0]\n\t"
      "smlad %[b0], %[w], %[x], %[b0]\n\t"
      "ldr %[x], [%[columns], %[next]]\n\t"
      "smlad %[a1], %[pair], %[x], %[a1]\n\t"
      "smlad %[b1], %[w], %[x], %[b1]\n\t"
      "ldr %[w], [%[weights], %[next]]\n\t"
      "sxtb16 %[pair], %[w]\n\t"
      "sxtb16 %[w], %[w], ror #8\n\t"
      "smlad %[c1], %[pair], %[x], %[c1]\n\t"
      "smlad %[d1], %[w], %[x], %[d1]\n\t"
      "ldr %[x], [%[columns], %[at]]\n\t"
      "smlad %[c0], %[pair], %[x], %[c0]\n\t"
      "smlad %[d0], %[w], %[x], %[d0]"
      : [a0] "+r"(a0), [b0] "+r"(b0), [c0] "+r"(c0), [d0] "+r"(d0), [a1] "+r"(a1), [b1] "+r"(b1),
        [c1] "+r"(c1), [d1] "+r"(d1), [x] "=&r"(x), [w] "=&r"(w), [pair] "=&r"(pair)
      : [columns] "r"(columns), [weights] "r"(weights), [at] "i"(kAt), [next] "i"(kAt + 4));
}

// One channel of two pixels; of the second only where there is one.
template <class S>
void store(const S& s, int32_t sum0, int32_t sum1, const dsp::Channel& channel, bool second,
           int8_t* y) {
  y[0] = dsp::clamped(s, dsp::requantize(sum0, channel));
  if (second) y[s.output_channels] = dsp::clamped(s, dsp::requantize(sum1, channel));
}

// All channels of two pixels whose inputs are spread; of the second only where there is one. The
// weights are packed to be read once in order: for each four inputs, pairs of channels a, b and c,
// d for inputs (0, 2), then for inputs (1, 3).
template <class S>
__attribute__((noinline)) void two_pixels(const S& s, const uint32_t* columns, int32_t size,
                                          const uint32_t* weights, const int32_t* biases,
                                          const dsp::Channel* requantization, bool second,
                                          int8_t* y) {
  const uint32_t* end = columns + size;
  for (int32_t c = 0; c < s.output_channels; c += 4) {
    const int32_t* bias = biases + c;
    int32_t a0 = bias[0], b0 = bias[1], c0 = bias[2], d0 = bias[3];
    int32_t a1 = a0, b1 = b0, c1 = c0, d1 = d0;
    const uint32_t* x = columns;
    do {
      multiply_half<0>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
      multiply_half<8>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
      if (size % 8 == 0) {
        multiply_half<16>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
        multiply_half<24>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
      }
      if (size % 16 == 0) {
        multiply_half<32>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
        multiply_half<40>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
        multiply_half<48>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
        multiply_half<56>(x, weights, a0, b0, c0, d0, a1, b1, c1, d1);
      }
      const int32_t step = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : 4;
      x += step;
      weights += step;
    } while (x != end);
    const int32_t left = s.output_channels - c;
    const dsp::Channel* channels = requantization + c;
    store(s, a0, a1, channels[0], second, y + c);
    if (s.output_channels % 4 == 0 || left > 1) store(s, b0, b1, channels[1], second, y + c + 1);
    if (s.output_channels % 4 == 0 || left > 2) store(s, c0, c1, channels[2], second, y + c + 2);
    if (s.output_channels % 4 == 0 || left > 3) store(s, d0, d1, channels[3], second, y + c + 3);
  }
}

template <class S>
void conv_2d_i8_cmsis_dsp(const S& s, const In<int8_t>& in, const Out<int8_t>& out,
                          const DspTables& tables, const CmsisDspScratch& scratch) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  const int32_t* bias = tables.bias;
  const dsp::Channel* channels = reinterpret_cast<const dsp::Channel*>(tables.requantization);
  const int32_t inputs = s.filter_height * s.filter_width * s.filter_channels;
  const int32_t size = (inputs + 3) & ~3;
  const int32_t pixels = s.output_height * s.output_width;
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  int8_t* window = scratch.window;
  int8_t* y = out.y;
  for (int32_t b = 0; b < s.batches; ++b) {
    const int8_t* image = in.x + b * s.input_height * s.input_width * s.input_channels;
    for (int32_t p = 0; p < pixels; p += 2) {
      const bool second = p + 1 < pixels;
      for (int32_t i = 0; i < 2; ++i) {
        const int32_t pixel = p + (second ? i : 0);
        const int32_t row = pixel / s.output_width;
        const int32_t top = row * s.stride_height - s.padding_top;
        const int32_t left = (pixel - row * s.output_width) * s.stride_width - s.padding_left;
        if (s.input_channels % 4 == 0) {
          spread_pixels(s, image, top, left, columns + i);
        } else {
          spread_bytes(s, image, top, left, size, window, columns + i);
        }
      }
      __asm volatile("" ::: "memory");  // the columns are written before they are read
      two_pixels(s, columns, size, weights, bias, channels, second, y);
      y += 2 * s.output_channels;
    }
    if (pixels % 2 != 0) y -= s.output_channels;
  }
}

}  // namespace opsmith::conv_2d
