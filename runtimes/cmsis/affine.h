// Sums of products that take the place of TFLite's rescaling, for the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/affine.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/limits.h"

namespace opsmith::dsp {

// The elements of a word, centred.
template <class T>
uint32_t centred_word(const T* x) {
  return load_word(x) ^ (0x01010101u * static_cast<uint32_t>(kCentre<T>));
}

// A value clamped: saturated, which takes one instruction, and compared with narrower bounds.
template <class T, class P>
T element(const P& p, int32_t value) {
  int32_t found = Limits<T>::kSigned ? __ssat(value, 8) : static_cast<int32_t>(__usat(value, 8));
  if (p.activation_min > Limits<T>::kLow) found = max(found, p.activation_min);
  if (p.activation_max < Limits<T>::kHigh) found = min(found, p.activation_max);
  return static_cast<T>(found);
}

// y[i] = clamp((offset + a[i] * a_multiplier / 2^8 + b[i] * b_multiplier / 2^8) >> shift), four
// elements at a time: a byte that is the high one of a halfword is 2^8 times itself. P has these
// constants, which are copied, since y could alias them.
template <class P, class B, class T>
void add_affine(const P& p, const B& bounds, const T* a, const T* b, T* y) {
  const int32_t of_a = p.a_multiplier, of_b = p.b_multiplier, offset = p.offset, shift = p.shift;
  int32_t elements = p.size[4];
  uint32_t high_bytes = 0xff00ff00u;
  __asm("" : "+r"(high_bytes));  // a register, so that AND can shift its other operand
  for (; elements >= 4; elements -= 4, a += 4, b += 4, y += 4) {
    const uint32_t word_a = centred_word(a), word_b = centred_word(b);
    const uint32_t even_a = high_bytes & (word_a << 8), odd_a = word_a & high_bytes;
    const uint32_t even_b = high_bytes & (word_b << 8), odd_b = word_b & high_bytes;
    const int32_t sum0 = smlawb(of_b, even_b, smlawb(of_a, even_a, offset));
    const int32_t sum1 = smlawb(of_b, odd_b, smlawb(of_a, odd_a, offset));
    const int32_t sum2 = smlawt(of_b, even_b, smlawt(of_a, even_a, offset));
    const int32_t sum3 = smlawt(of_b, odd_b, smlawt(of_a, odd_a, offset));
    y[0] = element<T>(bounds, sum0 >> shift);
    y[1] = element<T>(bounds, sum1 >> shift);
    y[2] = element<T>(bounds, sum2 >> shift);
    y[3] = element<T>(bounds, sum3 >> shift);
  }
  for (; elements > 0; --elements) {
    const uint32_t high_a = static_cast<uint32_t>(centred(*a++)) << 8;
    const uint32_t high_b = static_cast<uint32_t>(centred(*b++)) << 8;
    const int32_t sum = smlawb(of_b, high_b, smlawb(of_a, high_a, offset));
    *y++ = element<T>(bounds, sum >> shift);
  }
}

// y[i] = clamp((offset + x[i] * multiplier / 2^8) >> shift), likewise.
template <class B, class X, class Y>
void scale_affine(const B& bounds, int32_t elements, const X* x, int32_t multiplier, int32_t offset,
                  int32_t shift, Y* y) {
  uint32_t high_bytes = 0xff00ff00u;
  __asm("" : "+r"(high_bytes));
  for (; elements >= 4; elements -= 4, x += 4, y += 4) {
    const uint32_t word = centred_word(x);
    const uint32_t even = high_bytes & (word << 8), odd = word & high_bytes;
    y[0] = element<Y>(bounds, smlawb(multiplier, even, offset) >> shift);
    y[1] = element<Y>(bounds, smlawb(multiplier, odd, offset) >> shift);
    y[2] = element<Y>(bounds, smlawt(multiplier, even, offset) >> shift);
    y[3] = element<Y>(bounds, smlawt(multiplier, odd, offset) >> shift);
  }
  for (; elements > 0; --elements) {
    const uint32_t high = static_cast<uint32_t>(centred(*x++)) << 8;
    *y++ = element<Y>(bounds, smlawb(multiplier, high, offset) >> shift);
  }
}

// The same of P's elements and constants.
template <class P, class X, class Y>
void affine_elements(const P& p, const X* x, Y* y) {
  scale_affine(bounds_of(p, &P::activation_min), p.elements, x, p.multiplier, p.offset, p.shift, y);
}

// The sums of every pair of elements; P also has the members that for_each_row wants, with strides
// of 1 along the last axis, or of 0 where one tensor repeats.
template <class P, class T>
void affine_pairs(const P& p, const T* a, const T* b, T* y) {
  for_each_row(p, a, b, y, [&p](const T* of_a, const T* of_b, T* of_y) {
    if (p.a_stride[4] == 0) {
      const uint32_t high = static_cast<uint32_t>(centred(*of_a)) << 8;
      scale_affine(bounds_of(p, &P::activation_min), p.size[4], of_b, p.b_multiplier,
                   smlawb(p.a_multiplier, high, p.offset), p.shift, of_y);
    } else if (p.b_stride[4] == 0) {
      const uint32_t high = static_cast<uint32_t>(centred(*of_b)) << 8;
      scale_affine(bounds_of(p, &P::activation_min), p.size[4], of_a, p.a_multiplier,
                   smlawb(p.b_multiplier, high, p.offset), p.shift, of_y);
    } else {
      with_bounds<0, 255>(p, [&](const auto& bounds) { add_affine(p, bounds, of_a, of_b, of_y); });
    }
  });
}

}  // namespace opsmith::dsp
