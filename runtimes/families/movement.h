// Ops that move elements without looking at them: what kernels of the family movement call. One
// instance serves all element types, or all of a width. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::movement {

// All elements as they are.
template <class P>
void copy(const P& p, const void* x, void* y) {
  memcpy(y, x, static_cast<size_t>(p.bytes));
}

// Writes y from start to end: elements that are as wide as T. `step` elements are from one of them
// in x to the next along each axis.
template <class T, class P>
void gather(const P& p, const void* x, void* y) {
  typedef T Element __attribute__((may_alias));
  const Element* from0 = static_cast<const Element*>(x) + p.first;
  Element* to = static_cast<Element*>(y);
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0, from0 += p.step[0]) {
    const Element* from1 = from0;
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1, from1 += p.step[1]) {
      const Element* from2 = from1;
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2, from2 += p.step[2]) {
        const Element* from3 = from2;
        for (int32_t i3 = 0; i3 < p.size[3]; ++i3, from3 += p.step[3]) {
          const Element* from4 = from3;
          if (p.step[4] == 1) {
            memcpy(to, from4, static_cast<size_t>(p.size[4]) * sizeof(T));
            to += p.size[4];
            continue;
          }
          for (int32_t i4 = 0; i4 < p.size[4]; ++i4, from4 += p.step[4]) *to++ = *from4;
        }
      }
    }
  }
}

// Gives each of the tensors y its bytes of every row of x.
template <class P>
void take_apart(const P& p, const int32_t* bytes, const void* x, void* const* y) {
  const uint8_t* from = static_cast<const uint8_t*>(x);
  for (int32_t row = 0; row < p.rows; ++row) {
    for (int32_t i = 0; i < p.count; ++i) {
      memcpy(static_cast<uint8_t*>(y[i]) + row * bytes[i], from, static_cast<size_t>(bytes[i]));
      from += bytes[i];
    }
  }
}

// Puts every row of y together from the bytes that each of the tensors x has of it: tensor by
// tensor, so that each is read from start to end.
template <class P>
void put_together(const P& p, const int32_t* bytes, const void* const* x, void* y) {
  int32_t row = 0;
  for (int32_t i = 0; i < p.count; ++i) row += bytes[i];
  uint8_t* start = static_cast<uint8_t*>(y);
  for (int32_t i = 0; i < p.count; ++i) {
    const uint8_t* from = static_cast<const uint8_t*>(x[i]);
    uint8_t* to = start;
    for (int32_t j = 0; j < p.rows; ++j) {
      memcpy(to, from, static_cast<size_t>(bytes[i]));
      from += bytes[i];
      to += row;
    }
    start += bytes[i];
  }
}

}  // namespace opsmith::movement
