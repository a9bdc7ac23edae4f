// Sums of products of neighbouring bytes, each less a zero point, for kernels that require `dsp`.
// Fast because SXTAB16 and UXTAB16 take two bytes apart and their zero point off at once, and SMLAD
// adds two products.
#pragma once

#include "runtimes/cmsis/dsp.h"

namespace opsmith::dsp {

// Two halfwords which, added to bytes, take a zero point off. In assembly, since the compiler would
// make a constant again and again.
inline uint32_t less(int32_t zero_point) {
  uint32_t halves = static_cast<uint32_t>(-zero_point & 0xffff) * 0x10001;
  __asm("" : "+r"(halves));
  return halves;
}

// Those of x and of weights.
struct ZeroPoints {
  int32_t x;
  int32_t weights;
};

// Bytes 0 and 2 of a word, or 1 and 3, of this type, added to two halfwords.
template <class T>
uint32_t even(uint32_t halves, uint32_t bytes) {
  return T(-1) < 0 ? sxtab16(halves, bytes) : uxtab16(halves, bytes);
}
template <class T>
uint32_t odd(uint32_t halves, uint32_t bytes) {
  return T(-1) < 0 ? sxtab16_ror8(halves, bytes) : uxtab16_ror8(halves, bytes);
}

// Four inputs without their zero point, by four weights of a row.
template <class T>
int32_t add_four(uint32_t x_even, uint32_t x_odd, const T* w, uint32_t less_w, int32_t sum) {
  const uint32_t weights = load_word(w);
  sum = smlad(x_even, even<T>(less_w, weights), sum);
  return smlad(x_odd, odd<T>(less_w, weights), sum);
}

// Sums of products of x with kRows rows of weights, one or two, which are a pitch apart.
template <int32_t kRows, class T>
class Runs {
 public:
  Runs(ZeroPoints zero, int32_t pitch)
      : zero_(zero), less_x_(less(zero.x)), less_w_(less(zero.weights)), pitch_(pitch) {}

  // Adds the products of N neighbours.
  void add(const T* x, const T* w, int32_t size) {
    const T* const words = x + (size & ~3);
    const T* const end = x + size;
    while (x < words) {
      const uint32_t four = load_word(x);
      const uint32_t x_even = even<T>(less_x_, four), x_odd = odd<T>(less_x_, four);
      a_ = add_four(x_even, x_odd, w, less_w_, a_);
      if (kRows == 2) b_ = add_four(x_even, x_odd, w + pitch_, less_w_, b_);
      x += 4, w += 4;
    }
    for (; x < end; ++x, ++w) {
      const int32_t input = *x - zero_.x;
      a_ += input * (*w - zero_.weights);
      if (kRows == 2) b_ += input * (w[pitch_] - zero_.weights);
    }
  }

  int32_t a() const { return a_; }
  int32_t b() const { return b_; }

 private:
  ZeroPoints zero_;
  uint32_t less_x_, less_w_;
  int32_t pitch_, a_ = 0, b_ = 0;
};

}  // namespace opsmith::dsp
