// Needs the DSP extension. Fast because two vectors are multiplied by a block of two, which was
// copied as words of two elements: four sums of 64 bits stay in registers, to which SMLALD adds two
// products at once.
#pragma once

#include "batch_matmul.op.h"
#include "ops/batch_matmul/streams.h"
#include "runtimes/cmsis/dsp_narrow.h"

namespace opsmith::batch_matmul {

// Copies two vectors, whose elements are `step` apart: a word of each, and so on. What is after an
// odd number of elements is zero.
template <class T>
void copy_pair(const T* first, const T* second, int32_t step, int32_t depth, uint32_t* columns) {
  const auto at = [&](const T* x, int32_t k) {
    return k < depth ? static_cast<uint32_t>(x[k * step]) : 0;
  };
  for (int32_t k = 0; k < depth; k += 2, columns += 2) {
    columns[0] = dsp::pkhbt(at(first, k), at(first, k + 1));
    columns[1] = dsp::pkhbt(at(second, k), at(second, k + 1));
  }
}

// A vector as contiguous elements: a copy, `at` elements into the scratch, unless it is contiguous.
inline const int16_t* in_order(const int16_t* x, int32_t step, int32_t depth, int16_t* copies,
                               int32_t at) {
  if (step == 1) return x;
  for (int32_t k = 0; k < depth; ++k) copies[at + k] = x[k * step];
  return copies + at;
}

// A sum of 64 bits in two words.
struct Sum64 {
  uint32_t low;
  int32_t high;

  constexpr int64_t value() const {
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | low);
  }
};

// The sums of two vectors with each of a block.
inline __attribute__((noinline)) void two_by_two(const int16_t* x0, const int16_t* x1,
                                                 const uint32_t* columns, int32_t depth,
                                                 int64_t (&sums)[2][2]) {
  Sum64 a0 = {}, a1 = {}, b0 = {}, b1 = {};
  const uint32_t* end = columns + (depth & ~1);
  if (columns != end) {
    uint32_t a, b, x;
    __asm volatile(
        "1:\n\t"
        "ldr %[a], [%[columns]], #4\n\t"
        "ldr %[b], [%[columns]], #4\n\t"
        "ldr %[x], [%[x0]], #4\n\t"
        "smlald %[a0], %[a0h], %[a], %[x]\n\t"
        "smlald %[b0], %[b0h], %[b], %[x]\n\t"
        "ldr %[x], [%[x1]], #4\n\t"
        "smlald %[a1], %[a1h], %[a], %[x]\n\t"
        "smlald %[b1], %[b1h], %[b], %[x]\n\t"
        "ldr %[x], %[end]\n\t"
        "cmp %[columns], %[x]\n\t"
        "bne 1b"
        : [a0] "+r"(a0.low), [a0h] "+r"(a0.high), [a1] "+r"(a1.low), [a1h] "+r"(a1.high),
          [b0] "+r"(b0.low), [b0h] "+r"(b0.high), [b1] "+r"(b1.low), [b1h] "+r"(b1.high),
          [x0] "+r"(x0), [x1] "+r"(x1), [columns] "+r"(columns), [a] "=&r"(a), [b] "=&r"(b),
          [x] "=&r"(x)
        : [end] "m"(end)
        : "cc", "memory");
  }
  sums[0][0] = a0.value(), sums[0][1] = b0.value();
  sums[1][0] = a1.value(), sums[1][1] = b1.value();
  if (depth % 2 == 0) return;
  for (int32_t i = 0; i < 2; ++i) {
    const int32_t w = static_cast<int16_t>(columns[i]);
    sums[0][i] += *x0 * w;
    sums[1][i] += *x1 * w;
  }
}

// A matrix of y.
template <class P, class T>
void narrow_matrix(const P& p, const T* of_block, const int16_t* of_stream,
                   const DspNarrowScratch& scratch, int16_t* y) {
  uint32_t* columns = reinterpret_cast<uint32_t*>(scratch.columns);
  for (int32_t v = 0; v < p.block_count; v += 2) {
    const int32_t count = min(p.block_count - v, 2);
    const T* block = of_block + v * p.block_next;
    copy_pair(block, block + (count - 1) * p.block_next, p.block_step, p.depth, columns);
    for (int32_t i = 0; i < p.stream_count; i += 2) {
      const int32_t more = min(p.stream_count - i, 2) - 1;
      const int16_t* vector = of_stream + i * p.stream_next;
      const int16_t* x0 = in_order(vector, p.stream_step, p.depth, scratch.vectors, 0);
      const int16_t* x1 =
          in_order(vector + more * p.stream_next, p.stream_step, p.depth, scratch.vectors, p.depth);
      int64_t sums[2][2];
      two_by_two(x0, x1, columns, p.depth, sums);
      int16_t* to = y + v * p.block_y + i * p.stream_y;
      for (int32_t k = 0; k <= more; ++k, to += p.stream_y) {
        to[0] = dsp::narrowed(p, sums[k][0], p.multiplier, p.shift);
        if (count > 1) to[p.block_y] = dsp::narrowed(p, sums[k][1], p.multiplier, p.shift);
      }
    }
  }
}

template <class P, class B>
void dsp_narrow(const P& p, const In<int16_t, B, int16_t>& in, const Out<int16_t, B, int16_t>& out,
                const DspNarrowScratch& scratch) {
  for_each_matrix(p, in, out, [&](const auto* block, const int16_t* stream, int16_t* y) {
    narrow_matrix(p, block, stream, scratch, y);
  });
}

}  // namespace opsmith::batch_matmul
