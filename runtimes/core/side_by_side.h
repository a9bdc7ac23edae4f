// Tensors side by side along an axis of another: taken apart, or put together. Freestanding C++17.
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith {

// Gives each of so many tensors its elements of every row of x.
template <class T>
void take_apart(int32_t rows, int32_t count, const int32_t* elements, const T* x, T* const* y) {
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t i = 0; i < count; ++i) {
      const int32_t size = elements[i];
      memcpy(y[i] + row * size, x, static_cast<size_t>(size) * sizeof(T));
      x += size;
    }
  }
}

// Puts every row of y together from the elements that each of so many tensors has of it.
template <class T>
void put_together(int32_t rows, int32_t count, const int32_t* elements, const T* const* x, T* y) {
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t i = 0; i < count; ++i) {
      const int32_t size = elements[i];
      memcpy(y, x[i] + row * size, static_cast<size_t>(size) * sizeof(T));
      y += size;
    }
  }
}

}  // namespace opsmith
