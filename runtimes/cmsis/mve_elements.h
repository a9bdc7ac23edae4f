// Elements as sums of products that runtimes/cmsis/mve_elements.py has proved, sixteen at a time,
// for Helium.
#pragma once

#include "runtimes/cmsis/mve.h"
#include "runtimes/core/affine.h"
#include "runtimes/core/broadcast.h"
#include "runtimes/core/limits.h"

namespace opsmith::mve {

// Elements k to k + 3 after `x`. The compiler would add k to x first.
template <int k>
int32x4_t four(const int8_t* x) {
  int32x4_t v;
  const auto& bytes = *reinterpret_cast<const int8_t (*)[16]>(x);
  __asm("vldrb.s32 %q[v], [%[x], #%c[k]]" : [v] "=w"(v) : [x] "l"(x), [k] "i"(k), "m"(bytes));
  return v;
}

template <int k>
int32x4_t four(const uint8_t* x) {
  int32x4_t v;
  const auto& bytes = *reinterpret_cast<const uint8_t (*)[16]>(x);
  __asm("vldrb.u32 %q[v], [%[x], #%c[k]]" : [v] "=w"(v) : [x] "l"(x), [k] "i"(k), "m"(bytes));
  return v;
}

// The first N of sixteen elements, and every second of them as halfwords.
inline int8x16_t some_of(const int8_t* x, mve_pred16_t some) { return vldrbq_z_s8(x, some); }
inline uint8x16_t some_of(const uint8_t* x, mve_pred16_t some) { return vldrbq_z_u8(x, some); }
inline int16x8_t even_of(int8x16_t x) { return vmovlbq_s8(x); }
inline int16x8_t even_of(uint8x16_t x) { return vreinterpretq_s16_u16(vmovlbq_u8(x)); }
inline int16x8_t odd_of(int8x16_t x) { return vmovltq_s8(x); }
inline int16x8_t odd_of(uint8x16_t x) { return vreinterpretq_s16_u16(vmovltq_u8(x)); }

// Words as halfwords, and halfwords as bytes, saturated: those of `even` in every second place.
inline int16x8_t halves(int32x4_t even, int32x4_t odd) {
  return vqmovntq_s32(vqmovnbq_s32(vreinterpretq_s16_s32(even), even), odd);
}
inline int8x16_t bytes(int16x8_t even, int16x8_t odd) {
  return vqmovntq_s16(vqmovnbq_s16(vreinterpretq_s8_s16(even), even), odd);
}
inline uint8x16_t unsigned_bytes(int16x8_t even, int16x8_t odd) {
  return vqmovuntq_s16(vqmovunbq_s16(vreinterpretq_u8_s16(even), even), odd);
}

// Every sum of four vectors as sum >> (24 - left), saturated to a byte; left is 0 to 8. Lane i of
// a, b, c and d becomes byte 4 * i, 4 * i + 2, 4 * i + 1 and 4 * i + 3.
inline int8x16_t bytes_of(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d, int32_t left) {
  // The high halves of b and d are where they belong.
  const int16x8_t even = vshrnbq_n_s32(vreinterpretq_s16_s32(b), a, 16);
  const int16x8_t odd = vshrnbq_n_s32(vreinterpretq_s16_s32(d), c, 16);
  const int8x16_t high = vreinterpretq_s8_s16(vqshlq_r_s16(odd, left));
  return vshrnbq_n_s16(high, vqshlq_r_s16(even, left), 8);
}

// The same of f(x[i]), or f(a[i], b[i]), for vectors of sixteen elements in the order of memory.
template <class F, class... Vectors>
int8x16_t bytes_in_order(int32_t left, F f, Vectors... v) {
  const auto odd = [&f](auto... halves) { return f(vmovltq_s16(halves)...); };
  const auto even = [&f](auto... halves) { return f(vmovlbq_s16(halves)...); };
  return bytes_of(even(even_of(v)...), odd(even_of(v)...), even(odd_of(v)...), odd(odd_of(v)...),
                  left);
}

// A vector of one element.
inline int8x16_t all(int8_t x) { return vdupq_n_s8(x); }
inline uint8x16_t all(uint8_t x) { return vdupq_n_u8(x); }
inline int16x8_t all(int16_t x) { return vdupq_n_s16(x); }

// Elements within [low, high], which lie within their type.
template <class T, class Vector>
Vector clamped(Vector x, int32_t low, int32_t high) {
  if (low > Limits<T>::kLow) x = vmaxq(x, all(static_cast<T>(low)));
  if (high < Limits<T>::kHigh) x = vminq(x, all(static_cast<T>(high)));
  return x;
}

// What is stored of int8, and of uint8 that is 128 more.
inline int8x16_t stored(int8x16_t x, const int8_t*) { return x; }
inline uint8x16_t stored(int8x16_t x, const uint8_t*) {
  return veorq_u8(vreinterpretq_u8_s8(x), vdupq_n_u8(0x80));
}

// y[i] = clamp(f(x[i]...) >> (24 - left)) for one or several x; f gives sums of four. P has left,
// y_min and y_max; y of uint8 is 128 more. Sixteen elements are read before any y of them is
// written.
template <class P, class Y, class F, class... X>
void put_sums(const P& p, int32_t elements, Y* y, F f, const X*... x) {
  const int32_t left = p.left, low = p.y_min, high = p.y_max;
  // Byte 4 * i + {0, 1, 2, 3} is of element i + {0, 8, 4, 12}.
  const uint32x4_t ones = vdupq_n_u32(0x01010101u);
  const uint8x16_t places =
      vreinterpretq_u8_u32(vmlasq_n_u32(vidupq_n_u32(0, 1), ones, 0x0c040800u));
  for (int32_t n = elements >> 4; n > 0; --n, y += 16) {
    const int8x16_t bytes =
        bytes_of(f(four<0>(x)...), f(four<4>(x)...), f(four<8>(x)...), f(four<12>(x)...), left);
    vstrbq_scatter_offset(y, places, stored(clamped<int8_t>(bytes, low, high), y));
    ((x += 16), ...);
  }
  const int32_t rest = elements & 15;
  if (rest == 0) return;
  const mve_pred16_t some = vctp8q(static_cast<uint32_t>(rest));
  const int8x16_t bytes = bytes_in_order(left, f, some_of(x, some)...);
  vstrbq_p(y, stored(clamped<int8_t>(bytes, low, high), y), some);
}

// x * multiplier + offset of every element, centred. A vector in place of the multiplier would keep
// GCC from taking what is captured apart: it would lie on the stack.
template <class T>
auto scaled(int32_t multiplier, int32_t offset) {
  const int32_t less = offset - kCentre<T> * multiplier;
  return [=](int32x4_t x) { return vmlasq_n_s32(x, vdupq_n_s32(multiplier), less); };
}

// y = clamp((offset + a * a_multiplier + b * b_multiplier) >> (24 - left)) of every pair of
// elements, centred; P also has the members that for_each_row wants, with strides of 1 along the
// last axis, or of 0 where one tensor repeats.
template <class P, class T>
void affine_pairs(const P& p, const T* a, const T* b, T* y) {
  const int32_t offset = p.offset, a_multiplier = p.a_multiplier, b_multiplier = p.b_multiplier;
  const int32_t less = offset - kCentre<T> * a_multiplier - kCentre<T> * b_multiplier;
  const auto sums = [=](int32x4_t of_a, int32x4_t of_b) {
    const int32x4_t of_one = vmlasq_n_s32(of_a, vdupq_n_s32(a_multiplier), less);
    return vmlaq_n_s32(of_one, of_b, b_multiplier);
  };
  for_each_row(p, a, b, y, [&](const T* of_a, const T* of_b, T* of_y) {
    if (p.a_stride[4] == 0) {
      const auto f = scaled<T>(b_multiplier, offset + centred(*of_a) * a_multiplier);
      put_sums(p, p.size[4], of_y, f, of_b);
    } else if (p.b_stride[4] == 0) {
      const auto f = scaled<T>(a_multiplier, offset + centred(*of_b) * b_multiplier);
      put_sums(p, p.size[4], of_y, f, of_a);
    } else {
      put_sums(p, p.size[4], of_y, sums, of_a, of_b);
    }
  });
}

// y[i] = clamp((offset + x[i] * multiplier) >> (24 - left)).
template <class P>
void affine_elements(const P& p, const int8_t* x, int8_t* y) {
  put_sums(p, p.elements, y, scaled<int8_t>(p.multiplier, p.offset), x);
}

}  // namespace opsmith::mve
