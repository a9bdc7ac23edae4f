// Needs the DSP extension. Fast because four outputs of a 3x3 filter take 16 products for each
// input channel instead of 36: Winograd's F(2x2, 3x3), in integers, with weights that are made four
// times as large and so stay whole (A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural
// Networks). For stride 1 and channels that are a multiple of 16.
#pragma once

#include "conv_2d.op.h"
#include "runtimes/cmsis/dsp.h"

namespace opsmith::conv_2d::i8 {
namespace tiles {

// A tile is four by four inputs, and the two by two outputs that they make. Four tiles side by side
// are computed at once.
constexpr int32_t kTiles = 4;
constexpr int32_t kPositions = 16;  // of a transformed tile

inline uint32_t sadd16(uint32_t a, uint32_t b) {
  uint32_t sums;
  __asm("sadd16 %0, %1, %2" : "=r"(sums) : "r"(a), "r"(b));
  return sums;
}

inline uint32_t ssub16(uint32_t a, uint32_t b) {
  uint32_t differences;
  __asm("ssub16 %0, %1, %2" : "=r"(differences) : "r"(a), "r"(b));
  return differences;
}

// Copies row y of the image, or what is above and below it, into a line of the buffer.
template <class P>
void copy_line(const P& p, const int8_t* image, int32_t y, int8_t* line) {
  memset(line, p.input_zero_point, static_cast<size_t>(p.line_bytes));
  if (y < 0 || y >= p.input_height) return;
  const int32_t bytes = p.input_width * p.input_channels;
  memcpy(line + p.padding_left * p.input_channels, image + y * bytes, static_cast<size_t>(bytes));
}

// One transformed column of a tile, for two channels in the halves of words.
struct Column {
  uint32_t of[4];
};

inline Column transformed(uint32_t d0, uint32_t d1, uint32_t d2, uint32_t d3) {
  return {{ssub16(d0, d2), sadd16(d1, d2), ssub16(d2, d1), ssub16(d1, d3)}};
}

// Transforms a tile of inputs: for each position and two channels a word, `pitch` words from one
// position to the next.
template <class P>
void transform_inputs(const P& p, const int8_t* const (&rows)[4], int32_t pitch, uint32_t* to) {
  for (int32_t c = 0; c < p.input_channels; c += 4) {
    for (int32_t half = 0; half < 2; ++half, to += kTiles) {
      Column columns[4];
      for (int32_t x = 0; x < 4; ++x) {
        uint32_t d[4];
        for (int32_t y = 0; y < 4; ++y) {
          const uint32_t word = dsp::load_word(rows[y] + x * p.input_channels + c);
          d[y] = half ? dsp::sxtb16_ror8(word) : dsp::sxtb16(word);
        }
        columns[x] = transformed(d[0], d[1], d[2], d[3]);
      }
      for (int32_t y = 0; y < 4; ++y) {
        const Column row =
            transformed(columns[0].of[y], columns[1].of[y], columns[2].of[y], columns[3].of[y]);
        for (int32_t x = 0; x < 4; ++x) to[(4 * y + x) * pitch] = row.of[x];
      }
    }
  }
}

// Products of two inputs with two channels of four tiles. Eight sums, two pointers and four words
// take all registers.
#define OPSMITH_STEP(operation, sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7)              \
  "ldr %[wa], [%[weights]], #4\n\t"                                                          \
  "ldr %[wb], [%[weights]], #4\n\t"                                                          \
  "ldr %[x], [%[inputs]], #4\n\t"                                                            \
  "ldr %[next], [%[inputs]], #4\n\t" operation " %[a0], %[wa], %[x]" sum0 "\n\t" operation   \
  " %[b0], %[wb], %[x]" sum1 "\n\t" operation " %[a1], %[wa], %[next]" sum2 "\n\t" operation \
  " %[b1], %[wb], %[next]" sum3                                                              \
  "\n\t"                                                                                     \
  "ldr %[x], [%[inputs]], #4\n\t"                                                            \
  "ldr %[next], [%[inputs]], #4\n\t" operation " %[a2], %[wa], %[x]" sum4 "\n\t" operation   \
  " %[b2], %[wb], %[x]" sum5 "\n\t" operation " %[a3], %[wa], %[next]" sum6 "\n\t" operation \
  " %[b3], %[wb], %[next]" sum7 "\n\t"
#define OPSMITH_FIRST OPSMITH_STEP("smuad", "", "", "", "", "", "", "", "")
#define OPSMITH_NEXT                                                                      \
  OPSMITH_STEP("smlad", ", %[a0]", ", %[b0]", ", %[a1]", ", %[b1]", ", %[a2]", ", %[b2]", \
               ", %[a3]", ", %[b3]")

// The sums of two channels of four tiles, position by position: [position][a and b][tile].
inline const uint32_t* multiply(const uint32_t* inputs, int32_t channels, const uint32_t* weights,
                                int32_t* sums) {
  for (int32_t k = 0; k < kPositions; ++k) {
    const uint32_t* end = inputs + 2 * channels;
    int32_t a0, a1, a2, a3, b0, b1, b2, b3;
    uint32_t wa, wb, x, next;
    __asm volatile(OPSMITH_FIRST
                   "b 2f\n"
                   "1:\n\t" OPSMITH_NEXT "2:\n\t" OPSMITH_NEXT OPSMITH_NEXT OPSMITH_NEXT
                       OPSMITH_NEXT OPSMITH_NEXT OPSMITH_NEXT OPSMITH_NEXT
                   "ldr %[x], %[end]\n\t"
                   "cmp %[inputs], %[x]\n\t"
                   "bne 1b\n\t"
                   "ldr %[x], %[sums]\n\t"
                   "str %[a0], [%[x]], #4\n\t"
                   "str %[a1], [%[x]], #4\n\t"
                   "str %[a2], [%[x]], #4\n\t"
                   "str %[a3], [%[x]], #4\n\t"
                   "str %[b0], [%[x]], #4\n\t"
                   "str %[b1], [%[x]], #4\n\t"
                   "str %[b2], [%[x]], #4\n\t"
                   "str %[b3], [%[x]], #4\n\t"
                   "str %[x], %[sums]"
                   : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [b0] "=&r"(b0),
                     [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3), [inputs] "+r"(inputs),
                     [weights] "+r"(weights), [wa] "=&r"(wa), [wb] "=&r"(wb), [x] "=&r"(x),
                     [next] "=&r"(next), [sums] "+m"(sums)
                   : [end] "m"(end)
                   : "cc", "memory");
  }
  return weights;
}
#undef OPSMITH_NEXT
#undef OPSMITH_FIRST
#undef OPSMITH_STEP

// A sum that comes four times too large, as an output.
template <class P>
int8_t requantize(const P& p, int32_t sum, const dsp::Threshold& channel) {
  const dsp::Outputs o = {p.left_shift - 2, p.right_shift, p.activation_min, p.activation_max};
  return dsp::requantize(o, sum, channel);
}
template <class P>
int8_t requantize(const P& p, int32_t sum, const Listed& channel) {
  return channel.corrected(sum >> 2, requantize(p, sum, channel.line));
}
template <class P>
int8_t requantize(const P& p, int32_t sum, const dsp::Rounding& channel) {
  return dsp::requantize(p, sum >> 2, channel);
}

// The outputs of one channel of a tile, of which `columns` and `rows` are in the image.
template <class P, class C>
void store_tile(const P& p, const int32_t* sums, const C& channel, int32_t columns, int32_t rows,
                int8_t* y) {
  int32_t upper[4], lower[4];
  for (int32_t x = 0; x < 4; ++x) {
    const int32_t* m = sums + x * 2 * kTiles;
    const int32_t m1 = m[8 * kTiles], m2 = m[16 * kTiles];
    upper[x] = m[0] + m1 + m2;
    lower[x] = m1 - m2 - m[24 * kTiles];
  }
  const int32_t pitch = p.output_width * p.output_channels;
  const int32_t right = p.output_channels;
  y[0] = requantize(p, upper[0] + upper[1] + upper[2], channel);
  if (columns > 1) y[right] = requantize(p, upper[1] - upper[2] - upper[3], channel);
  if (rows > 1) {
    y[pitch] = requantize(p, lower[0] + lower[1] + lower[2], channel);
    if (columns > 1) y[pitch + right] = requantize(p, lower[1] - lower[2] - lower[3], channel);
  }
}

// All channels of the tiles of a group whose inputs are transformed; `columns` and `rows` of
// outputs are in the image from y on.
template <class P, class C>
void store_group(const P& p, const uint32_t* inputs, const uint32_t* weights, C constants,
                 int32_t columns, int32_t rows, int32_t* sums, int8_t* y) {
  for (int32_t c = 0; c < p.output_channels; c += 2) {
    weights = multiply(inputs, p.input_channels, weights, sums);
    for (int32_t i = 0; i < 2 && c + i < p.output_channels; ++i) {
      const auto channel = constants[c + i];
      for (int32_t t = 0; t < kTiles && 2 * t < columns; ++t) {
        store_tile(p, sums + i * kTiles + t, channel, columns - 2 * t, rows,
                   y + 2 * t * p.output_channels + c + i);
      }
    }
  }
}

// The whole convolution.
template <class P>
void convolve(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
              const WinogradTables& tables, int8_t* lines, int32_t* transformed, int32_t* sums) {
  const uint32_t* weights = reinterpret_cast<const uint32_t*>(tables.filter);
  uint32_t* inputs = reinterpret_cast<uint32_t*>(transformed);
  const int32_t pitch = p.input_channels / 2 * kTiles;
  const int32_t bytes = p.line_bytes;
  int32_t copied = 0;  // lines, the first of which is padding_top above the image
  for (int32_t row = 0; row < p.output_height; row += 2) {
    for (; copied < row + 4; ++copied) {
      copy_line(p, in.x, copied - p.padding_top, lines + copied % 4 * bytes);
    }
    int8_t* y = out.y + row * p.output_width * p.output_channels;
    for (int32_t column = 0; column < p.output_width; column += 2 * kTiles) {
      for (int32_t t = 0; t < kTiles; ++t) {
        const int8_t* first = lines + (column + 2 * t) * p.input_channels;
        const int8_t* const rows[4] = {first + row % 4 * bytes, first + (row + 1) % 4 * bytes,
                                       first + (row + 2) % 4 * bytes,
                                       first + (row + 3) % 4 * bytes};
        transform_inputs(p, rows, pitch, inputs + t);
      }
      const int32_t columns = p.output_width - column;
      const int32_t count = p.output_height - row;
      int8_t* to = y + column * p.output_channels;
      with_constants(p, tables.requantization, [&](auto constants) {
        store_group(p, inputs, weights, constants, columns, count, sums, to);
      });
    }
  }
}

}  // namespace tiles

template <class P>
void winograd(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
              const WinogradTables& tables, const WinogradScratch& scratch) {
  tiles::convolve(p, in, out, tables, scratch.lines, scratch.inputs, scratch.sums);
}

}  // namespace opsmith::conv_2d::i8
