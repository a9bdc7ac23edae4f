// Needs vectors. Fast because windows are copied to rows, of which several meet each weight that is
// loaded, in lanes that are output channels.
#pragma once

#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"
#include "runtimes/simd/windows.h"

namespace opsmith::simd {

// All output pixels, of windows that are copied to rows.
template <class V, class P, class T, class C>
void multiply_windows(const P& p, const T* x, T zero, const C& channels, typename V::Input* rows,
                      typename C::Output* y) {
  const auto put = [&](int32_t count) {
    multiply<V>(channels, rows, count, y);
    y += count * p.output_channels;
  };
  gather_windows<V>(p, x, zero, channels.groups * V::kGroup, rows, put);
}

template <class V, class P, class B, class T, class S>
void convolve_bytes(const P& p, const B* x, int8_t* y, const T& tables, const S& scratch) {
  const ChannelsOf channels = {p.output_channels, p.groups, tables.weights, tables.constants,
                               outputs_of<B>(p)};
  const int32_t pitch = p.groups * V::kGroup;
  if (!are_rows(p, pitch)) {
    const B zero = static_cast<B>(p.input_zero_point);
    return multiply_windows<V>(p, x, zero, channels, scratch.rows, y);
  }
  const int32_t pixels = p.batches * p.output_height * p.output_width;
  for (int32_t first = 0; first < pixels; first += V::kRows) {
    const int32_t count = min(V::kRows, pixels - first);
    V::copy(x + first * pitch, count * pitch, scratch.rows);
    multiply<V>(channels, scratch.rows, count, y + first * p.output_channels);
  }
}

template <class V, class P, class I, class O, class T, class S>
void convolve(const P& p, const I& in, const O& out, const T& tables, const S& scratch) {
  convolve_bytes<V>(p, in.x, reinterpret_cast<int8_t*>(out.y), tables, scratch);
  finish(out.y, p.batches * p.output_height * p.output_width * p.output_channels);
}

template <class V, class P, class I, class O, class T, class S>
void convolve_reals(const P& p, const I& in, const O& out, const T& tables, const S& scratch) {
  const RealChannels channels = {p.output_channels,
                                 p.groups,
                                 tables.weights,
                                 tables.bias,
                                 static_cast<float>(p.real_min),
                                 static_cast<float>(p.real_max)};
  if (are_rows(p, p.groups)) {
    const int32_t pixels = p.batches * p.output_height * p.output_width;
    return multiply_all<Reals<V>>(channels, in.x, pixels, out.y);
  }
  multiply_windows<Reals<V>>(p, in.x, 0.0f, channels, scratch.rows, out.y);
}

}  // namespace opsmith::simd
