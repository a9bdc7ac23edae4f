// Several neighbouring elements at a time, for the DSP extension.
#pragma once

#include "runtimes/cmsis/dsp.h"
#include "runtimes/core/limits.h"

namespace opsmith::dsp {

// Words of two arrays, by loads that follow each other: the second takes a cycle less.
struct TwoWords {
  uint32_t a, b;
};
__attribute__((always_inline)) inline TwoWords load_words(const void* a, const void* b) {
  uint32_t of_a = load_word(a), of_b = load_word(b);
  __asm("" : "+r"(of_a), "+r"(of_b));
  return {of_a, of_b};
}

// y[0] = value, and y moves on by it: one STR. GCC would count from y and add afterwards. Always
// inline, since calls take y in memory.
template <class T>
__attribute__((always_inline)) inline void put_next(T*& y, T value) {
  *y++ = value;
  __asm("" : "+r"(y));
}

// The same of four values, which are computed before.
template <class T>
__attribute__((always_inline)) inline void put_four(T*& y, T value0, T value1, T value2, T value3) {
  put_next(y, value0);
  put_next(y, value1);
  put_next(y, value2);
  put_next(y, value3);
}

// sum + multiplier * half(x) / 2^16, rounded down: bottom or top half of x.
inline int32_t smlawb(int32_t multiplier, uint32_t x, int32_t sum) {
  int32_t result;
  __asm("smlawb %0, %1, %2, %3" : "=r"(result) : "r"(multiplier), "r"(x), "r"(sum));
  return result;
}
inline int32_t smlawt(int32_t multiplier, uint32_t x, int32_t sum) {
  int32_t result;
  __asm("smlawt %0, %1, %2, %3" : "=r"(result) : "r"(multiplier), "r"(x), "r"(sum));
  return result;
}

// The same as opsmith::Lanes: two instructions add four bytes to four sums.
template <class T>
struct Lanes {
  uint32_t even = 0;  // bytes 0 and 2
  uint32_t odd = 0;   // bytes 1 and 3

  void add_four(const T* x) {
    const uint32_t word = load_word(x);
    even = Limits<T>::kSigned ? sxtab16(even, word) : uxtab16(even, word);
    odd = Limits<T>::kSigned ? sxtab16_ror8(odd, word) : uxtab16_ror8(odd, word);
  }

  void drain(int32_t, int32_t (&sums)[4]) const {
    sums[0] += low(even);
    sums[1] += low(odd);
    sums[2] += high(even);
    sums[3] += high(odd);
  }

 private:
  static int32_t low(uint32_t halves) {
    return Limits<T>::kSigned ? static_cast<int16_t>(halves) : static_cast<uint16_t>(halves);
  }
  static int32_t high(uint32_t halves) {
    return Limits<T>::kSigned ? static_cast<int32_t>(halves) >> 16 : low(halves >> 16);
  }
};

// For int16: one instruction for each, and sums of any number.
template <>
struct Lanes<int16_t> {
  int32_t totals[4] = {};

  void add_four(const int16_t* x) {
    const uint32_t first = load_word(x), second = load_word(x + 2);
    totals[0] = sxtah(totals[0], first);
    totals[1] = add_high(totals[1], first);
    totals[2] = sxtah(totals[2], second);
    totals[3] = add_high(totals[3], second);
  }

  void drain(int32_t, int32_t (&sums)[4]) const {
    for (int32_t i = 0; i < 4; ++i) sums[i] += totals[i];
  }
};

// The sum of N neighbours, of up to 2^23: four at a time, as bytes from 0 to 255.
inline int32_t sum_of(const int8_t* x, int32_t size) {
  uint32_t sum = 0;
#pragma GCC unroll 4
  for (int32_t n = size >> 2; n > 0; --n, x += 4) {
    sum = __usada8(load_word(x) ^ 0x80808080u, 0, sum);
  }
  int32_t total = static_cast<int32_t>(sum) - 128 * (size & ~3);
  for (int32_t n = size & 3; n > 0; --n) total += *x++;
  return total;
}

// Compares the elements of two words, a >= b, for SEL, which must follow: in one piece of assembly.
#define OPSMITH_SELECT(compare, first, second)                \
  __asm(compare " %1, %2, %3\n\tsel %0, %" first ", %" second \
        : "=r"(result), "=&r"(unused)                         \
        : "r"(a), "r"(b)                                      \
        : "cc")

// The larger element of each pair of two words.
template <class T>
uint32_t larger_of(uint32_t a, uint32_t b) {
  uint32_t result, unused;
  if constexpr (sizeof(T) == 2) {
    OPSMITH_SELECT("ssub16", "2", "3");
  } else if constexpr (Limits<T>::kSigned) {
    OPSMITH_SELECT("ssub8", "2", "3");
  } else {
    OPSMITH_SELECT("usub8", "2", "3");
  }
  return result;
}

// The smaller one.
template <class T>
uint32_t smaller_of(uint32_t a, uint32_t b) {
  uint32_t result, unused;
  if constexpr (sizeof(T) == 2) {
    OPSMITH_SELECT("ssub16", "3", "2");
  } else if constexpr (Limits<T>::kSigned) {
    OPSMITH_SELECT("ssub8", "3", "2");
  } else {
    OPSMITH_SELECT("usub8", "3", "2");
  }
  return result;
}

#undef OPSMITH_SELECT

// y[i] = f(a[i], b[i]), where f takes words of elements. A word is read before it is written.
template <class T, class F>
void for_each_word(int32_t elements, const T* a, const T* b, T* y, F f) {
  constexpr int32_t kElements = 4 / sizeof(T);
  for (; elements >= kElements; elements -= kElements) {
    store_word(y, f(load_word(a), load_word(b)));
    a += kElements, b += kElements, y += kElements;
  }
  for (int32_t i = 0; i < elements; ++i) {
    y[i] = static_cast<T>(f(static_cast<uint32_t>(a[i]), static_cast<uint32_t>(b[i])));
  }
}

}  // namespace opsmith::dsp
