// Needs Helium. Fast because VMLALDAVA adds eight products at once in 64 bits, and each eight
// elements of a vector that are loaded meet those of a block of four.
#pragma once

#include "batch_matmul.op.h"
#include "ops/batch_matmul/streams.h"
#include "runtimes/cmsis/dsp_narrow.h"
#include "runtimes/cmsis/mve_narrow.h"

namespace opsmith::batch_matmul {

// Eight elements, N apart, as halfwords.
inline int16x8_t gathered_eight(const int16_t* x, uint16x8_t places, mve_pred16_t some) {
  return vldrhq_gather_shifted_offset_z_s16(x, places, some);
}
inline int16x8_t gathered_eight(const int8_t* x, uint16x8_t places, mve_pred16_t some) {
  return vldrbq_gather_offset_z_s16(x, places, some);
}

// Copies a vector whose elements are `step` apart.
template <class T>
const int16_t* gather_halfwords(const T* x, int32_t step, int32_t depth, int16_t* to) {
  const uint16x8_t places = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(step));
  for (int32_t k = 0; k < depth; k += 8, x += 8 * step) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(depth - k));
    vstrhq_p_s16(to + k, gathered_eight(x, places, some), some);
  }
  return to;
}

// A vector as contiguous halfwords: a copy, `at` elements into the scratch, unless it is such.
inline const int16_t* as_halfwords(const int16_t* x, int32_t step, int32_t depth, int16_t* copies,
                                   int32_t at) {
  return step == 1 ? x : gather_halfwords(x, step, depth, copies + at);
}
inline const int16_t* as_halfwords(const int8_t* x, int32_t step, int32_t depth, int16_t* copies,
                                   int32_t at) {
  return gather_halfwords(x, step, depth, copies + at);
}

// Four vectors; those that do not exist are the last again.
struct FourVectors {
  const int16_t* x[4];
};

// The sums of a vector's products with a block.
inline __attribute__((noinline)) void four_sums(const int16_t* x, const FourVectors& block,
                                                int32_t depth, int64_t (&sums)[4]) {
  const int16_t *w0 = block.x[0], *w1 = block.x[1], *w2 = block.x[2], *w3 = block.x[3];
  int64_t a = 0, b = 0, c = 0, d = 0;
  const int32_t whole = depth & ~7;
  for (int32_t k = 0; k < whole; k += 8) {
    const int16x8_t inputs = vldrhq_s16(x + k);
    a = vmlaldavaq_s16(a, vldrhq_s16(w0 + k), inputs);
    b = vmlaldavaq_s16(b, vldrhq_s16(w1 + k), inputs);
    c = vmlaldavaq_s16(c, vldrhq_s16(w2 + k), inputs);
    d = vmlaldavaq_s16(d, vldrhq_s16(w3 + k), inputs);
  }
  if (depth > whole) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(depth - whole));
    const int16x8_t inputs = vldrhq_z_s16(x + whole, some);
    a = vmlaldavaq_s16(a, vldrhq_z_s16(w0 + whole, some), inputs);
    b = vmlaldavaq_s16(b, vldrhq_z_s16(w1 + whole, some), inputs);
    c = vmlaldavaq_s16(c, vldrhq_z_s16(w2 + whole, some), inputs);
    d = vmlaldavaq_s16(d, vldrhq_z_s16(w3 + whole, some), inputs);
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

// A matrix of y.
template <class P, class T>
void narrow_matrix(const P& p, const T* of_block, const int16_t* of_stream,
                   const MveNarrowScratch& scratch, int16_t* y) {
  for (int32_t v = 0; v < p.block_count; v += 4) {
    const int32_t count = min(p.block_count - v, 4);
    FourVectors block;
    for (int32_t i = 0; i < 4; ++i) {
      const T* x = of_block + (v + min(i, count - 1)) * p.block_next;
      block.x[i] = as_halfwords(x, p.block_step, p.depth, scratch.block, i * p.depth);
    }
    int16_t* to = y + v * p.block_y;
    for (int32_t i = 0; i < p.stream_count; ++i, to += p.stream_y) {
      const int16_t* x =
          as_halfwords(of_stream + i * p.stream_next, p.stream_step, p.depth, scratch.vector, 0);
      int64_t sums[4];
      four_sums(x, block, p.depth, sums);
      for (int32_t j = 0; j < count; ++j) {
        to[j * p.block_y] = dsp::narrowed(p, sums[j], p.multiplier, p.shift);
      }
    }
  }
}

template <class P, class B>
void mve_narrow(const P& p, const In<int16_t, B, int16_t>& in, const Out<int16_t, B, int16_t>& out,
                const MveNarrowScratch& scratch) {
  for_each_matrix(p, in, out, [&](const auto* block, const int16_t* stream, int16_t* y) {
    narrow_matrix(p, block, stream, scratch, y);
  });
}

}  // namespace opsmith::batch_matmul
