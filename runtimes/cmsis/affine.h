// Sums of products that take the place of TFLite's rescaling, for the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/lanes.h"
#include "runtimes/core/affine.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/limits.h"

namespace opsmith::dsp {

// Four elements, centred, as high bytes of halfwords: what SMLAWB and SMLAWT multiply is 2^8 times
// an element.
struct HighBytes {
  uint32_t even;
  uint32_t odd;
};

// Takes such elements from words. Its mask is a register, so that AND can shift its other operand.
class HighByteMask {
 public:
  __attribute__((always_inline)) HighByteMask() { __asm("" : "+r"(mask_)); }

  template <class T>
  __attribute__((always_inline)) HighBytes operator()(const T* x) const {
    const uint32_t word = load_word(x) ^ (0x01010101u * static_cast<uint32_t>(kCentre<T>));
    return {mask_ & (word << 8), word & mask_};
  }

 private:
  uint32_t mask_ = 0xff00ff00u;
};

// An element, centred, likewise.
template <class T>
uint32_t high_byte(T x) {
  return static_cast<uint32_t>(centred(x)) << 8;
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
  const HighByteMask high_bytes;
  for (; elements >= 4; elements -= 4) {
    const HighBytes as = high_bytes(a), bs = high_bytes(b);
    a += 4;
    b += 4;
    __asm("" : "+r"(a), "+r"(b));  // as they are loaded
    const int32_t sum0 = smlawb(of_b, bs.even, smlawb(of_a, as.even, offset));
    const int32_t sum1 = smlawb(of_b, bs.odd, smlawb(of_a, as.odd, offset));
    const int32_t sum2 = smlawt(of_b, bs.even, smlawt(of_a, as.even, offset));
    const int32_t sum3 = smlawt(of_b, bs.odd, smlawt(of_a, as.odd, offset));
    put_four(y, element<T>(bounds, sum0 >> shift), element<T>(bounds, sum1 >> shift),
             element<T>(bounds, sum2 >> shift), element<T>(bounds, sum3 >> shift));
  }
  for (; elements > 0; --elements) {
    const int32_t sum = smlawb(of_b, high_byte(*b++), smlawb(of_a, high_byte(*a++), offset));
    *y++ = element<T>(bounds, sum >> shift);
  }
}

// y[i] = clamp((offset + x[i] * multiplier / 2^8) >> shift), likewise.
template <class B, class X, class Y>
__attribute__((always_inline)) inline void scale_affine(const B& bounds, int32_t elements,
                                                        const X* x, int32_t multiplier,
                                                        int32_t offset, int32_t shift, Y* y) {
  const HighByteMask high_bytes;
  for (; elements >= 4; elements -= 4, x += 4) {
    const HighBytes xs = high_bytes(x);
    put_four(y, element<Y>(bounds, smlawb(multiplier, xs.even, offset) >> shift),
             element<Y>(bounds, smlawb(multiplier, xs.odd, offset) >> shift),
             element<Y>(bounds, smlawt(multiplier, xs.even, offset) >> shift),
             element<Y>(bounds, smlawt(multiplier, xs.odd, offset) >> shift));
  }
  for (; elements > 0; --elements) {
    *y++ = element<Y>(bounds, smlawb(multiplier, high_byte(*x++), offset) >> shift);
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
    const bool a_repeats = p.a_stride[4] == 0;
    if (a_repeats || p.b_stride[4] == 0) {
      const int32_t of_one = a_repeats ? p.a_multiplier : p.b_multiplier;
      const int32_t of_others = a_repeats ? p.b_multiplier : p.a_multiplier;
      const int32_t offset = smlawb(of_one, high_byte(a_repeats ? *of_a : *of_b), p.offset);
      scale_affine(bounds_of(p, &P::activation_min), p.size[4], a_repeats ? of_b : of_a, of_others,
                   offset, p.shift, of_y);
    } else {
      with_bounds<0, 255>(p, [&](const auto& bounds) { add_affine(p, bounds, of_a, of_b, of_y); });
    }
  });
}

}  // namespace opsmith::dsp
