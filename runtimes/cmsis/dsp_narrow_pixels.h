// All channels of four pixels of int16, for kernels that require `dsp`. Fast because each pair of
// weights that is loaded serves four pixels and two output channels: eight sums stay in registers,
// and SMLAD adds two products at once. Where sums may not fit 32 bits, SMLALD adds to those of two
// pixels and two channels.
#pragma once

#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::dsp::halfwords {

// Columns: for each two inputs of a window one word for each of four pixels. A row of a window has
// whole words: a weight of zero follows an odd number of inputs.
constexpr int32_t kPixels = 4;

// Writes a row of a window that lies in the image. Loads in a row take half the time of loads
// apart.
inline void spread_row(const int16_t* inputs, int32_t size, uint32_t* columns) {
  const int16_t* end = inputs + (size & ~7);
  for (; inputs != end; inputs += 8, columns += 4 * kPixels) {
    const uint32_t word0 = dsp::load_word(inputs), word1 = dsp::load_word(inputs + 2),
                   word2 = dsp::load_word(inputs + 4), word3 = dsp::load_word(inputs + 6);
    columns[0] = word0;
    columns[kPixels] = word1;
    columns[2 * kPixels] = word2;
    columns[3 * kPixels] = word3;
  }
  for (int32_t i = 0; i < (size & 6); i += 2, columns += kPixels) {
    *columns = dsp::load_word(inputs + i);
  }
  if (size & 1) *columns = static_cast<uint16_t>(inputs[size & 6]);
}

// Writes inputs of one tap, from input `at` of a row of the window on.
inline void spread_tap(const int16_t* inputs, int32_t size, int32_t at, uint32_t* columns) {
  for (int32_t i = at; i < at + size; ++i, ++inputs) {
    memcpy(reinterpret_cast<int16_t*>(columns + i / 2 * kPixels) + i % 2, inputs, sizeof *inputs);
  }
}

// The window of one output pixel as columns, each row of which has p.row inputs; outside of the
// image is zero.
template <class P>
void spread_window(const P& p, const int16_t* image, int32_t top, int32_t left, uint32_t* columns) {
  const int32_t size = p.filter_width * p.input_channels, words = p.row >> 1;
  const bool neighbours = p.dilation_width == 1 || p.filter_width == 1;
  const bool whole = neighbours && left >= 0 && left + p.filter_width <= p.input_width;
  for (int32_t fy = 0; fy < p.filter_height; ++fy, columns += words * kPixels) {
    const int32_t y = top + fy * p.dilation_height;
    const int16_t* row = image + y * p.input_width * p.input_channels;
    const bool inside = y >= 0 && y < p.input_height;
    if (inside && whole) {
      spread_row(row + left * p.input_channels, size, columns);
      continue;
    }
    for (int32_t i = 0; i < words; ++i) columns[i * kPixels] = 0;
    for (int32_t fx = 0; inside && fx < p.filter_width; ++fx) {
      const int32_t x = left + fx * p.dilation_width;
      if (x < 0 || x >= p.input_width) continue;
      spread_tap(row + x * p.input_channels, p.input_channels, fx * p.input_channels, columns);
    }
  }
}

// The columns of up to four pixels from `pixel` on.
template <class P>
void spread_pixels(const P& p, const int16_t* image, int32_t pixel, int32_t count,
                   uint32_t* columns) {
  int32_t row = pixel / p.output_width;
  int32_t column = pixel - row * p.output_width;
  for (int32_t k = 0; k < count; ++k) {
    spread_window(p, image, row * p.stride_height - p.padding_top,
                  column * p.stride_width - p.padding_left, columns + k);
    if (++column == p.output_width) column = 0, ++row;
  }
}

// Adds the products of two inputs to the sums of channels a and b of four pixels. Eight sums, two
// pointers and four words take all registers.
#define OPSMITH_STEP                      \
  "ldr %[a], [%[weights]], #4\n\t"        \
  "ldr %[x], [%[columns]], #4\n\t"        \
  "ldr %[next], [%[columns]], #4\n\t"     \
  "sxtb16 %[b], %[a], ror #8\n\t"         \
  "sxtb16 %[a], %[a]\n\t"                 \
  "smlad %[a0], %[a], %[x], %[a0]\n\t"    \
  "smlad %[b0], %[b], %[x], %[b0]\n\t"    \
  "smlad %[a1], %[a], %[next], %[a1]\n\t" \
  "smlad %[b1], %[b], %[next], %[b1]\n\t" \
  "ldr %[x], [%[columns]], #4\n\t"        \
  "ldr %[next], [%[columns]], #4\n\t"     \
  "smlad %[a2], %[a], %[x], %[a2]\n\t"    \
  "smlad %[b2], %[b], %[x], %[b2]\n\t"    \
  "smlad %[a3], %[a], %[next], %[a3]\n\t" \
  "smlad %[b3], %[b], %[next], %[b3]\n\t"
constexpr int32_t kStepBytes = 60;
constexpr int32_t kSteps = 8;  // of one turn of the loop

// A sum as an output.
#define OPSMITH_NARROW(sum, multiplier)          \
  "smmulr %[" sum "], %[" sum "], %[" multiplier \
  "]\n\t"                                        \
  ".if %c[positive]\n\t"                         \
  "usat %[" sum "], #15, %[" sum                 \
  "]\n\t"                                        \
  ".else\n\t"                                    \
  "ssat %[" sum "], #16, %[" sum                 \
  "]\n\t"                                        \
  ".endif\n\t"

// All pairs of channels of four pixels whose columns of N words are filled, clamped to int16,
// kPositive: to what is no less than 0. In assembly, with no more instructions than it takes; one
// function for all layers. Returns the weights of a last channel without a second.
template <bool kPositive>
__attribute__((noinline)) const uint32_t* pairs_of_channels(const uint32_t* filled, int32_t words,
                                                            const uint32_t* weights,
                                                            const Narrow* constants,
                                                            int32_t channels, int16_t* y) {
  const uint32_t* end = filled + words;
  const int32_t skipped = (-words / kPixels & (kSteps - 1)) * kStepBytes;  // of the first turn
  const int32_t pitch = 2 * channels;                                      // bytes
  for (int32_t pairs = channels / 2; pairs != 0; --pairs) {
    const uint32_t* columns = filled;
    int32_t a0, a1, a2, a3, b0, b1, b2, b3;
    uint32_t a, b, x, next;
    __asm volatile(
        "ldr %[x], %[constants]\n\t"
        "ldr %[a], %[skipped]\n\t"
        "ldr %[a0], [%[x]]\n\t"
        "ldr %[b0], [%[x], #8]\n\t"
        "mov %[a1], %[a0]\n\t"
        "mov %[a2], %[a0]\n\t"
        "mov %[a3], %[a0]\n\t"
        "mov %[b1], %[b0]\n\t"
        "mov %[b2], %[b0]\n\t"
        "mov %[b3], %[b0]\n\t"
        ".balign 4\n\t"
        "add pc, %[a]\n\t"
        "nop\n"
        "1:\n\t" OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP OPSMITH_STEP
            OPSMITH_STEP OPSMITH_STEP
        "ldr %[a], %[end]\n\t"
        "cmp %[columns], %[a]\n\t"
        "bne 1b\n\t"
        "ldr %[x], %[constants]\n\t"
        "ldr %[columns], %[y]\n\t"
        "ldr %[next], %[pitch]\n\t"
        "ldr %[a], [%[x], #4]\n\t"
        "ldr %[b], [%[x], #12]\n\t"
        "add %[x], %[x], #16\n\t"
        "str %[x], %[constants]\n\t"
        OPSMITH_NARROW("a0", "a") OPSMITH_NARROW("a1", "a") OPSMITH_NARROW("a2", "a")
        OPSMITH_NARROW("a3", "a") OPSMITH_NARROW("b0", "b") OPSMITH_NARROW("b1", "b")
        OPSMITH_NARROW("b2", "b") OPSMITH_NARROW("b3", "b")
        "strh %[b0], [%[columns], #2]\n\t"
        "strh %[a0], [%[columns]], #4\n\t"
        "str %[columns], %[y]\n\t"
        "add %[columns], %[columns], %[next]\n\t"
        "strh %[a1], [%[columns], #-4]\n\t"
        "strh %[b1], [%[columns], #-2]\n\t"
        "add %[columns], %[columns], %[next]\n\t"
        "strh %[a2], [%[columns], #-4]\n\t"
        "strh %[b2], [%[columns], #-2]\n\t"
        "add %[columns], %[columns], %[next]\n\t"
        "strh %[a3], [%[columns], #-4]\n\t"
        "strh %[b3], [%[columns], #-2]"
        : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [b0] "=&r"(b0),
          [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3), [columns] "+r"(columns),
          [weights] "+r"(weights), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [next] "=&r"(next),
          [constants] "+m"(constants), [y] "+m"(y)
        : [skipped] "m"(skipped), [end] "m"(end), [pitch] "m"(pitch), [positive] "i"(kPositive)
        : "cc", "memory");
  }
  return weights;
}
#undef OPSMITH_NARROW
#undef OPSMITH_STEP

// All channels of four pixels whose columns of N words are filled. `output_channels` are also
// the elements from a pixel of y to the next.
template <class P>
void four_pixels(const P& p, const uint32_t* filled, int32_t words, const uint32_t* weights,
                 const Narrow* constants, int16_t* y) {
  const int32_t channels = p.output_channels, low = p.activation_min, high = p.activation_max;
  weights = low == 0 ? pairs_of_channels<true>(filled, words, weights, constants, channels, y)
                     : pairs_of_channels<false>(filled, words, weights, constants, channels, y);
  if (channels % 2 != 0) {
    const Narrow channel = constants[channels - 1];
    for (int32_t k = 0; k < kPixels; ++k) {
      int32_t sum = channel.bias;
      for (int32_t i = 0; i < words / kPixels; ++i) {
        sum = dsp::smlad(dsp::sxtb16(weights[i]), filled[i * kPixels + k], sum);
      }
      y[(k + 1) * channels - 1] = dsp::narrowed(p, sum, channel.multiplier);
    }
  }
  if ((low == 0 || low == -32768) && high == 32767) return;
  for (int32_t i = 0; i < kPixels * channels; ++i) {
    y[i] = static_cast<int16_t>(clamp(y[i], low, high));
  }
}

// The same with sums of 64 bits, two pixels at a time.
template <class P>
__attribute__((noinline)) void four_pixels(const P& p, const uint32_t* filled, int32_t words,
                                           const uint32_t* weights, const Wide* constants,
                                           int16_t* y) {
  const int32_t channels = p.output_channels;
  for (int32_t c = 0; c < channels; c += 2, weights += words / kPixels) {
    for (int32_t k = 0; k < kPixels; k += 2) {
      int64_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
      const uint32_t* w = weights;
      for (const uint32_t* x = filled + k; x < filled + words; x += kPixels, ++w) {
        const uint32_t first = x[0], second = x[1], a = dsp::sxtb16(*w), b = dsp::sxtb16_ror8(*w);
        a0 = dsp::smlald(a, first, a0);
        a1 = dsp::smlald(a, second, a1);
        b0 = dsp::smlald(b, first, b0);
        b1 = dsp::smlald(b, second, b1);
      }
      int16_t* to = y + k * channels + c;
      to[0] = narrowed(p, a0, constants[c]);
      to[channels] = narrowed(p, a1, constants[c]);
      if (c + 1 == channels) continue;
      to[1] = narrowed(p, b0, constants[c + 1]);
      to[channels + 1] = narrowed(p, b1, constants[c + 1]);
    }
  }
}

}  // namespace opsmith::dsp::halfwords
