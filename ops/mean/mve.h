// Needs Helium. Fast because a vector has sixteen elements of neighbouring means. For means along
// one run of axes, the last of x not among them.
#pragma once

#include "mean.op.h"
#include "ops/mean/lanes.h"
#include "runtimes/cmsis/mve_pixels.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// Adds halfwords to words: those in even places to `even`.
inline void drain(int16x8_t halves, int32x4_t& even, int32x4_t& odd) {
  even = vaddq_s32(even, vmovlbq_s16(halves));
  odd = vaddq_s32(odd, vmovltq_s16(halves));
}

// Sums, without zero points, as elements of y, not yet saturated to bytes.
template <class P>
int16x8_t rescaled(const P& p, int32x4_t even, int32x4_t odd) {
  even = mve::requantize(even, p.multiplier, p.shift);
  odd = mve::requantize(odd, p.multiplier, p.shift);
  return vqaddq_n_s16(mve::halves(even, odd), static_cast<int16_t>(p.output_zero_point));
}

// The means of sixteen elements that begin side by side at `x`, or of fewer.
template <class P>
int8x16_t sixteen_means(const P& p, const int8_t* x, int32_t count) {
  const int32x4_t start = vdupq_n_s32(-p.zero_point_sum);
  int32x4_t a = start, b = start, c = start, d = start;
  for (int32_t first = 0; first < p.reduced[3]; first += kLanePixels) {
    const int32_t pixels = min(p.reduced[3] - first, kLanePixels), step = p.reduced_stride[3];
    mve::Sums sums = {vdupq_n_s16(0), vdupq_n_s16(0)};
    mve::add_pixels(sums, x + first * step, step, pixels, count);
    drain(sums.even, a, b);
    drain(sums.odd, c, d);
  }
  return mve::bytes(rescaled(p, a, b), rescaled(p, c, d));
}

template <class P>
void mve(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  reduction::for_each_row(p, in.x, out.y, [&p](const int8_t* x, int8_t* y) {
    mve::for_each_block(x, y, p.kept[3], [&p](const int8_t* first, int32_t count) {
      return sixteen_means(p, first, count);
    });
  });
}

}  // namespace opsmith::mean
