// Needs the DSP extension. Fast because SMLAD adds two squares at once, and SMMLA multiplies by the
// root so that what is rounded twice is one addition and a shift of the same product.
#pragma once

#include "l2_normalization.op.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/inverse_root.h"

namespace opsmith::l2_normalization {

// As inverse_root of runtimes/core/inverse_root.h: the product of 2a and b is that of a and b,
// doubled. From its least number, 2^25, to its largest, 2^27, `half` makes nothing that saturates.
inline Scaled inverse_root_of(int32_t x) {
  if (x <= 1) return {INT32_MAX, 0};
  int32_t right = 11;
  for (; x >= 1 << 29; ++right) x /= 4;
  const int32_t pairs = (__builtin_clz(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  const int32_t half = ((shift_left(x, 2 * pairs) >> 1) + 1) & ~1;  // doubled
  int32_t y = 1 << 28;
#pragma GCC unroll 1
  for (int32_t i = 0; i < 5; ++i) {
    const int32_t cube = shift_left(dsp::smmulr(dsp::smmulr(2 * y, y) * 2, y), 6);
    y = shift_left(dsp::smmulr(3 << 28, y) - dsp::smmulr(half, cube), 3);
  }
  y = dsp::smmulr(2 * y, 1518500250);  // sqrt(1/2)
  return right < 0 ? Scaled{shift_left(y, -right), 0} : Scaled{y, -right};
}

// How elements become 128ths: (x * multiplier / 2^16 + offset) >> shift, in which negative ones
// that are rounded twice are one unit of the first rounding less.
struct Unit {
  int32_t multiplier;
  int32_t offset;
  int32_t less;
  int32_t shift;

  // A shift to the left is after the product where T is int8, and before it where it is uint8.
  Unit(const Scaled& root, bool is_signed) : multiplier(root.multiplier) {
    const int32_t total = root.shift + (is_signed ? 7 : 0);
    const int32_t unit = is_signed ? 15 - max(total, 0) : 8, right = max(-total, 0);
    shift = unit + right;
    offset = (1 << (unit - 1)) + (right > 0 ? 1 << (shift - 1) : 0);
    less = right > 0 ? -(1 << unit) : 0;
  }

  // Of an element of x that is the high halfword.
  int32_t operator()(uint32_t high) const {
    const int32_t x = static_cast<int32_t>(high);
    return __ssat((dsp::smmla(x, multiplier, offset) + (less & x >> 31)) >> shift, 8);
  }
};

// Elements of a word less 2^7 where they are unsigned, and of a difference as the zero point is.
template <class T>
inline constexpr uint32_t kFlip = static_cast<T>(-1) < 0 ? 0 : 0x80808080u;

// The sum of squares of the words of a row.
template <class T>
int32_t squares_of(const T* x, int32_t words, uint32_t less) {
  int32_t sum = 0;
#pragma GCC unroll 2
  for (; words > 0; --words, x += 4) {
    const uint32_t word = dsp::load_word(x) ^ kFlip<T>;
    const uint32_t even = dsp::sxtab16(less, word), odd = dsp::sxtab16_ror8(less, word);
    sum = dsp::smlad(odd, odd, dsp::smlad(even, even, sum));
  }
  return sum;
}

template <class T>
void put_words(const T* x, const Unit& unit, uint32_t less, T* y, int32_t words) {
  const Unit one = unit;
  uint32_t highs = 0xffff0000u;
  __asm("" : "+r"(highs));
  for (; words > 0; --words, x += 4, y += 4) {
    const uint32_t word = dsp::load_word(x) ^ kFlip<T>;
    const uint32_t even = dsp::sxtab16(less, word), odd = dsp::sxtab16_ror8(less, word);
    constexpr int32_t flip = kFlip<T> & 0xff;
    y[0] = static_cast<T>(one(even << 16) ^ flip);
    y[1] = static_cast<T>(one(odd << 16) ^ flip);
    y[2] = static_cast<T>(one(even & highs) ^ flip);
    y[3] = static_cast<T>(one(odd & highs) ^ flip);
  }
}

template <class P, class T>
void dsp(const P& p, const In<T>& in, const Out<T>& out) {
  constexpr int32_t flip = kFlip<T> & 0xff;
  const int32_t zero = p.x_zero_point, words = p.depth / 4, rest = p.depth % 4;
  const uint32_t less = static_cast<uint16_t>(flip - zero) * 0x00010001u;
  const T* x = in.x;
  T* y = out.y;
  for (int32_t row = 0; row < p.rows; ++row) {
    int32_t sum = squares_of(x, words, less);
    for (int32_t i = p.depth - rest; i < p.depth; ++i) sum += (x[i] - zero) * (x[i] - zero);
    const Unit unit(inverse_root_of(sum), flip == 0);
    put_words(x, unit, less, y, words);
    x += 4 * words, y += 4 * words;
    for (int32_t i = 0; i < rest; ++i, ++x, ++y) {
      *y = static_cast<T>(unit(static_cast<uint32_t>(*x - zero) << 16) ^ flip);
    }
  }
}

}  // namespace opsmith::l2_normalization
