// Needs the DSP extension. Fast because differences of four elements, their bounds and the largest
// element take an instruction or two for a word.
#pragma once

#include "ops/softmax/reference.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/lanes.h"

namespace opsmith::softmax {

inline constexpr uint32_t kEach = 0x01010101;  // a byte times this is four times the byte

// The largest of the elements of some words.
inline int32_t largest_of_words(const int8_t* x, int32_t words) {
  uint32_t found = 0x80 * kEach;
#pragma GCC unroll 2
  for (; words > 0; --words, x += 4) found = dsp::larger_of<int8_t>(found, dsp::load_word(x));
  found = dsp::larger_of<int8_t>(found, found << 16);
  found = dsp::larger_of<int8_t>(found, found << 8);
  return static_cast<int32_t>(found) >> 24;
}

// Places of the exponentials of four elements in their table.
struct Places {
  uint32_t largest;
  uint32_t farthest;

  explicit Places(const Exponentials& of)
      : largest(kEach * static_cast<uint8_t>(of.largest)),
        farthest(kEach * static_cast<uint8_t>(of.farthest)) {}

  uint32_t operator()(const int8_t* x) const {
    const uint32_t at = __usub8(largest, dsp::load_word(x));
    return farthest == 0xff * kEach ? at : dsp::smaller_of<uint8_t>(at, farthest);
  }
};

// Reads four exponentials; loads that follow each other take less.
#define OPSMITH_EXPONENTIALS               \
  "uxtb %[a], %[at]\n\t"                   \
  "ubfx %[b], %[at], #8, #8\n\t"           \
  "ubfx %[c], %[at], #16, #8\n\t"          \
  "lsr %[at], %[at], #24\n\t"              \
  "ldr %[a], [%[table], %[a], lsl #2]\n\t" \
  "ldr %[b], [%[table], %[b], lsl #2]\n\t" \
  "ldr %[c], [%[table], %[c], lsl #2]\n\t" \
  "ldr %[at], [%[table], %[at], lsl #2]\n\t"

// As sum_of in reference.h.
inline int32_t sum_of_words(const Exponentials& of, const int8_t* x, int32_t words) {
  const Places places(of);
  const auto counted = [](uint32_t each) { return rounding_shift_right(each, kSumBits); };
  int32_t sum = 0;
  for (; words > 0; --words, x += 4) {
    uint32_t a, b, c, at = places(x);
    __asm(OPSMITH_EXPONENTIALS
          : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [at] "+r"(at)
          : [table] "r"(of.table), "m"(*reinterpret_cast<const int32_t (*)[]>(of.table)));
    sum += counted(a);
    sum += counted(b);
    sum += counted(c);
    sum += counted(at);
  }
  return sum;
}

// As scale_of in reference.h: a product with a number of 2^31 or more is one with a negative
// number, and the other factor added.
inline Scale scale_of_words(int32_t sum) {
  constexpr int32_t slope = -1010580540;  // as in reciprocal.h
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t twice = static_cast<int32_t>(static_cast<uint32_t>(sum) << zeros & ~1u);
  int32_t y = dsp::smmlar(twice, slope, 1515870810 + slope);
#pragma GCC unroll 3
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t error = (int32_t{1} << 29) - dsp::smmlar(y, twice, y);
    y += shift_left(dsp::smmulr(y, shift_left(error, 1)), 2);
  }
  return {__qadd(y, y), kSumBits - zeros + 31 - 8};
}

// The share of an exponential, as Shares in reference.h has it.
#define OPSMITH_SHARE(each)                     \
  "smmlar " each ", " each ", %[factor], " each \
  "\n\t"                                        \
  "lsrs " each ", " each                        \
  ", %[exponent]\n\t"                           \
  "adc " each ", " each                         \
  ", #0\n\t"                                    \
  "sub " each ", " each ", " each ", lsr #8\n\t"

// As put_shares in reference.h, where some are not zero. In assembly, since the compiler runs out
// of registers.
inline void put_words(const Exponentials& of, const Scale& scale, const int8_t* x, int8_t* y,
                      int32_t words) {
  const Places places(of);
  const int32_t factor = shift_left(scale.multiplier, 1);  // less 2^32
  for (; words > 0; --words, x += 4, y += 4) {
    uint32_t a, b, c, at = places(x);
    __asm(OPSMITH_EXPONENTIALS                 //
              OPSMITH_SHARE("%[a]")            //
          OPSMITH_SHARE("%[b]")                //
          OPSMITH_SHARE("%[c]")                //
          OPSMITH_SHARE("%[at]")               //
          "orr %[a], %[a], %[b], lsl #8\n\t"   //
          "orr %[a], %[a], %[c], lsl #16\n\t"  //
          "orr %[a], %[a], %[at], lsl #24"
          : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [at] "+r"(at)
          : [table] "r"(of.table), [factor] "r"(factor), [exponent] "r"(scale.exponent),
            "m"(*reinterpret_cast<const int32_t (*)[]>(of.table))
          : "cc");
    dsp::store_word(y, a ^ (0x80 * kEach));
  }
}

template <class P>
void dsp(const P& p, const In<int8_t, int8_t>& in, const Out<int8_t, int8_t>& out,
         const Tables& tables) {
  const int32_t depth = p.depth, words = depth / 4, first = 4 * words, rest = depth % 4;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t i = 0; i < p.rows; ++i, x += depth, y += depth) {
    const int32_t largest = max(largest_of_words(x, words), largest_of(x + first, rest));
    const Exponentials of{largest, p.farthest, tables.exponential};
    const Scale scale = scale_of_words(sum_of_words(of, x, words) + sum_of(of, x + first, rest));
    if (scale.exponent > 31) {
      put_shares(of, scale, x, y, depth);
    } else {
      put_words(of, scale, x, y, words);
      put_shares(of, scale, x + first, y + first, rest);
    }
  }
}

}  // namespace opsmith::softmax
