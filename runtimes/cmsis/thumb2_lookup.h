// Functions of runtimes/families/lookup.h for cores on which loads in a row take a cycle each.
#pragma once

#include <stdint.h>

namespace opsmith::thumb2 {

// y[i] = table[x[i]], eight at a time: all are read, then looked up, then written. `volatile` keeps
// bytes from being put together in words, which takes longer than to store each.
template <class P, class T>
void bytes(const P& p, const T* table, const T* x, T* y) {
  const uint8_t* values = reinterpret_cast<const uint8_t*>(table);
  const volatile uint8_t* from = reinterpret_cast<const volatile uint8_t*>(x);
  volatile uint8_t* to = reinterpret_cast<volatile uint8_t*>(y);
  for (int32_t n = p.elements >> 3; n > 0; --n, from += 8, to += 8) {
    const uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
    const uint32_t e = from[4], f = from[5], g = from[6], h = from[7];
    const uint8_t of_a = values[a], of_b = values[b], of_c = values[c], of_d = values[d];
    const uint8_t of_e = values[e], of_f = values[f], of_g = values[g], of_h = values[h];
    to[0] = of_a, to[1] = of_b, to[2] = of_c, to[3] = of_d;
    to[4] = of_e, to[5] = of_f, to[6] = of_g, to[7] = of_h;
  }
  for (int32_t i = 0; i < p.elements % 8; ++i) to[i] = values[from[i]];
}

}  // namespace opsmith::thumb2
