// Ops that move elements without looking at them: what kernels of the family movement call. One
// instance serves all element types, or all of a width. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

#include "runtimes/core/unaligned.h"

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

// Copies rows of N bytes, which follow each other, to places `pitch` bytes apart.
template <int32_t N>
__attribute__((always_inline)) inline void spread_rows(int32_t rows, int32_t pitch,
                                                       const uint8_t* from, uint8_t* to) {
  for (; rows; --rows, from += N, to += pitch) copy_few<N>(to, from);
}

// Writes the parts of a word, each as wide as T, to places `pitch` bytes apart. Returns the place
// after the last one's.
template <class T>
__attribute__((always_inline)) inline uint8_t* spread_word(uint32_t word, int32_t pitch,
                                                           uint8_t* to) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < sizeof word / sizeof(T); ++i, to += pitch) {
    store_unaligned(to, static_cast<T>(word >> 8 * i * sizeof(T)));
  }
  return to;
}

// Copies rows as wide as T, which follow each other, to places `pitch` bytes apart: eight bytes are
// loaded at a time.
template <class T>
__attribute__((always_inline)) inline void spread_parts(int32_t rows, int32_t pitch,
                                                        const uint8_t* from, uint8_t* to) {
  constexpr int32_t kWidth = sizeof(T), kAtOnce = 8 / kWidth;
  for (; rows >= kAtOnce; rows -= kAtOnce, from += 8) {
    const auto first = load_unaligned<uint32_t>(from), second = load_unaligned<uint32_t>(from + 4);
    to = spread_word<T>(first, pitch, to);
    to = spread_word<T>(second, pitch, to);
  }
  spread_rows<kWidth>(rows, pitch, from, to);
}

// Copies rows of N to 2 N bytes, which follow each other, to places `pitch` bytes apart: both ends
// of each, which may overlap.
template <int32_t N>
__attribute__((always_inline)) inline void spread_ends(int32_t rows, int32_t bytes, int32_t pitch,
                                                       const uint8_t* from, uint8_t* to) {
  for (; rows; --rows, from += bytes, to += pitch) {
    copy_few<N>(to, from);
    copy_few<N>(to + bytes - N, from + bytes - N);
  }
}

// Copies rows of at least 16 bytes, which follow each other, to places `pitch` bytes apart: 8 bytes
// at a time, of which the last may overlap those before.
__attribute__((always_inline)) inline void spread_long(int32_t rows, int32_t bytes, int32_t pitch,
                                                       const uint8_t* from, uint8_t* to) {
  for (; rows; --rows, to += pitch) {
    const uint8_t* const last = from + bytes - 8;
    uint8_t* at = to;
    for (; last - from > 8; from += 16, at += 16) {
      copy_few<8>(at, from);
      copy_few<8>(at + 8, from + 8);
    }
    if (from < last) copy_few<8>(at, from);
    copy_few<8>(to + bytes - 8, last);
    from = last + 8;
  }
}

// Copies rows of one byte or more, which follow each other, to places `pitch` bytes apart. A call
// of memcpy for each of a few bytes takes longer than they do.
__attribute__((noinline)) inline void spread(int32_t rows, int32_t bytes, int32_t pitch,
                                             const uint8_t* from, uint8_t* to) {
  if (rows == 0) return;
  if (bytes == 1) return spread_parts<uint8_t>(rows, pitch, from, to);
  if (bytes == 2) return spread_parts<uint16_t>(rows, pitch, from, to);
  if (bytes == 3) return spread_rows<3>(rows, pitch, from, to);
  if (bytes == 4) return spread_rows<4>(rows, pitch, from, to);
  if (bytes < 8) return spread_ends<4>(rows, bytes, pitch, from, to);
  if (bytes == 8) return spread_rows<8>(rows, pitch, from, to);
  if (bytes <= 16) return spread_ends<8>(rows, bytes, pitch, from, to);
  if (bytes <= 48) return spread_long(rows, bytes, pitch, from, to);
  for (; rows; --rows, from += bytes, to += pitch) {
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
