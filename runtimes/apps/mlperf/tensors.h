// The model: which of the benchmark's it is, and its elements as real values.
#pragma once

#include <stdint.h>

#include "model.h"

#ifdef OPSMITH_PUSH
#error "app=mlperf loads inputs as wholes: build it without stream="
#endif

namespace mlperf {

namespace model = OPSMITH_MODEL;

inline constexpr const auto& x = model::first_input;
inline constexpr const auto& y = model::first_output;
constexpr uint32_t kInputs = x.size(), kOutputs = y.size();
constexpr bool kAnomaly = kInputs == 640 && kOutputs == kInputs;
constexpr bool kImage = kInputs == 32 * 32 * 3 || kInputs == 96 * 96 * 3;
constexpr bool kStreaming = kInputs == 30 * 40 && sizeof(x[0]) == 1;
constexpr const char* kModel = kAnomaly                 ? "ad01"
                               : kInputs == 49 * 10     ? "kws01"
                               : kInputs == 32 * 32 * 3 ? "ic01"
                               : kInputs == 96 * 96 * 3 ? "vww01"
                               : kStreaming             ? "sww01"
                                                        : nullptr;
static_assert(kModel, "app=mlperf runs the models of MLPerf Tiny");

// An element of a tensor, from and to its real value, where it is quantised and where it is not.
template <class T>
auto real(const T& tensor, uint32_t i, int) -> decltype(tensor.dequantize(tensor[i])) {
  return tensor.dequantize(tensor[i]);
}
template <class T>
float real(const T& tensor, uint32_t i, long) {
  return static_cast<float>(tensor[i]);
}
template <class T>
auto element(const T& tensor, float value, int) -> decltype(tensor.quantize(value)) {
  return tensor.quantize(value);
}
template <class T>
float element(const T&, float value, long) {
  return value;
}

}  // namespace mlperf
