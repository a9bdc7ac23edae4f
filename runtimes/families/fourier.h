// Fourier transforms of powers of two, in fixed point or float, as kissfft computes them.
#pragma once

#include <stdint.h>

namespace opsmith::fourier {

// Fixed point is a fraction of 15 or 31 bits; sums that leave the type wrap.
template <class T>
struct WideOf;
template <>
struct WideOf<int16_t> {
  using Type = int32_t;
};
template <>
struct WideOf<int32_t> {
  using Type = int64_t;
};
template <>
struct WideOf<float> {
  using Type = float;
};
template <class T>
using Wide = typename WideOf<T>::Type;

// A product with the fraction of both factors, without that of one.
inline int16_t rounded(int32_t product) {
  return static_cast<int16_t>((product + (1 << 14)) >> 15);
}
inline int32_t rounded(int64_t product) {
  return static_cast<int32_t>((product + (1 << 30)) >> 31);
}
inline float rounded(float product) { return product; }

// Fixed point is divided before it is added up, by a product; the sums of floats have room.
inline int16_t divided(int16_t a, int32_t by) { return rounded(a * (INT16_MAX / by)); }
inline int32_t divided(int32_t a, int32_t by) { return rounded(int64_t{a} * (INT32_MAX / by)); }
inline float divided(float a, int32_t /*by*/) { return a; }

// Half a sum: that of int16 has 17 bits.
inline int16_t half(int32_t sum) { return static_cast<int16_t>(sum >> 1); }
inline int32_t half(int64_t sum) { return static_cast<int32_t>(sum) >> 1; }
inline float half(float sum) { return sum * 0.5f; }

template <class T>
struct Complex {
  T real;
  T imaginary;
};

template <class T>
Complex<T> divided(Complex<T> a, int32_t by) {
  return {divided(a.real, by), divided(a.imaginary, by)};
}

template <class T>
Complex<T> times(Complex<T> a, const T* root) {
  const Wide<T> real = a.real, imaginary = a.imaginary;
  return {rounded(real * root[0] - imaginary * root[1]),
          rounded(real * root[1] + imaginary * root[0])};
}

template <class T>
T sum(T a, T b) {
  return static_cast<T>(Wide<T>{a} + b);
}

template <class T>
T difference(T a, T b) {
  return static_cast<T>(Wide<T>{a} - b);
}

template <class T>
Complex<T> plus(Complex<T> a, Complex<T> b) {
  return {sum(a.real, b.real), sum(a.imaginary, b.imaginary)};
}

template <class T>
Complex<T> minus(Complex<T> a, Complex<T> b) {
  return {difference(a.real, b.real), difference(a.imaginary, b.imaginary)};
}

template <class T>
Complex<T> conjugate(Complex<T> a) {
  return {a.real, static_cast<T>(-Wide<T>{a.imaginary})};
}

// a - ib and a + ib.
template <class T>
Complex<T> minus_quarter(Complex<T> a, Complex<T> b) {
  return {sum(a.real, b.imaginary), difference(a.imaginary, b.real)};
}

template <class T>
Complex<T> plus_quarter(Complex<T> a, Complex<T> b) {
  return {difference(a.real, b.imaginary), sum(a.imaginary, b.real)};
}

// Two transforms of `size` points, one after the other, into one of twice as many.
template <class T>
void butterflies_of_two(Complex<T>* z, int32_t size, int32_t step, const T* twiddles) {
  for (int32_t i = 0; i < size; ++i) {
    const Complex<T> a = divided(z[i], 2);
    const Complex<T> b = times(divided(z[i + size], 2), twiddles + 2 * step * i);
    z[i] = plus(a, b);
    z[i + size] = minus(a, b);
  }
}

// Four of them into one, of a forward transform or, where kInverse, of an inverse one.
template <bool kInverse, class T>
void butterflies_of_four(Complex<T>* z, int32_t size, int32_t step, const T* twiddles) {
  for (int32_t i = 0; i < size; ++i) {
    const int32_t turn = 2 * step * i;
    const Complex<T> a = divided(z[i], 4);
    const Complex<T> b = times(divided(z[i + size], 4), twiddles + turn);
    const Complex<T> c = times(divided(z[i + 2 * size], 4), twiddles + 2 * turn);
    const Complex<T> d = times(divided(z[i + 3 * size], 4), twiddles + 3 * turn);
    const Complex<T> even = plus(a, c);
    const Complex<T> odd = plus(b, d);
    const Complex<T> between = minus(a, c);
    const Complex<T> across = minus(b, d);
    z[i] = plus(even, odd);
    z[i + (kInverse ? 3 : 1) * size] = minus_quarter(between, across);
    z[i + 2 * size] = minus(even, odd);
    z[i + (kInverse ? 1 : 3) * size] = plus_quarter(between, across);
  }
}

// All stages, from the innermost, whose transforms are of one point.
template <bool kInverse, class P, class T>
void transform(const P& p, const T* twiddles, Complex<T>* z) {
  int32_t radix = p.first_radix;
  for (int32_t size = 1; size < p.points;) {
    const int32_t together = size * radix;
    const int32_t step = p.points / together;
    for (int32_t at = 0; at < p.points; at += together) {
      if (radix == 4) {
        butterflies_of_four<kInverse>(z + at, size, step, twiddles);
      } else {
        butterflies_of_two(z + at, size, step, twiddles);
      }
    }
    size = together;
    radix = 4;
  }
}

// The spectrum of real samples from that of their pairs: from both ends, to the middle.
template <class P, class T>
void split(const P& p, const T* roots, const Complex<T>* z, Complex<T>* y) {
  const Complex<T> ends = divided(z[0], 2);
  y[0] = {sum(ends.real, ends.imaginary), 0};
  y[p.points] = {difference(ends.real, ends.imaginary), 0};
  for (int32_t i = 1; i <= p.points / 2; ++i) {
    const Complex<T> left = divided(z[i], 2);
    const Complex<T> right = divided(conjugate(z[p.points - i]), 2);
    const Complex<T> both = plus(left, right);
    const Complex<T> turned = times(minus(left, right), roots + 2 * (i - 1));
    const Wide<T> real = both.real, imaginary = both.imaginary;
    y[i] = {half(real + turned.real), half(imaginary + turned.imaginary)};
    y[p.points - i] = {half(real - turned.real), half(turned.imaginary - imaginary)};
  }
}

// The spectra of rows of p.x_length real samples, each `step` after the one before.
template <class P, class T, class Roots>
void spectra(const P& p, const T* x, int32_t step, T* spectrum, const Roots& tables,
             Complex<T>* z) {
  Complex<T>* y = reinterpret_cast<Complex<T>*>(spectrum);
  for (int32_t row = 0; row < p.rows; ++row, x += step) {
    for (int32_t i = 0; i < p.points; ++i) {
      const int32_t at = 2 * tables.order[i];
      z[i].real = at < p.x_length ? x[at] : T{0};
      z[i].imaginary = at + 1 < p.x_length ? x[at + 1] : T{0};
    }
    transform<false>(p, tables.twiddles, z);
    split(p, tables.split, z, y + row * (p.points + 1));
  }
}

}  // namespace opsmith::fourier
