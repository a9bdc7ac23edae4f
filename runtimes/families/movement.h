// Ops that move elements without looking at them: what kernels of the family movement call. They
// see bytes, so that one instance serves all element types of a width. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::movement {

// Elements of y, at y, are copied from x, each `step` bytes behind the one before.
template <class T>
void copy_elements(const uint8_t* x, int32_t step, int32_t count, void* y) {
  typedef T Element __attribute__((may_alias));
  Element* to = static_cast<Element*>(y);
  for (int32_t i = 0; i < count; ++i, x += step) to[i] = *reinterpret_cast<const Element*>(x);
}

// The same for elements of so many bytes: those that lie side by side as a whole.
inline void copy_elements(int32_t width, const uint8_t* x, int32_t step, int32_t count, void* y) {
  if (step == width) {
    memcpy(y, x, static_cast<size_t>(count * width));
  } else if (width == 1) {
    copy_elements<int8_t>(x, step, count, y);
  } else if (width == 2) {
    copy_elements<uint16_t>(x, step, count, y);
  } else if (width == 4) {
    copy_elements<uint32_t>(x, step, count, y);
  } else {
    copy_elements<uint64_t>(x, step, count, y);
  }
}

// All elements as they are.
template <class P>
void copy(const P& p, const void* x, void* y) {
  memcpy(y, x, static_cast<size_t>(p.bytes));
}

// Writes y from start to end; `step` bytes are from one element of x to the next along each axis.
template <class P>
void gather(const P& p, const void* x, void* y) {
  const uint8_t* from0 = static_cast<const uint8_t*>(x) + p.first;
  uint8_t* to = static_cast<uint8_t*>(y);
  for (int32_t i0 = 0; i0 < p.size[0]; ++i0, from0 += p.step[0]) {
    const uint8_t* from1 = from0;
    for (int32_t i1 = 0; i1 < p.size[1]; ++i1, from1 += p.step[1]) {
      const uint8_t* from2 = from1;
      for (int32_t i2 = 0; i2 < p.size[2]; ++i2, from2 += p.step[2]) {
        const uint8_t* from3 = from2;
        for (int32_t i3 = 0; i3 < p.size[3]; ++i3, from3 += p.step[3]) {
          copy_elements(p.width, from3, p.step[4], p.size[4], to);
          to += p.size[4] * p.width;
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
