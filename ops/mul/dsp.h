// Needs the DSP extension. Fast because SXTAB16 takes the zero point from two elements at once, and
// SMMLAR rescales a product and adds the zero point of y. For rows of neighbours, or of one
// element, and shifts to the right.
#pragma once

#include "mul.op.h"
#include "runtimes/cmsis/lanes.h"
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

  // Of P, with both constants in registers.
  template <class P>
  static Rescaling of(const P& p, const B& bounds) {
    int32_t multiplier = p.multiplier, offset = (1 + 2 * p.y_zero_point) * (1 << (-p.shift - 1));
    __asm("" : "+r"(multiplier), "+r"(offset));
    return {bounds, multiplier, -p.shift, offset};
  }

  // Requantises twice a product. Negative ones are rounded less one: by their own sign, since what
  // they are scaled to differs from it only where it is 0, which rounds alike with one less.
  __attribute__((always_inline)) int8_t operator()(int32_t twice) const {
    const int32_t scaled = dsp::smmlar(twice, multiplier, offset);
    return dsp::clamped(bounds, (scaled + (twice >> 31)) >> shift);
  }
};

// Products of the low halfwords, and of the high ones: SMULBB and SMULTT.
inline int32_t low_product(uint32_t a, uint32_t b) {
  return static_cast<int16_t>(a) * static_cast<int16_t>(b);
}
inline int32_t high_product(uint32_t a, uint32_t b) {
  return (static_cast<int32_t>(a) >> 16) * (static_cast<int32_t>(b) >> 16);
}

// y[i] = rescaled(2 * (a[i] - zero_a) * (b[i] - zero_b)) of rows of neighbours. Not inlined in the
// loops over planes, whose variables would take registers from this one.
template <template <class> class R, class P, class O>
__attribute__((noinline)) void multiply_rows(const P& p, const O& o, const int8_t* a,
                                             const int8_t* b, int8_t* y) {
  const R<O> rescaled = R<O>::of(p, o);
  const int32_t zero_a = p.a_zero_point, zero_b = p.b_zero_point, size = p.size[4];
  const int32_t next_a = p.a_stride[3] - size, next_b = p.b_stride[3] - size;
  uint32_t less_a = dsp::in_both_halves(-zero_a), less_b = dsp::in_both_halves(-zero_b);
  __asm("" : "+r"(less_a), "+r"(less_b));  // which are in registers
  for (int32_t rows = p.size[3]; rows > 0; --rows, a += next_a, b += next_b) {
    for (int32_t n = size >> 2; n > 0; --n, a += 4, b += 4) {
      const auto [word_a, word_b] = dsp::load_words(a, b);
      const uint32_t even_b = dsp::sxtab16(less_b, word_b), even_a = dsp::sxtab16(less_a, word_a);
      const uint32_t odd_b = dsp::sxtab16_ror8(less_b, word_b);
      const uint32_t odd_a = dsp::sxtab16_ror8(less_a, word_a);
      const uint32_t even = __sadd16(even_a, even_a), odd = __sadd16(odd_a, odd_a);
      dsp::put_next(y, rescaled(low_product(even, even_b)));
      dsp::put_next(y, rescaled(low_product(odd, odd_b)));
      dsp::put_next(y, rescaled(high_product(even, even_b)));
      dsp::put_next(y, rescaled(high_product(odd, odd_b)));
    }
    for (int32_t n = size & 3; n > 0; --n) *y++ = rescaled(2 * (*a++ - zero_a) * (*b++ - zero_b));
  }
}

// y[i] = rescaled((x[i] - zero) * factor) of rows of x, whose factor is the element of the other
// tensor that repeats along it, without its zero point, and doubled: it has 10 bits.
template <template <class> class R, class P, class O>
__attribute__((noinline)) void scale_rows(const P& p, const O& o, const int8_t* a, const int8_t* b,
                                          int8_t* y) {
  const R<O> rescaled = R<O>::of(p, o);
  const bool a_repeats = p.a_stride[4] == 0;
  const int8_t *x = a_repeats ? b : a, *one = a_repeats ? a : b;
  const int32_t zero = a_repeats ? p.b_zero_point : p.a_zero_point, size = p.size[4];
  const int32_t zero_one = a_repeats ? p.a_zero_point : p.b_zero_point;
  const int32_t next_x = (a_repeats ? p.b_stride[3] : p.a_stride[3]) - size;
  const int32_t next_one = a_repeats ? p.a_stride[3] : p.b_stride[3];
  const uint32_t less = dsp::in_both_halves(-zero);
  for (int32_t rows = p.size[3]; rows > 0; --rows, x += next_x, one += next_one) {
    const int32_t factor = 2 * (*one - zero_one);
    const uint32_t k = static_cast<uint32_t>(factor);
    for (int32_t n = size >> 2; n > 0; --n, x += 4) {
      const uint32_t word = dsp::load_word(x);
      const uint32_t even = dsp::sxtab16(less, word), odd = dsp::sxtab16_ror8(less, word);
      dsp::put_four(y, rescaled(dsp::smulbb(even, k)), rescaled(dsp::smulbb(odd, k)),
                    rescaled(dsp::smultb(even, k)), rescaled(dsp::smultb(odd, k)));
    }
    for (int32_t n = size & 3; n > 0; --n) *y++ = rescaled((*x++ - zero) * factor);
  }
}

// Rows of N elements, one after the other; R<O>::of(p, o)(twice) is an element of twice a product.
// Narrower bounds that are read at run time take a pass of their own.
template <template <class> class R, class P, class O>
void multiply_planes(const P& p, const O& outputs, const int8_t* of_a, const int8_t* of_b,
                     int8_t* of_y) {
  const auto o = dsp::saturated(outputs);
  for_each_plane(p, of_a, of_b, of_y, [&](const int8_t* a, const int8_t* b, int8_t* y) {
    if (p.a_stride[4] == 0 || p.b_stride[4] == 0) {
      scale_rows<R>(p, o, a, b, y);
    } else {
      multiply_rows<R>(p, o, a, b, y);
    }
    dsp::clamp_outputs(outputs, p.size[3] * p.size[4], 1, y);
  });
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out) {
  multiply_planes<Rescaling>(p, dsp::bounds_of(p, &P::activation_min), in.a, in.b, out.y);
}

}  // namespace opsmith::mul
