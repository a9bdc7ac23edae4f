// What a generated model and an application share. Freestanding C++17.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace opsmith {

// The bytes of an input or output tensor.
struct Buffer {
  void* data;
  uint32_t bytes;
};

// A typed view of the elements of an input or output tensor.
template <class T, size_t N>
struct Span {
  T* data;
  static constexpr size_t size() { return N; }
  T* begin() const { return data; }
  T* end() const { return data + N; }
  T& operator[](size_t i) const { return data[i]; }
};

}  // namespace opsmith
