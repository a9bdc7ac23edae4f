// What generated models and applications share. Freestanding C++17.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtimes/core/quantization.h"

namespace opsmith {

// The bytes of an input or output tensor.
struct Buffer {
  void* data;
  uint32_t bytes;
};

// T without const.
template <class T>
struct Mutable {
  using type = T;
};
template <class T>
struct Mutable<const T> {
  using type = T;
};

// The elements of an input or output tensor, accessed as through std::span. Tensor::data() returns
// their address.
template <class Tensor, class T, size_t N>
struct Elements {
  static constexpr size_t size() { return N; }
  T* begin() const { return Tensor::data(); }
  T* end() const { return Tensor::data() + N; }
  T& operator[](size_t i) const { return Tensor::data()[i]; }
};

// The elements of a tensor of at most 16 bits, with conversions by Tensor::scale and zero_point.
template <class Tensor, class T, size_t N>
struct QuantizedElements : Elements<Tensor, T, N> {
  using value_type = typename Mutable<T>::type;
  static constexpr int32_t kBits = 8 * sizeof(T);
  static constexpr int32_t kLow = static_cast<value_type>(-1) < 0 ? -(1 << (kBits - 1)) : 0;
  static constexpr int32_t kHigh = kLow + (1 << kBits) - 1;

  static constexpr value_type quantize(float value) {
    return nearest_element<value_type>(value, Tensor::scale, Tensor::zero_point, kLow, kHigh);
  }
  static constexpr float dequantize(value_type element) {
    return real_value(element, Tensor::scale, Tensor::zero_point);
  }
};

}  // namespace opsmith
