// What becomes of the gates of a cell. Freestanding C++17.
#pragma once

#include "ops/unidirectional_sequence_lstm/steps.h"
#include "runtimes/core/fixed_point.h"
#include "runtimes/core/sigmoid.h"

namespace opsmith::unidirectional_sequence_lstm::i16x8 {

constexpr int32_t saturated(int32_t x) { return clamp(x, INT16_MIN, INT16_MAX); }

constexpr int32_t product(int32_t a, int32_t b, int32_t multiplier, int32_t shift) {
  return saturated(multiply_by_quantized_multiplier(a * b, multiplier, shift));
}

// The output of a cell whose gates are these positions among the samples. Its state moves.
template <class P>
int16_t output(const P& p, const int32_t (&positions)[4], int16_t& cell, const uint16_t* samples) {
  const int32_t half = (1 << p.cell_shift) >> 1;
  const int32_t forget = logistic_at(positions[kForget], samples);
  const int32_t update = logistic_at(positions[kInput], samples);
  const int32_t candidate = tangent_at(positions[kCell], samples);
  const int32_t kept = product(forget, cell, p.kept_multiplier, p.kept_shift);
  const int32_t added = product(update, candidate, p.added_multiplier, p.added_shift);
  const int32_t sum = saturated(kept + added);
  const int32_t state = p.cell_clip > 0 ? clamp(sum, -p.cell_clip, p.cell_clip) : sum;
  const int32_t shown = tangent_at((state * p.cell_multiplier + half) >> p.cell_shift, samples);
  const int32_t shows = logistic_at(positions[kOutput], samples);
  cell = static_cast<int16_t>(state);
  return static_cast<int16_t>(product(shown, shows, p.y_multiplier, p.y_shift));
}

}  // namespace opsmith::unidirectional_sequence_lstm::i16x8
