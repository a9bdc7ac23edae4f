// Needs Helium. Fast because VMLADAVA adds sixteen products at once, and each sixteen elements of a
// vector that are loaded meet those of a block of four, whose zero points are in the sums before.
#pragma once

#include "batch_matmul.op.h"
#include "ops/batch_matmul/streams.h"
#include "runtimes/cmsis/mve.h"

namespace opsmith::batch_matmul {

// Copies a vector whose elements are `step` bytes apart.
inline void gather_vector(const int8_t* x, int32_t step, int32_t depth, int8_t* to) {
  const uint16x8_t places = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(step));
  for (int32_t left = depth; left > 0; left -= 8, x += 8 * step, to += 8) {
    const mve_pred16_t some = vctp16q(static_cast<uint32_t>(left));
    vstrbq_p_s16(to, vldrbq_gather_offset_z_s16(x, places, some), some);
  }
}

// A vector as contiguous bytes: a copy, `at` bytes into the scratch, unless it is contiguous.
inline const int8_t* gathered(const int8_t* x, int32_t step, int32_t depth, int8_t* copies,
                              int32_t at) {
  if (step == 1) return x;
  gather_vector(x, step, depth, copies + at);
  return copies + at;
}

// Four vectors; those that do not exist are the last again.
struct Four {
  const int8_t* x[4];
};

// The sums of a vector's products with a block, and in `total` that of its elements.
inline __attribute__((noinline)) int32x4_t four_sums(const int8_t* x, const Four& block,
                                                     int32_t depth, int32_t& total) {
  const int8_t *w0 = block.x[0], *w1 = block.x[1], *w2 = block.x[2], *w3 = block.x[3];
  int32_t a = 0, b = 0, c = 0, d = 0, sum = 0;
  __asm volatile(
      "wlstp.8 lr, %[depth], 2f\n"
      "1:\n\t"
      "vldrb.8 q0, [%[x]], #16\n\t"
      "vldrb.8 q1, [%[w0]], #16\n\t"
      "vmladava.s8 %[a], q1, q0\n\t"
      "vldrb.8 q2, [%[w1]], #16\n\t"
      "vmladava.s8 %[b], q2, q0\n\t"
      "vldrb.8 q1, [%[w2]], #16\n\t"
      "vmladava.s8 %[c], q1, q0\n\t"
      "vldrb.8 q2, [%[w3]], #16\n\t"
      "vmladava.s8 %[d], q2, q0\n\t"
      "vaddva.s8 %[sum], q0\n\t"
      "letp lr, 1b\n"
      "2:"
      : [a] "+Te"(a), [b] "+Te"(b), [c] "+Te"(c), [d] "+Te"(d), [sum] "+Te"(sum), [x] "+r"(x),
        [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3)
      : [depth] "r"(depth)
      : "q0", "q1", "q2", "lr", "cc", "memory");
  total = sum;
  return mve::gather(a, b, c, d);
}

// A matrix of y.
template <class P>
void matrix(const P& p, const int8_t* of_block, const int8_t* of_stream, const MveScratch& scratch,
            int8_t* y) {
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(p.block_y));
  const int32x4_t low = vdupq_n_s32(INT8_MIN), high = vdupq_n_s32(INT8_MAX);
  const int32_t of_zeros = p.depth * p.block_zero_point * p.stream_zero_point;
  for (int32_t v = 0; v < p.block_count; v += 4) {
    const int32_t left = p.block_count - v;
    Four block;
    int32_t starts[4];
    for (int32_t i = 0; i < 4; ++i) {
      const int8_t* x = of_block + (v + (i < left ? i : left - 1)) * p.block_next;
      block.x[i] = gathered(x, p.block_step, p.depth, scratch.block, i * p.depth);
      const int32_t sum = p.stream_zero_point == 0 ? 0 : mve::sum_of(block.x[i], p.depth);
      starts[i] = of_zeros - p.stream_zero_point * sum;
    }
    const int32x4_t start = vldrwq_s32(starts);
    const mve_pred16_t inside = vctp32q(static_cast<uint32_t>(left));
    int8_t* to = y + v * p.block_y;
    for (int32_t i = 0; i < p.stream_count; ++i, to += p.stream_y) {
      const int8_t* x =
          gathered(of_stream + i * p.stream_next, p.stream_step, p.depth, scratch.vector, 0);
      int32_t total;
      int32x4_t sums = vaddq_s32(four_sums(x, block, p.depth, total), start);
      sums = vsubq_n_s32(sums, p.block_zero_point * total);
      sums = mve::requantize(sums, vdupq_n_s32(p.multiplier), vdupq_n_s32(-p.shift));
      sums = vminq_s32(vmaxq_s32(vaddq_n_s32(sums, p.y_zero_point), low), high);
      vstrbq_scatter_offset_p_s32(to, places, sums, inside);
    }
  }
}

template <class P>
void mve(const P& p, const In<int8_t, int8_t, int8_t>& in, const Out<int8_t, int8_t, int8_t>& out,
         const MveScratch& scratch) {
  for_each_matrix(p, in, out, [&](const int8_t* block, const int8_t* stream, int8_t* y) {
    matrix(p, block, stream, scratch, y);
  });
}

}  // namespace opsmith::batch_matmul
