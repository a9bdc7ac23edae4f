// Needs the DSP extension. Fast because the features of eight filters are multiplied at a time, and
// the memory of a filter moves and meets its weights two elements at a time.
#pragma once

#include "ops/svdf/output.h"
#include "runtimes/cmsis/dsp.h"
#include "runtimes/cmsis/dsp_rows.h"
#include "runtimes/cmsis/dsp_padding.h"
#include "svdf.op.h"

namespace opsmith::svdf {

// Moves the memory of a filter up by one, appends the latest element and returns the product with
// the weights over time.
inline uint32_t moved_by_pairs(int16_t* memory, const int16_t* time, int32_t size, int32_t latest) {
  int32_t products = 0, i = 0;
  for (; i + 2 < size; i += 2) {
    const uint32_t next = dsp::load_word(memory + i + 1);
    dsp::store_word(memory + i, next);
    products = dsp::smlad(next, dsp::load_word(time + i), products);
  }
  uint32_t sum = static_cast<uint32_t>(products);
  if (i + 1 < size) {
    memory[i] = memory[i + 1];
    sum += static_cast<uint32_t>(memory[i] * time[i]);
    ++i;
  }
  memory[i] = static_cast<int16_t>(latest);
  return sum + static_cast<uint32_t>(latest * time[i]);
}

template <class P>
void one_batch(const P& p, const int8_t* x, int16_t* memory, const DspTables& tables, int8_t* y) {
  const int16_t* time = tables.time;
  const uint32_t* features = reinterpret_cast<const uint32_t*>(tables.features);
  const int32_t products = dsp::neighbours(x, x + p.padded_depth);
  Units<P> units = {p, tables.bias, y};
  const int32_t filters = p.units * p.rank;
  for (int32_t first = 0; first < filters; first += 8) {
    int32_t sums[8];
    features =
        dsp::eight_channels(p, x, x + p.padded_depth, filters - first, features, products, sums);
    for (int32_t i = 0; i < min(filters - first, 8); ++i) {
      const int32_t scaled = multiply_by_quantized_multiplier(
          sums[i] + tables.feature_bias[first + i], p.state_multiplier, p.state_shift);
      const int32_t latest = clamp(scaled, INT16_MIN, INT16_MAX);
      units.add(moved_by_pairs(memory, time, p.memory, latest));
      memory += p.memory;
      time += p.memory;
    }
  }
}

template <class P, class S>
void dsp(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const DspTables& tables, const S& scratch) {
  for (int32_t b = 0; b < p.batches; ++b) {
    const int8_t* x = dsp::whole_words(in.x + b * p.depth, p.depth, p.padded_depth, scratch.x);
    one_batch(p, x, in.state + b * p.units * p.rank * p.memory, tables, out.y + b * p.units);
  }
}

}  // namespace opsmith::svdf
