// Functions of one tensor by tables, which runtimes/families/lookup.py makes. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith::lookup {

// y[i] = table[x[i]]: LiteRT's LookupTable of bytes. The table starts with the element 0; negative
// ones come last. Four in a step, which are short.
template <class P, class T>
void bytes(const P& p, const T* table, const T* x, T* y) {
  const auto look_up = [table, x, y](int32_t i) { y[i] = table[static_cast<uint8_t>(x[i])]; };
  int32_t i = 0;
  for (; i < p.elements - 3; i += 4) {
    look_up(i);
    look_up(i + 1);
    look_up(i + 2);
    look_up(i + 3);
  }
  for (; i < p.elements; ++i) look_up(i);
}

// y of a table that has the value of each element of a, or of b where that is the one that varies.
template <class P, class T>
void bytes_of_one(const P& p, const T* table, const T* a, const T* b, T* y) {
  bytes(p, table, p.b_varies ? b : a, y);
}

// LiteRT's LUTLookup: between every 128th element, of which the table has the values, a straight
// line. Differences of two values wrap at 16 bits, as there.
inline int16_t interpolated(int16_t x, const int16_t* table) {
  const int16_t* value = table + 256 + (x >> 7);
  const int16_t slope = static_cast<int16_t>(value[1] - value[0]);
  return static_cast<int16_t>(value[0] + ((slope * (x & 127) + 64) >> 7));
}

template <class P>
void halfwords(const P& p, const int16_t* table, const int16_t* x, int16_t* y) {
  for (int32_t i = 0; i < p.elements; ++i) y[i] = interpolated(x[i], table);
}

}  // namespace opsmith::lookup
