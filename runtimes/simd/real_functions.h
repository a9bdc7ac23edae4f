// Functions of core/ of a vector of floats, with their operations in all lanes: of branches, each
// lane takes the result that is its own. Freestanding C++17.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_exponential.h"
#include "runtimes/core/real_exponential_minus_one.h"
#include "runtimes/core/real_logarithm.h"
#include "runtimes/core/real_rounding.h"
#include "runtimes/simd/reals.h"

namespace opsmith {

// As many lanes as W has, twice as wide but for words.
template <class W>
struct Doubled {
  using Doubles [[gnu::vector_size(2 * sizeof(W))]] = double;
  using Longs [[gnu::vector_size(2 * sizeof(W))]] = uint64_t;
  using Words [[gnu::vector_size(sizeof(W))]] = uint32_t;
};

// W is a vector of floats; floats themselves have functions that are no templates.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential(W x) {
  using Doubles = typename Doubled<W>::Doubles;
  using Longs = typename Doubled<W>::Longs;
  constexpr double kWhole = 0x1.8p52;  // of a sum with it the last bits are the nearest integer
  const W low = x > -104.0f ? x : -104.0f - W{};  // whose exponential is 0, as 89's is infinite
  const Doubles bounded = __builtin_convertvector(low < 89.0f ? low : 89.0f - W{}, Doubles);
  const Doubles high = bounded * 0x1.7154765p+5, rest_of_high = bounded * 0x1.5c17fp-26;
  const Doubles shifted = (high + rest_of_high) + kWhole;
  const Doubles rest = (high - (shifted - kWhole)) + rest_of_high;
  const Doubles cubic = 0x1.c6af84b912394p-20 * rest + 0x1.ebfce50fac4f3p-13;
  const Doubles linear = 0x1.62e42ff0c52d6p-6 * rest + 1.0;
  const auto nearest = reinterpret_cast<Longs>(shifted);
  Longs roots;
#pragma GCC unroll 16
  for (uint32_t i = 0; i < sizeof(W) / sizeof(float); ++i) {
    roots[i] = kRootsOfTwo[nearest[i] & (kRootSteps - 1)];
  }
  const auto power = reinterpret_cast<Doubles>(roots + (nearest >> 5 << 52));
  const W found = __builtin_convertvector((cubic * (rest * rest) + linear) * power, W);
  return x != x ? x + x : found;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W with_sign(W x, W sign) {
  using Ints = decltype(x < x);
  return reinterpret_cast<W>((reinterpret_cast<Ints>(x) & INT32_MAX) |
                             (reinterpret_cast<Ints>(sign) & INT32_MIN));
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_exponential_minus_one(W x) {
  using Ints = decltype(x < x);
  const W bounded = x >= -18.0f ? x : -18.0f - W{};
  const Ints rounded =
      __builtin_convertvector(0x1.715476p+0f * bounded + with_sign(0.5f - W{}, bounded), Ints);
  const Ints k = with_sign(bounded, W{}) > 0x1.62e430p-2f ? rounded : 0;
  const W powers = __builtin_convertvector(k, W);
  const W high = bounded - powers * 0x1.62e300p-1f, low = powers * 0x1.2fefa2p-17f;
  const W rest = high - low, lost = (high - rest) - low;
  const W half = 0.5f * rest, square = rest * half;
  W ratio = -0x1.afdb76p-23f * square + 0x1.0cfca8p-18f;
  ratio = ratio * square + -0x1.4ce19ap-14f;
  ratio = ratio * square + 0x1.a01a02p-10f;
  ratio = ratio * square + -0x1.111112p-5f;
  ratio = ratio * square + 1.0f;
  const W three = 3.0f - ratio * half;
  const W cubic = square * ((ratio - three) / (6.0f - rest * three));
  const W minus = ((rest * (cubic - lost)) - lost) - square;
  const W power = reinterpret_cast<W>((k + 127) << 23);
  const W one = reinterpret_cast<W>((127 - k) << 23);  // over the power
  W found =
      k < 23 ? ((1.0f - one) - (minus - rest)) * power : ((rest - (minus + one)) + 1.0f) * power;
  found = k < 0 ? (1.0f - (minus - rest)) * power - 1.0f : found;
  const W doubled = rest < -0.25f ? -2.0f * (minus - (rest + 0.5f)) : 1.0f + 2.0f * (rest - minus);
  found = k == 1 ? doubled : found;
  found = k == -1 ? 0.5f * (rest - minus) - 0.5f : found;
  found = k == 0 ? rest - minus : found;
  return x >= -18.0f ? found : x != x ? x + x : -1.0f - W{};
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_hyperbolic_tangent(W x) {
  const W size = with_sign(x, W{});
  const W of_twice = real_exponential_minus_one(size >= 1.0f ? 2.0f * size : -2.0f * size);
  const W found = size >= 1.0f ? 1.0f - 2.0f / (of_twice + 2.0f) : -of_twice / (of_twice + 2.0f);
  const W beyond = x != x ? x + x : with_sign(1.0f - W{}, x);
  return size < 10.0f ? with_sign(found, x) : beyond;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W real_logarithm(W x) {
  using Doubles = typename Doubled<W>::Doubles;
  using Ints = decltype(x < x);
  using Words = typename Doubled<W>::Words;
  const Ints subnormal = x < 0x1p-126f;
  const auto bits = reinterpret_cast<Words>(subnormal ? x * 0x1p23f : x);
  const Words from_least = bits - 0x3f330000u;  // the bits of 0.7
  const auto rest = reinterpret_cast<W>(bits - (from_least & 0xff800000u));
  const Words near = from_least >> 19 & 15;
  Doubles reciprocals, logarithms;
#pragma GCC unroll 16
  for (uint32_t i = 0; i < sizeof(W) / sizeof(float); ++i) {
    const ReciprocalAndLogarithm& of_lane = kLogarithms[near[i]];
    reciprocals[i] = of_lane.reciprocal;
    logarithms[i] = of_lane.logarithm;
  }
  const Ints powers = (reinterpret_cast<Ints>(from_least) >> 23) - (subnormal & 23);
  const Doubles r = __builtin_convertvector(rest, Doubles) * reciprocals - 1.0;
  const Doubles power =
      logarithms + __builtin_convertvector(powers, Doubles) * 0x1.62e42fefa39efp-1;
  const Doubles square = r * r;
  const Doubles low = 0x1.5575b0be00b6ap-2 * r + -0x1.ffffef20a4123p-2;
  const Doubles high = -0x1.00ea348b88334p-2 * square + low;
  const W found = __builtin_convertvector(high * square + (power + r), W);
  const W infinite = __builtin_inff() - W{};
  const W of_others = x < 0.0f ? -__builtin_nanf("") - W{} : x == 0.0f ? -infinite : x + x;
  return x > 0.0f && x != infinite ? found : of_others;
}

// As real_rounding.h: floats from 2^23 on and NaN, of which conversions say nothing, stay.
template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W truncated(W x) {
  using Ints = decltype(x < x);
  const W whole = __builtin_convertvector(__builtin_convertvector(x, Ints), W);
  return with_sign(x, W{}) < 8388608.0f ? with_sign(whole, x) : x;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_down(W x) {
  const W whole = truncated(x);
  return whole > x ? whole - 1.0f : whole;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_up(W x) {
  const W whole = truncated(x);
  return whole < x ? whole + 1.0f : whole;
}

template <class W, class = decltype(W{}[0])>
[[gnu::always_inline]] inline W rounded_to_even(W x) {
  const W size = with_sign(x, W{});
  const W nearest = with_sign(size + 8388608.0f - 8388608.0f, x);
  const W found = x < 0.0f ? nearest + 0.0f : nearest;  // no -0
  return size < 8388608.0f ? found : x + 0.0f;          // a signalling NaN becomes quiet
}

namespace simd {

// As square_root() of core/square_root.h, whose NaN of negative numbers Arm has not.
template <class V>
inline float square_root(float x) {
  typename Reals<V>::Sums found = V::roots(x - typename Reals<V>::Sums{});
  return x < 0.0f ? -kNaN : x != x ? x : found[0];
}

template <class V, class W>
inline W square_root(W x) {
  const W found = V::roots(x);
  return x < 0.0f ? -kNaN - W{} : x != x ? x : found;
}

// y[i] = f(x[i]), of floats or of vectors of them.
template <class V, class F>
void of_all(const float* x, float* y, int32_t elements, F f) {
  using R = Reals<V>;
  int32_t i = 0;
  for (; i + R::kLanes <= elements; i += R::kLanes) {
    R::store(f(R::weights(x + i)), y + i, R::kLanes);
  }
  for (; i < elements; ++i) y[i] = f(x[i]);
}

template <class V, class P, class F>
void of_each(const P& p, const float* x, float* y, F f) {
  of_all<V>(x, y, p.elements, f);
}

}  // namespace simd
}  // namespace opsmith
