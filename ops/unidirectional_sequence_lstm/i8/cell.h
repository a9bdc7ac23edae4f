// What becomes of the gates of a cell. Freestanding C++17.
#pragma once

#include "ops/unidirectional_sequence_lstm/steps.h"
#include "runtimes/core/fixed_activation.h"
#include "runtimes/core/fixed_point.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

// The next state of a cell.
template <class P>
int32_t updated(const P& p, int32_t state, int32_t forget, int32_t update, int32_t candidate) {
  const int32_t kept = rounding_divide_by_pot(forget * state, 15);
  const int32_t added = rounding_divide_by_pot(update * candidate, 15 + p.cell_bits);
  const int32_t sum = clamp(kept + added, INT16_MIN, INT16_MAX);
  return p.cell_clip > 0 ? clamp(sum, -p.cell_clip, p.cell_clip) : sum;
}

// The output of a cell whose gates are Q3.12, before their functions. Its state moves.
template <class P>
int8_t output(const P& p, const int32_t (&gates)[4], int16_t& state) {
  const int32_t forget = fixed_logistic(gates[kForget]);
  const int32_t update = p.coupled ? INT16_MAX - forget : fixed_logistic(gates[kInput]);
  const int32_t candidate = fixed_tanh(gates[kCell], 3);
  state = static_cast<int16_t>(updated(p, state, forget, update, candidate));
  const int32_t product = fixed_logistic(gates[kOutput]) * fixed_tanh(state, p.cell_bits);
  const int32_t scaled = multiply_by_quantized_multiplier(product, p.y_multiplier, p.y_shift);
  return static_cast<int8_t>(clamp(scaled + p.y_zero_point, INT8_MIN, INT8_MAX));
}

// A gate before its function, in Q3.12, from sums of x and of the previous output.
template <class P>
int32_t gate_of(const P& p, int32_t which, int32_t of_x, int32_t of_h) {
  const int32_t scaled =
      multiply_by_quantized_multiplier(of_x, p.x_multiplier[which], p.x_shift[which]);
  const int32_t more =
      multiply_by_quantized_multiplier(of_h, p.h_multiplier[which], p.h_shift[which]);
  return clamp(clamp(scaled, INT16_MIN, INT16_MAX) + more, INT16_MIN, INT16_MAX);
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
