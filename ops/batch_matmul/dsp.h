// Needs the DSP extension. Fast because two vectors are multiplied by a block of four, which was
// copied as halfwords without its zero point: eight sums stay in registers, SMLAD adds two products
// at once, and of each six words that are loaded two are unpacked.
#pragma once

#include "batch_matmul.op.h"
#include "ops/batch_matmul/streams.h"
#include "runtimes/cmsis/dsp_columns.h"

namespace opsmith::batch_matmul {

// The elements of four vectors as columns, as dsp_columns.h has them; `count` of the vectors exist.
struct Block {
  const int8_t* x;
  int32_t next;  // from one vector to the next
  int32_t step;  // from one element of it to the next
  int32_t count;
  int32_t zero_point;

  constexpr uint32_t at(int32_t vector, int32_t k, int32_t depth) const {
    const bool inside = vector < count && k < depth;
    return static_cast<uint32_t>(inside ? x[vector * next + k * step] - zero_point : 0) & 0xffff;
  }
};

// Four elements of each vector.
inline void copy_four(const Block& block, int32_t k, int32_t depth, uint32_t* columns) {
  for (int32_t i = 0; i < dsp::kPixels; ++i) {
    columns[i] = block.at(i, k, depth) | block.at(i, k + 2, depth) << 16;
    columns[dsp::kPixels + i] = block.at(i, k + 1, depth) | block.at(i, k + 3, depth) << 16;
  }
}

// Halfwords of four neighbours in two words: (a, b) of each.
inline void put_pairs(uint32_t zeros, uint32_t a, uint32_t b, uint32_t* columns) {
  const uint32_t a_even = dsp::sxtab16(zeros, a), b_even = dsp::sxtab16(zeros, b);
  const uint32_t a_odd = dsp::sxtab16_ror8(zeros, a), b_odd = dsp::sxtab16_ror8(zeros, b);
  columns[0] = dsp::pkhbt(a_even, b_even);
  columns[1] = dsp::pkhbt(a_odd, b_odd);
  columns[2] = dsp::pkhtb(b_even, a_even);
  columns[3] = dsp::pkhtb(b_odd, a_odd);
}

// A whole block, filled up with zeros to a multiple of four elements.
inline __attribute__((noinline)) void copy_block(const Block& block, int32_t depth,
                                                 uint32_t* columns) {
  const uint32_t zero = static_cast<uint32_t>(-block.zero_point) & 0xffff;
  const uint32_t zeros = zero << 16 | zero;
  const bool full = block.count == dsp::kPixels;
  for (int32_t k = 0; k < depth; k += 4, columns += 2 * dsp::kPixels) {
    if (!full || k + 4 > depth || (block.step != 1 && block.next != 1)) {
      copy_four(block, k, depth, columns);
    } else if (block.step == 1) {
      for (int32_t i = 0; i < dsp::kPixels; ++i) {
        const uint32_t word = dsp::load_word(block.x + i * block.next + k);
        columns[i] = dsp::sxtab16(zeros, word);
        columns[dsp::kPixels + i] = dsp::sxtab16_ror8(zeros, word);
      }
    } else {
      const int8_t* x = block.x + k * block.step;
      put_pairs(zeros, dsp::load_word(x), dsp::load_word(x + 2 * block.step), columns);
      put_pairs(zeros, dsp::load_word(x + block.step), dsp::load_word(x + 3 * block.step),
                columns + dsp::kPixels);
    }
  }
}

// A vector as contiguous bytes: a copy, `at` bytes into the scratch, unless it is contiguous.
inline const int8_t* contiguous(const int8_t* x, int32_t step, int32_t depth, int8_t* copies,
                                int32_t at) {
  if (step == 1) return x;
  for (int32_t k = 0; k < depth; ++k) copies[at + k] = x[k * step];
  return copies + at;
}

// Products of two inputs of two vectors, which are in `a` and `b`.
#define OPSMITH_COLUMN(number)                   \
  "ldr %[x], [%[columns]], #4\n\t"               \
  "smlad %[a" number "], %[a], %[x], %[a" number \
  "]\n\t"                                        \
  "smlad %[b" number "], %[b], %[x], %[b" number "]\n\t"
#define OPSMITH_FOUR OPSMITH_COLUMN("0") OPSMITH_COLUMN("1") OPSMITH_COLUMN("2") OPSMITH_COLUMN("3")

// Up to three bytes as a word, the others zero.
inline uint32_t last_word(const int8_t* x, int32_t count) {
  uint32_t word = 0;
  for (int32_t i = 0; i < count; ++i) word |= static_cast<uint32_t>(x[i] & 0xff) << 8 * i;
  return word;
}

// Adds the products of the last elements, fewer than four, of a vector with four columns.
inline void add_rest(uint32_t word, const uint32_t* columns, int32_t (&sums)[4]) {
  const uint32_t even = dsp::sxtb16(word), odd = dsp::sxtb16_ror8(word);
  for (int32_t i = 0; i < 4; ++i) {
    sums[i] = dsp::smlad(odd, columns[4 + i], dsp::smlad(even, columns[i], sums[i]));
  }
}

// Sums of a vector with each column of a block.
struct FourSums {
  int32_t sum0, sum1, sum2, sum3;
};

// Adds the products of two vectors with a block, whose columns end at `end` and are not empty.
inline __attribute__((always_inline)) void add_products(const int8_t*& first, const int8_t*& second,
                                                        const uint32_t*& columns,
                                                        const uint32_t* end, FourSums& of_a,
                                                        FourSums& of_b) {
  int32_t a0 = of_a.sum0, a1 = of_a.sum1, a2 = of_a.sum2, a3 = of_a.sum3;
  int32_t b0 = of_b.sum0, b1 = of_b.sum1, b2 = of_b.sum2, b3 = of_b.sum3;
  uint32_t a, b, x;
  __asm volatile(
      "1:\n\t"
      "ldr %[a], [%[first]]\n\t"
      "ldr %[b], [%[second]]\n\t"
      "sxtb16 %[a], %[a]\n\t"
      "sxtb16 %[b], %[b]\n\t" OPSMITH_FOUR
      "ldr %[a], [%[first]], #4\n\t"
      "ldr %[b], [%[second]], #4\n\t"
      "sxtb16 %[a], %[a], ror #8\n\t"
      "sxtb16 %[b], %[b], ror #8\n\t" OPSMITH_FOUR
      "ldr %[x], %[end]\n\t"
      "cmp %[columns], %[x]\n\t"
      "bne 1b"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b0), [b1] "+r"(b1),
        [b2] "+r"(b2), [b3] "+r"(b3), [first] "+r"(first), [second] "+r"(second),
        [columns] "+r"(columns), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x)
      : [end] "m"(end)
      : "cc", "memory");
  of_a = {a0, a1, a2, a3};
  of_b = {b0, b1, b2, b3};
}

// Up to four columns, and what their sums begin with.
struct Columns {
  const uint32_t* first;
  int32_t count;
  FourSums starts;
};

// The sums of two vectors with a block.
inline void two_vectors(const int8_t* first, const int8_t* second, const Columns& block,
                        int32_t depth, int32_t (&sums)[2][4]) {
  const int32_t rest = depth & 3;
  const uint32_t* columns = block.first;
  FourSums a = block.starts, b = a;
  if (depth > rest) add_products(first, second, columns, columns + 2 * (depth - rest), a, b);
  sums[0][0] = a.sum0, sums[0][1] = a.sum1, sums[0][2] = a.sum2, sums[0][3] = a.sum3;
  sums[1][0] = b.sum0, sums[1][1] = b.sum1, sums[1][2] = b.sum2, sums[1][3] = b.sum3;
  if (rest == 0) return;
  add_rest(last_word(first, rest), columns, sums[0]);
  add_rest(last_word(second, rest), columns, sums[1]);
}
#undef OPSMITH_FOUR
#undef OPSMITH_COLUMN

// The sums of a block's columns, times minus the zero point of what they are multiplied with.
inline FourSums start_of_sums(const uint32_t* columns, int32_t padded, int32_t zero_point) {
  int32_t sums[4] = {};
  if (zero_point == 0) return {};
  for (const uint32_t* end = columns + 2 * padded; columns != end; columns += 4) {
    for (int32_t i = 0; i < 4; ++i) sums[i] = dsp::smlad(columns[i], 0x00010001, sums[i]);
  }
  return {-zero_point * sums[0], -zero_point * sums[1], -zero_point * sums[2],
          -zero_point * sums[3]};
}

// Where the vectors of a stream are, and where elements of y go: copies, which y does not alias.
// Sums become elements by `channel` and O.
template <class C, class O>
struct Stream {
  const int8_t* x;
  int32_t next, step, count;
  int32_t block_y, stream_y;
  int32_t depth, padded_depth;
  C channel;

  int8_t output(int32_t sum) const { return dsp::requantize(O{}, sum, channel); }
};

template <class P>
constexpr auto channel_of(const P& p) {
  if constexpr (is_single(static_cast<const P*>(nullptr))) {
    return Single{0, static_cast<float>(p.factor), p.y_zero_point};
  } else if constexpr (has_own(static_cast<const P*>(nullptr))) {
    return dsp::Rounding{0, p.multiplier, p.y_zero_point * 1024 + p.own * 32};
  } else {
    return dsp::Rounding{0, p.multiplier, (2 * p.y_zero_point + 1) * 32 + p.shift};
  }
}

template <class P>
constexpr auto outputs_of() {
  using Int8 = dsp::StaticOutputs<1, 0, INT8_MIN, INT8_MAX>;
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    return dsp::OwnOutputs<Int8>{};
  } else {
    return Int8{};
  }
}

template <class P>
constexpr auto stream_of(const P& p, const int8_t* x) {
  using S = Stream<decltype(channel_of(p)), decltype(outputs_of<P>())>;
  return S{x,          p.stream_next, p.stream_step,  p.stream_count, p.block_y,
           p.stream_y, p.depth,       p.padded_depth, channel_of(p)};
}

// Elements of y that a vector and the columns of a block give, of which there may be fewer.
template <class S>
void put(const S& stream, const int32_t (&sums)[4], int32_t count, int8_t* y) {
  for (int32_t i = 0; i < count; ++i, y += stream.block_y) {
    *y = stream.output(sums[i]);
  }
}

// Two vectors of a stream, or one, times a block.
template <class S>
__attribute__((noinline)) void put_two(const S& s, int32_t i, const Columns& block, int8_t* copies,
                                       int8_t* y) {
  const int32_t second = i + 1 < s.count ? 1 : 0;
  const int8_t* vector = s.x + i * s.next;
  const int8_t* a = contiguous(vector, s.step, s.depth, copies, 0);
  const int8_t* b = contiguous(vector + second * s.next, s.step, s.depth, copies, s.padded_depth);
  int32_t sums[2][4];
  two_vectors(a, b, block, s.depth, sums);
  put(s, sums[0], block.count, y);
  if (second != 0) put(s, sums[1], block.count, y + s.stream_y);
}

// Pairs of vectors that are contiguous and end with a word, times four columns: sums stay in
// registers until they are elements of y. A function of its own, since add_products takes all
// registers: with more around it GCC finds none at -Os.
template <class C, class O>
__attribute__((noinline)) void put_pairs(const Stream<C, O>& s, const Columns& block, int8_t* y) {
  constexpr O outputs;
  const int8_t* vector = s.x;
  for (int32_t pairs = s.count >> 1; pairs > 0; --pairs) {
    FourSums a = block.starts, b = a;
    const int8_t *first = vector, *second = first + s.next;
    vector = second + s.next;
    const uint32_t* columns = block.first;
    add_products(first, second, columns, columns + 2 * s.depth, a, b);
    const C channel = s.channel;
    const int32_t block_y = s.block_y;
    int8_t* other = y + s.stream_y;
    y[0] = dsp::requantize(outputs, a.sum0, channel);
    other[0] = dsp::requantize(outputs, b.sum0, channel);
    y[block_y] = dsp::requantize(outputs, a.sum1, channel);
    other[block_y] = dsp::requantize(outputs, b.sum1, channel);
    y[2 * block_y] = dsp::requantize(outputs, a.sum2, channel);
    other[2 * block_y] = dsp::requantize(outputs, b.sum2, channel);
    y[3 * block_y] = dsp::requantize(outputs, a.sum3, channel);
    other[3 * block_y] = dsp::requantize(outputs, b.sum3, channel);
    y = other + s.stream_y;
  }
}

// A block times all vectors of a stream.
template <class S>
void put_block(const S& s, const Columns& block, int8_t* copies, int8_t* y) {
  int32_t i = 0;
  if (s.step == 1 && block.count == 4 && s.depth % 4 == 0) {
    put_pairs(s, block, y);
    i = s.count & ~1;
  }
  for (; i < s.count; i += 2) put_two(s, i, block, copies, y + i * s.stream_y);
}

// All matrices of one batch.
template <class P, class S>
void matrix(const P& p, const int8_t* of_block, const int8_t* of_stream, const S& scratch,
            int8_t* y) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  int8_t* copies = scratch.vectors;
  const auto stream = stream_of(p, of_stream);
  for (int32_t v = 0; v < p.block_count; v += 4) {
    const int32_t left = p.block_count - v, count = left < 4 ? left : 4;
    const int8_t* x = of_block + v * p.block_next;
    copy_block({x, p.block_next, p.block_step, count, p.block_zero_point}, p.depth, columns);
    const FourSums starts = start_of_sums(columns, p.padded_depth, p.stream_zero_point);
    put_block(stream, {columns, count, starts}, copies, y + v * p.block_y);
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t, int8_t, int8_t>& in, const Out<int8_t, int8_t, int8_t>& out,
         const S& scratch) {
  for_each_matrix(p, in, out, [&](const int8_t* block, const int8_t* stream, int8_t* y) {
    matrix(p, block, stream, scratch, y);
  });
}

}  // namespace opsmith::batch_matmul
