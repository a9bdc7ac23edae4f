// Softmax, the definition (tensorflow/lite/kernels/internal/reference/softmax.h): of bytes with its
// exponentials, which depend on a difference of two elements alone, from a table.
#pragma once

#include "runtimes/core/fixed_point.h"
#include "runtimes/core/limits.h"
#include "runtimes/core/real_exponential.h"
#include "runtimes/core/reciprocal.h"
#include "runtimes/families/lookup.h"
#include "softmax.op.h"

namespace opsmith::softmax {

inline constexpr int32_t kSumBits = 12;  // integer bits of a sum of exponentials, Q12.19

// What turns exponentials into shares of all values of y: a factor in Q0.31, and a shift to the
// right.
struct Scale {
  int32_t multiplier;
  int32_t exponent;
};

// sum = (1 + fraction) * 2^(31 - zeros): shares are exponentials times 1 / (1 + fraction), shifted.
template <class Y>
inline Scale scale_of(int32_t sum) {
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const uint32_t fraction = (static_cast<uint32_t>(sum) << zeros) - (uint32_t{1} << 31);
  return {reciprocal_of_one_plus(static_cast<int32_t>(fraction)),
          kSumBits - zeros + 31 - 8 * static_cast<int32_t>(sizeof(Y))};
}

// The largest of some elements. Four in a step, which are short.
template <class X>
inline int32_t largest_of(const X* x, int32_t depth) {
  int32_t largest = Limits<X>::kLow, i = 0;
  for (; i < depth - 3; i += 4) {
    largest = max(max(largest, max(x[i], x[i + 1])), max(x[i + 2], x[i + 3]));
  }
  for (; i < depth; ++i) largest = max(largest, x[i]);
  return largest;
}

// Exponentials in Q0.31 of a row: of the largest element minus another one.
struct Exponentials {
  int32_t largest;
  int32_t farthest;
  const int32_t* table;

  int32_t operator()(int32_t x) const { return table[min(largest - x, farthest)]; }
};

// The sum of the exponentials of a row, each in Q12.19.
template <class X>
inline int32_t sum_of(const Exponentials& exponential, const X* x, int32_t depth) {
  int32_t sum = 0, i = 0;
  for (; i < depth - 1; i += 2) {
    sum += rounding_shift_right(exponential(x[i]), kSumBits);
    sum += rounding_shift_right(exponential(x[i + 1]), kSumBits);
  }
  return i < depth ? sum + rounding_shift_right(exponential(x[i]), kSumBits) : sum;
}

// Shares of a row: from exponentials in Q0.31 to steps of y, of which there are 2^bits.
template <int32_t bits>
struct Shares {
  uint32_t twice;  // the factor
  uint32_t half;
  int32_t exponent;  // at most 31: with more every share rounds to zero

  explicit Shares(const Scale& scale)
      : twice(2 * static_cast<uint32_t>(scale.multiplier)),
        half(uint32_t{1} << scale.exponent >> 1),
        exponent(scale.exponent) {}

  // The whole, 2^bits, is one more than y holds.
  uint32_t operator()(int32_t exponential) const {
    const uint32_t high = rounded_high_product(static_cast<uint32_t>(exponential), twice);
    const uint32_t share = (high + half) >> exponent;
    return share - (share >> bits);
  }
};

// The shares of a row, or of a part of it.
template <class X, class Y>
inline void put_shares(const Exponentials& exponential, const Scale& scale, const X* x, Y* y,
                       int32_t depth) {
  constexpr int32_t least = Limits<Y>::kLow;
  if (scale.exponent > 31) {
    for (int32_t i = 0; i < depth; ++i) y[i] = least;
    return;
  }
  const Shares<8 * sizeof(Y)> shares(scale);
  const auto put = [=](int32_t i) {
    y[i] = static_cast<Y>(static_cast<int32_t>(shares(exponential(x[i]))) + least);
  };
  int32_t i = 0;
  for (; i < depth - 1; i += 2) {
    put(i);
    put(i + 1);
  }
  if (i < depth) put(i);
}

// One row of bytes.
template <class P, class X, class Y>
inline void row(const P& p, const X* x, Y* y, const int32_t* table) {
  const Exponentials exponential{largest_of(x, p.depth), p.farthest, table};
  const int32_t sum = sum_of(exponential, x, p.depth);
  put_shares(exponential, scale_of<Y>(sum), x, y, p.depth);
}

template <class P, class X, class Y>
void reference(const P& p, const In<X, Y>& in, const Out<X, Y>& out, const Tables& tables) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(p, in.x + i * p.depth, out.y + i * p.depth, tables.exponential);
  }
}

// What turns exponentials of int16 into shares: a factor in Q0.15, and a shift to the right.
//
// sum = (1 + fraction) * 2^shift; the table goes from 1 / (1 + 0) to 1 / (1 + 1).
inline Scale scale_by_lines(int32_t sum, const int16_t* reciprocal) {
  const int32_t zeros = __builtin_clz(static_cast<uint32_t>(sum));
  const int64_t normal = static_cast<int64_t>(sum) << (zeros - 1);
  const int32_t digits = static_cast<int32_t>((normal + (1 << 13)) >> 14);
  const int32_t fraction = min(digits - (1 << 16), UINT16_MAX) + INT16_MIN;
  return {lookup::interpolated(static_cast<int16_t>(fraction), reciprocal), 31 - zeros};
}

// One row of int16: exponentials and the reciprocal of their sum, in Q0.15, by straight lines.
template <class P>
void row(const P& p, const int16_t* x, int16_t* y, const int16_t* exponential,
         const int16_t* reciprocal) {
  int32_t largest = INT16_MIN;
  for (int32_t i = 0; i < p.depth; ++i) largest = max(largest, x[i]);
  int32_t sum = 0;
  for (int32_t i = 0; i < p.depth; ++i) {
    const int32_t scaled = multiply_by_quantized_multiplier(x[i] - largest, p.multiplier, p.shift);
    const int32_t at = scaled < INT16_MIN - INT16_MAX ? INT16_MIN : min(scaled, 0) + INT16_MAX;
    y[i] = lookup::interpolated(static_cast<int16_t>(at), exponential);
    sum += y[i];
  }
  const Scale scale = scale_by_lines(sum, reciprocal);
  for (int32_t i = 0; i < p.depth; ++i) {
    const int32_t share = rounding_shift_right(y[i] * scale.multiplier, scale.exponent);
    y[i] = static_cast<int16_t>(min(share, INT16_MAX));
  }
}

template <class P>
void reference(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
               const Lines& tables) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(p, in.x + i * p.depth, out.y + i * p.depth, tables.exponential, tables.reciprocal);
  }
}

// The largest of some floats, none of which is NaN. Four in a step, which are short.
inline float largest_of(const float* x, int32_t depth) {
  float largest = Limits<float>::kLow;
  const auto meet = [&](float other) { largest = largest < other ? other : largest; };
  int32_t i = 0;
  for (; i < depth - 3; i += 4) {
    meet(x[i]);
    meet(x[i + 1]);
    meet(x[i + 2]);
    meet(x[i + 3]);
  }
  for (; i < depth; ++i) meet(x[i]);
  return largest;
}

// One row of float32. A NaN is not the largest, and makes the whole row NaN.
inline __attribute__((noinline)) void row(const float* x, float* y, int32_t depth, float beta) {
  const float largest = largest_of(x, depth);
  float sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    y[i] = real_exponential((x[i] - largest) * beta);
    sum += y[i];
  }
  int32_t i = 0;
  for (; i < depth - 1; i += 2) {
    y[i] = y[i] / sum;
    y[i + 1] = y[i + 1] / sum;
  }
  if (i < depth) y[i] = y[i] / sum;
}

template <class P>
void reference(const P& p, const In<float, float>& in, const Out<float, float>& out) {
  for (int32_t i = 0; i < p.rows; ++i) {
    row(in.x + i * p.depth, out.y + i * p.depth, p.depth, static_cast<float>(p.beta));
  }
}

}  // namespace opsmith::softmax
