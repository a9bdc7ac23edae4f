// Needs the DSP extension. Fast because differences of four elements, their bounds and the largest
// element take an instruction or two for a word.
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

}  // namespace opsmith::softmax
