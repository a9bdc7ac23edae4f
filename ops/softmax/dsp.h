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
    return dsp::smaller_of<uint8_t>(__usub8(largest, dsp::load_word(x)), farthest);
  }
};

// As sum_of in reference.h.
inline int32_t sum_of_words(const Exponentials& of, const int8_t* x, int32_t words) {
  const Places places(of);
  const auto counted = [table = of.table](uint32_t at) {
    return rounding_shift_right(table[at & 0xff], kSumBits);
  };
  int32_t sum = 0;
  for (; words > 0; --words, x += 4) {
    const uint32_t at = places(x);
    sum += counted(at);
    sum += counted(at >> 8);
    sum += counted(at >> 16);
    sum += counted(at >> 24);
  }
  return sum;
}

// As put_shares in reference.h, where some are not zero.
inline void put_words(const Exponentials& of, const Scale& scale, const int8_t* x, int8_t* y,
                      int32_t words) {
  const Places places(of);
  const Shares<8> shares(scale);
  const auto share = [=, table = of.table](uint32_t at) { return shares(table[at & 0xff]); };
  for (; words > 0; --words, x += 4, y += 4) {
    const uint32_t at = places(x);
    const uint32_t found =
        dsp::word_of(share(at), share(at >> 8), share(at >> 16), share(at >> 24));
    dsp::store_word(y, found ^ (0x80 * kEach));
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
    const Scale scale = scale_of<int8_t>(sum_of_words(of, x, words) + sum_of(of, x + first, rest));
    if (scale.exponent > 31) {
      put_shares(of, scale, x, y, depth);
    } else {
      put_words(of, scale, x, y, words);
      put_shares(of, scale, x + first, y + first, rest);
    }
  }
}

}  // namespace opsmith::softmax
