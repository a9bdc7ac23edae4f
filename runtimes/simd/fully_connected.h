// Needs vectors. Fast because several rows meet each weight that is loaded, in lanes that are
// output channels.
#pragma once

#include "runtimes/simd/reals.h"
#include "runtimes/simd/rows.h"
#include "simd/fully_connected.op.h"

namespace opsmith::fully_connected::simd {

template <class V, class P, class B, class T, class S>
void multiply(const P& p, const In<B>& in, const Out<B>& out, const T& tables, const S& scratch) {
  const opsmith::simd::ChannelsOf channels = {p.channels, p.groups, tables.weights,
                                              tables.constants, opsmith::simd::outputs_of<B>(p)};
  int8_t* const y = reinterpret_cast<int8_t*>(out.y);
  const int32_t pitch = p.groups * V::kGroup;
  for (int32_t row = 0; row < p.rows; row += V::kRows) {
    const int32_t count = min(V::kRows, p.rows - row);
    for (int32_t i = 0; i < count; ++i) {
      V::copy(in.x + (row + i) * p.depth, p.depth, scratch.rows + i * pitch);
    }
    opsmith::simd::multiply<V>(channels, scratch.rows, count, y + row * p.channels);
  }
  opsmith::simd::finish(out.y, p.rows * p.channels);
}

template <class V, class P, class T>
void multiply_reals(const P& p, const In<float>& in, const Out<float>& out, const T& tables) {
  const opsmith::simd::RealChannels channels = {p.channels,
                                                p.depth,
                                                tables.weights,
                                                tables.bias,
                                                static_cast<float>(p.real_min),
                                                static_cast<float>(p.real_max)};
  opsmith::simd::multiply_all<opsmith::simd::Reals<V>>(channels, in.x, p.rows, out.y);
}

}  // namespace opsmith::fully_connected::simd
