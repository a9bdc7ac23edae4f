// Needs the DSP extension. Fast because differences of four elements, their bounds and the largest
// element take an instruction or two for a word. Of int16, a line takes one product of halves.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/cmsis/dsp_exponentials.h"

namespace opsmith::softmax {

using dsp::kEach;

// Places of the exponentials of four elements in their table.
struct Places {
  uint32_t largest;
  uint32_t farthest;

  explicit Places(const Exponentials& of)
      : largest(kEach * static_cast<uint8_t>(of.largest)),
        farthest(kEach * static_cast<uint8_t>(of.farthest)) {}

  uint32_t operator()(const int8_t* x) const { return of(x, largest, farthest); }

  static uint32_t of(const int8_t* x, uint32_t largest, uint32_t farthest) {
    const uint32_t at = __usub8(largest, dsp::load_word(x));
    return farthest == 0xff * kEach ? at : dsp::smaller_of<uint8_t>(at, farthest);
  }
};

// As scale_of in reference.h.
inline Scale scale_of_words(int32_t sum) {
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(sum));
  return {dsp::reciprocal_of(static_cast<uint32_t>(sum) << zeros), kSumBits - zeros + 31 - 8};
}

// The share of an exponential, as Shares in reference.h has it, less 128, as an element of y.
#define OPSMITH_SHARE(each)                     \
  "smmlar " each ", " each ", %[factor], " each \
  "\n\t"                                        \
  "lsrs " each ", " each                        \
  ", %[exponent]\n\t"                           \
  "sbc " each ", " each                         \
  ", #127\n\t"                                  \
  "ssat " each ", #8, " each                    \
  "\n\t"                                        \
  "strb " each ", [%[y]], #1\n\t"

// As put_shares in reference.h, where some are not zero; y moves on. In assembly, since the
// compiler runs out of registers; constants are copied, since y could alias them.
__attribute__((always_inline)) inline void put_words(const Exponentials& of, const Scale& scale,
                                                     const int8_t* x, int8_t*& y, int32_t words) {
  const Places places(of);
  const uint32_t largest = places.largest, farthest = places.farthest;
  const int32_t factor = shift_left(scale.multiplier, 1);  // less 2^32
  const int32_t exponent = scale.exponent, *table = of.table;
  for (; words > 0; --words, x += 4) {
    uint32_t a, b, c, at = Places::of(x, largest, farthest);
    __asm(OPSMITH_EXPONENTIALS OPSMITH_SHARE("%[a]") OPSMITH_SHARE("%[b]") OPSMITH_SHARE("%[c]")
              OPSMITH_SHARE("%[at]")
          : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [at] "+r"(at), [y] "+r"(y),
            "=m"(*reinterpret_cast<int8_t (*)[4]>(y))
          : [table] "r"(table), [factor] "r"(factor), [exponent] "r"(exponent),
            "m"(*reinterpret_cast<const int32_t (*)[]>(table))
          : "cc");
  }
}

template <class P>
void dsp(const P& p, const In<int8_t, int8_t>& in, const Out<int8_t, int8_t>& out,
         const Tables& tables) {
  const int32_t depth = p.depth, words = depth / 4, first = 4 * words, rest = depth % 4;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t i = 0; i < p.rows; ++i, x += depth) {
    const int32_t largest = max(dsp::largest_of_words(x, words), largest_of(x + first, rest));
    const Exponentials of{largest, p.farthest, tables.exponential};
    const int32_t sum = dsp::sum_of_exponentials<kSumBits>(Places(of), of.table, x, words);
    const Scale scale = scale_of_words(sum + sum_of(of, x + first, rest));
    if (scale.exponent > 31) {
      put_shares(of, scale, x, y, depth);
      y += depth;
    } else {
      put_words(of, scale, x, y, words);
      put_shares(of, scale, x + first, y, rest);
      y += rest;
    }
  }
}

// The largest of some halfwords.
inline int32_t largest_of_halfwords(const int16_t* x, int32_t depth) {
  uint32_t found = 0x80008000;
#pragma GCC unroll 2
  for (int32_t n = depth / 2; n > 0; --n, x += 2) {
    found = dsp::larger_of<int16_t>(found, dsp::load_word(x));
  }
  const int32_t largest = max(static_cast<int16_t>(found), static_cast<int32_t>(found) >> 16);
  return depth % 2 == 0 ? largest : max(largest, *x);
}

// Exponentials in Q0.15 of a row of int16, by straight lines between 513 of them; their sum.
template <class P>
__attribute__((noinline)) int32_t put_exponentials(const P& p, const int16_t* x, int16_t* y,
                                                   const int16_t* table) {
  const int32_t multiplier = p.multiplier, left = max(p.shift, 0) + 1, right = max(-p.shift, 0);
  const int32_t half = static_cast<int32_t>(uint32_t{1} << right >> 1);
  const int32_t depth = p.depth, largest = largest_of_halfwords(x, depth);
  int32_t last = UINT16_MAX, before = 128, sum = 0;  // of all places; weights of a place at a line
  __asm("" : "+r"(last), "+r"(before));              // constants in registers
  for (const int16_t* end = x + depth; x != end; ++x, ++y) {
    int32_t scaled = dsp::smmulr(shift_left(*x - largest, left), multiplier);
    if (right > 0) scaled = (scaled + (scaled >> 31) + half) >> right;
    const uint32_t at = __usat(scaled + last, 16);
    const uint32_t weights = static_cast<uint32_t>(before + static_cast<int32_t>(at & 127) * last);
    const int32_t line = __smlad(dsp::load_word(table + (at >> 7)), weights, 64) >> 7;
    *y = static_cast<int16_t>(line);
    sum += line;
  }
  return sum;
}

// As `row` of reference.h: lines rise, so that no difference of their ends wraps.
template <class P>
void dsp(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
         const Lines& tables) {
  const int32_t depth = p.depth;
  const int16_t* x = in.x;
  int16_t* y = out.y;
  for (int32_t n = p.rows; n > 0; --n, x += depth, y += depth) {
    const Scale scale =
        scale_by_lines(put_exponentials(p, x, y, tables.exponential), tables.reciprocal);
    const int32_t half = shift_left(1, scale.exponent) >> 1;
#pragma GCC unroll 4
    for (int32_t i = 0; i < depth; ++i) {
      y[i] = static_cast<int16_t>(__ssat((y[i] * scale.multiplier + half) >> scale.exponent, 16));
    }
  }
}

}  // namespace opsmith::softmax
