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

// Elements that are as wide as T, of whatever type.
template <class T>
struct Moved {
  typedef T Element __attribute__((may_alias));
};

// What `gather` does from this axis on. Returns the end of what it has written.
template <class T, int Axis, class P>
__attribute__((always_inline)) inline typename Moved<T>::Element* gather_axis(
    const P& p, const typename Moved<T>::Element* from, typename Moved<T>::Element* to) {
  constexpr int kLast = sizeof(p.size) / sizeof(p.size[0]) - 1;
  if (Axis == kLast && p.step[kLast] == 1) {
    memcpy(to, from, static_cast<size_t>(p.size[kLast]) * sizeof(T));
    return to + p.size[kLast];
  }
  for (int32_t i = 0; i < p.size[Axis]; ++i, from += p.step[Axis]) {
    if constexpr (Axis == kLast) {
      *to++ = *from;
    } else {
      to = gather_axis<T, Axis + 1>(p, from, to);
    }
  }
  return to;
}

// Writes y from start to end: elements that are as wide as T. `step` elements are from one of them
// in x to the next along each axis.
template <class T, class P>
void gather(const P& p, const void* x, void* y) {
  typedef typename Moved<T>::Element Element;
  gather_axis<T, 0>(p, static_cast<const Element*>(x) + p.first, static_cast<Element*>(y));
}

// What `take` does from this axis on. Returns the end of what it has written.
template <int Axis, class P>
__attribute__((always_inline)) inline uint8_t* take_axis(const P& p, const int32_t* offsets,
                                                         const uint8_t* from, uint8_t* to) {
  if constexpr (Axis == sizeof(p.size) / sizeof(p.size[0])) {
    memcpy(to, from, static_cast<size_t>(p.row));
    return to + p.row;
  } else {
    for (int32_t i = 0; i < p.size[Axis]; ++i) {
      to = take_axis<Axis + 1>(p, offsets + p.size[Axis], from + offsets[i], to);
    }
    return to;
  }
}

// Writes y row by row. A row of x is as many bytes from its start as the offsets of its positions
// along all axes together; those along an axis follow those along the axis before.
template <class P>
void take(const P& p, const int32_t* offsets, const void* x, void* y) {
  take_axis<0>(p, offsets, static_cast<const uint8_t*>(x), static_cast<uint8_t*>(y));
}

// Number i of a tensor of int16, int32 or int64, of which each has `width` bytes, brought into 0 to
// size - 1. Where TFLite fails at run time, firmware has the nearest position.
inline int32_t index(const void* indices, int32_t width, int32_t i, int32_t size) {
  const int64_t found = width == 8   ? static_cast<const int64_t*>(indices)[i]
                        : width == 4 ? static_cast<const int32_t*>(indices)[i]
                                     : static_cast<const int16_t*>(indices)[i];
  return found < 0 ? 0 : found < size ? static_cast<int32_t>(found) : size - 1;
}

// Where the `depth` indices of tuple i lead, along axes of p.size: the number of the position.
template <class P>
int32_t position(const P& p, const void* indices, int32_t i) {
  int32_t found = 0;
  for (int32_t axis = 0; axis < p.depth; ++axis) {
    found = found * p.size[axis] + index(indices, p.width, i * p.depth + axis, p.size[axis]);
  }
  return found;
}

// Writes, for each tuple of indices, the row of x that it leads to. Each of `batches` has tuples of
// its own, and in each the same ones for each of `outer` parts of x.
template <class P>
void look_up(const P& p, const void* indices, const void* x, void* y) {
  const uint8_t* part = static_cast<const uint8_t*>(x);
  uint8_t* to = static_cast<uint8_t*>(y);
  for (int32_t batch = 0; batch < p.batches; ++batch) {
    for (int32_t i = 0; i < p.outer; ++i, part += p.positions * p.row) {
      for (int32_t j = 0; j < p.tuples; ++j, to += p.row) {
        const int32_t at = position(p, indices, batch * p.tuples + j);
        memcpy(to, part + at * p.row, static_cast<size_t>(p.row));
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

// Copies rows of at least N bytes, which follow each other, to places `pitch` bytes apart: N bytes
// at a time, the last of which overlap those before them where they have to.
template <int32_t N>
void spread_rows(int32_t rows, int32_t bytes, int32_t pitch, const uint8_t* from, uint8_t* to) {
  for (; rows > 0; --rows, from += bytes, to += pitch) {
    for (int32_t at = 0; at <= bytes - N; at += N) memcpy(to + at, from + at, N);
    if (bytes % N) memcpy(to + bytes - N, from + bytes - N, N);
  }
}

// Copies single bytes likewise.
inline void spread_bytes(int32_t count, int32_t pitch, const uint8_t* from, uint8_t* to) {
  for (; count >= 4; count -= 4, from += 4, to += 4 * pitch) {
    uint8_t four[4];
    memcpy(four, from, sizeof four);
    memcpy(to, four, 1);
    memcpy(to + pitch, four + 1, 1);
    memcpy(to + 2 * pitch, four + 2, 1);
    memcpy(to + 3 * pitch, four + 3, 1);
  }
  for (; count > 0; --count, to += pitch) memcpy(to, from++, 1);
}

// Copies pairs of bytes likewise.
inline void spread_pairs(int32_t count, int32_t pitch, const uint8_t* from, uint8_t* to) {
#pragma GCC unroll 2
  for (; count > 0; --count, from += 2, to += pitch) memcpy(to, from, 2);
}

// Copies rows likewise; a call of memcpy for each of a few bytes takes longer than they do.
inline void spread(int32_t rows, int32_t bytes, int32_t pitch, const uint8_t* from, uint8_t* to) {
  if (bytes == 1) return spread_bytes(rows, pitch, from, to);
  if (bytes == 2) return spread_pairs(rows, pitch, from, to);
  if (bytes < 4) return spread_rows<2>(rows, bytes, pitch, from, to);
  if (bytes < 8) return spread_rows<4>(rows, bytes, pitch, from, to);
  if (bytes <= 48) return spread_rows<8>(rows, bytes, pitch, from, to);
  for (; rows > 0; --rows, from += bytes, to += pitch) {
    memcpy(to, from, static_cast<size_t>(bytes));
  }
}

// Puts every row of y together from the bytes that each of the tensors x has of it: tensor by
// tensor, so that each is read from start to end, and that which y may lie over first.
template <class P>
void put_together(const P& p, const int32_t* bytes, const void* const* x, void* y) {
  int32_t row = 0, at = 0;
  for (int32_t i = 0; i < p.count; ++i) {
    if (i == p.first) at = row;
    row += bytes[i];
  }
  for (int32_t done = 0, i = p.first; done < p.count; ++done) {
    spread(p.rows, bytes[i], row, static_cast<const uint8_t*>(x[i]), static_cast<uint8_t*>(y) + at);
    at += bytes[i];
    if (++i == p.count) i = at = 0;
  }
}

}  // namespace opsmith::movement
