// Needs the DSP extension. Fast because differences of four elements take an instruction, and an
// element is one product, two additions and SSAT.
#pragma once

#include "ops/log_softmax/reference.h"
#include "runtimes/cmsis/dsp_exponentials.h"

namespace opsmith::log_softmax {

// How differences from the largest element become elements of y.
//
// Q31's product of a scaled difference d and a multiplier m, which is 2^30 or more, is d + round(d
// * (2m - 2^32) / 2^32). Less the logarithm it is far below half a unit of y, so that one may
// always be taken away before it is rounded, as from negative numbers.
struct Differences {
  uint32_t largest;   // four times
  uint32_t farthest;  // that is held, four times; any beyond it gives the least element, as it does
  int32_t scale;      // negative
  int32_t factor;     // 2m - 2^32
  int32_t addend;     // the logarithm, one, half a unit and the greatest element

  template <class P>
  Differences(const P& p, int32_t of, int32_t held, int32_t logarithm)
      : largest(dsp::kEach * static_cast<uint8_t>(of)),
        farthest(dsp::kEach * static_cast<uint8_t>(held)),
        scale(-(1 << p.shift)),
        factor(shift_left(p.multiplier, 1)),
        addend(shift_left(INT8_MAX, kOutputShift) + (1 << (kOutputShift - 1)) - 1 - logarithm) {}

  int32_t share(uint32_t difference) const {
    const int32_t scaled = static_cast<int32_t>(difference) * scale;
    return __ssat(dsp::smmlar(scaled, factor, scaled + addend) >> kOutputShift, 8);
  }

  // Of four elements.
  uint32_t operator()(const int8_t* x) const { return __usub8(largest, dsp::load_word(x)); }
};

inline void put_words(const Differences& given, const int8_t* x, int8_t* y, int32_t words) {
  const Differences of = given;
  for (; words > 0; --words, x += 4, y += 4) {
    const uint32_t word = dsp::smaller_of<uint8_t>(of(x), of.farthest);
    y[0] = static_cast<int8_t>(of.share(word & 255));
    y[1] = static_cast<int8_t>(of.share(word >> 8 & 255));
    y[2] = static_cast<int8_t>(of.share(word >> 16 & 255));
    y[3] = static_cast<int8_t>(of.share(word >> 24));
  }
}

template <class P>
void dsp(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const Tables& tables) {
  const int32_t words = p.depth / 4, first = 4 * words;
  const int32_t* table = tables.exponential;
  const int8_t* x = in.x;
  int8_t* y = out.y;
  for (int32_t r = 0; r < p.rows; ++r, x += p.depth, y += p.depth) {
    int32_t largest = dsp::largest_of_words(x, words);
    for (int32_t i = first; i < p.depth; ++i) largest = max(largest, x[i]);
    const auto places = [of = dsp::kEach * static_cast<uint8_t>(largest)](const int8_t* at) {
      return __usub8(of, dsp::load_word(at));
    };
    int32_t sum = dsp::sum_of_exponentials<kSumBits>(places, table, x, words);
    for (int32_t i = first; i < p.depth; ++i) {
      sum += rounding_shift_right(table[largest - x[i]], kSumBits);
    }
    const int32_t logarithm = dsp::logarithm_of(sum);
    const int32_t farthest = min(-1 - least_difference(p, logarithm), UINT8_MAX);
    const Differences of(p, largest, farthest, logarithm);
    if (farthest < 0 || (farthest < UINT8_MAX && of.share(farthest) > INT8_MIN)) {
      put_row(p, x, y, largest, logarithm);
      continue;
    }
    put_words(of, x, y, words);
    for (int32_t i = first; i < p.depth; ++i) {
      y[i] = static_cast<int8_t>(of.share(static_cast<uint32_t>(min(largest - x[i], farthest))));
    }
  }
}

}  // namespace opsmith::log_softmax
