// Functions of runtimes/families/lookup.h by vectors, which take parts of a table from registers.
#pragma once

#include <stdint.h>

namespace opsmith::simd {

// y[i] = table[x[i]], a vector at a time.
template <class V, class P, class T>
void bytes(const P& p, const T* table, const T* x, T* y) {
  const uint8_t* values = reinterpret_cast<const uint8_t*>(table);
  const uint8_t* from = reinterpret_cast<const uint8_t*>(x);
  uint8_t* to = reinterpret_cast<uint8_t*>(y);
  const typename V::Table all(values);
  int32_t i = 0;
  for (; i + V::Table::kBytes <= p.elements; i += V::Table::kBytes) all.look_up(from + i, to + i);
  for (; i < p.elements; ++i) to[i] = values[from[i]];
}

}  // namespace opsmith::simd
