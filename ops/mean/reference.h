// Mean, the definition (tensorflow/lite/kernels/internal/reference/reduce.h: QuantizedMeanOrSum,
// and Mean, which divides the sum).
#pragma once

#include "mean.op.h"
#include "ops/mean/scaled.h"
#include "runtimes/families/reduction.h"

namespace opsmith::mean {

// One mean of quantised elements; `x` is the first of them.
template <class P, class T>
T mean(const P& p, const T* x) {
  int32_t sum = first_sum(p, 0);
  reduction::for_each_reduced(p, x, [&sum](int32_t element) { sum += element; });
  return scaled<T>(p, sum);
}

// One mean of integers, cut towards zero. Sums wrap.
template <class T, class P>
T quotient(const P& p, const T* x) {
  uint64_t sum = 0;
  reduction::for_each_reduced(p, x, [&sum](T element) { sum += static_cast<uint64_t>(element); });
  return static_cast<T>(static_cast<int64_t>(sum) / reduction::reduced_elements(p));
}

template <class P>
int32_t mean(const P& p, const int32_t* x) {
  return quotient(p, x);
}

template <class P>
int64_t mean(const P& p, const int64_t* x) {
  return quotient(p, x);
}

template <class P>
float mean(const P& p, const float* x) {
  float sum = 0;
  reduction::for_each_reduced(p, x, [&sum](float element) { sum += element; });
  return sum / static_cast<float>(reduction::reduced_elements(p));
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out) {
  reduction::for_each_element(p, in.x, out.y, [&p](const T* x) { return mean(p, x); });
}

}  // namespace opsmith::mean
