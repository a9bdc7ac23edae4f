// Needs the DSP extension. Fast because SXTAB16 takes the zero point from two elements at once, and
// SMMULR rescales a product. For rows of neighbours, or of one element, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/broadcast.h"

namespace opsmith::mul {

// How products become elements of y; runtimes/cmsis/dsp.h says why. `offset` is half and the zero
// point, shifted left as `shift` shifts right.
template <class B>
struct Rescaling {
  B bounds;
  int32_t multiplier;
  int32_t shift;
  int32_t offset;

  // Requantises twice a product.
  int8_t operator()(int32_t twice) const {
    const int32_t scaled = dsp::smmulr(twice, multiplier);
    return dsp::clamped(bounds, (scaled + (scaled >> 31) + offset) >> shift);
  }
};

template <class B>
constexpr Rescaling<B> rescaling(const B& bounds, int32_t multiplier, int32_t shift,
                                 int32_t offset) {
  return {bounds, multiplier, shift, offset};
}

// Products of the low halfwords, and of the high ones: SMULBB and SMULTT.
inline int32_t low_product(uint32_t a, uint32_t b) {
  return static_cast<int16_t>(a) * static_cast<int16_t>(b);
}
inline int32_t high_product(uint32_t a, uint32_t b) {
  return (static_cast<int32_t>(a) >> 16) * (static_cast<int32_t>(b) >> 16);
}

// The elements of a row, a word of them at a time: neighbours, or four times the one that repeats.
struct Operand {
  const int8_t* x;
  int32_t step;
  uint32_t repeated;

  Operand(const Operand&) = delete;  // x may point into this one
  Operand(const int8_t* first, int32_t stride)
      : x(first), step(4 * stride), repeated(static_cast<uint8_t>(*first) * 0x01010101u) {
    if (stride == 0) x = reinterpret_cast<const int8_t*>(&repeated);
  }

  uint32_t next() {
    const uint32_t word = dsp::load_word(x);
    x += step;
    return word;
  }
};

// Rows of N elements, one after the other; rescaled(twice) is an element of twice a product. What
// they need of P is copied, since y could alias it.
template <class P, class R>
void multiply_rows(const P& p, const R& rescaled, const int8_t* of_a, const int8_t* of_b,
                   int8_t* of_y) {
  const int32_t zero_a = p.a_zero_point, zero_b = p.b_zero_point, size = p.size[4];
  const uint32_t less_a = static_cast<uint16_t>(-zero_a) * 0x00010001u;
  const uint32_t less_b = static_cast<uint16_t>(-zero_b) * 0x00010001u;
  const int32_t step_a = p.a_stride[4], step_b = p.b_stride[4];
  for_each_row(p, of_a, of_b, of_y, [=](const int8_t* row_a, const int8_t* row_b, int8_t* y) {
    Operand a(row_a, step_a), b(row_b, step_b);
    for (int32_t n = size >> 2; n > 0; --n, y += 4) {
      const uint32_t word_a = a.next(), word_b = b.next();
      const uint32_t even_a = dsp::sxtab16(less_a, word_a), even_b = dsp::sxtab16(less_b, word_b);
      const uint32_t odd_a = dsp::sxtab16_ror8(less_a, word_a);
      const uint32_t odd_b = dsp::sxtab16_ror8(less_b, word_b);
      const uint32_t even = __sadd16(even_a, even_a), odd = __sadd16(odd_a, odd_a);
      y[0] = rescaled(low_product(even, even_b));
      y[1] = rescaled(low_product(odd, odd_b));
      y[2] = rescaled(high_product(even, even_b));
      y[3] = rescaled(high_product(odd, odd_b));
    }
    for (int32_t n = size & 3; n > 0; --n) {
      *y++ = rescaled(2 * (*a.x++ - zero_a) * (*b.x++ - zero_b));
    }
  });
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  const int32_t offset = (1 + 2 * p.y_zero_point) * (1 << (-p.shift - 1));
  dsp::with_bounds<-128, 127>(p, [&](const auto& bounds) {
    multiply_rows(p, rescaling(bounds, p.multiplier, -p.shift, offset), in.a, in.b, out.y);
  });
}

}  // namespace opsmith::mul
