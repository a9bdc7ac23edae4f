// Needs Helium. Fast because the four gates of a cell are multiplied at a time, sixteen inputs by
// each, and are one vector until their functions, which are computed four at a time, too.
#pragma once

#include "ops/unidirectional_sequence_lstm/i8/cell.h"
#include "runtimes/cmsis/mve_functions.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

// The rows of a step, and the weights of the next cell.
struct Rows {
  const int8_t* x;
  const int8_t* h;
  const int8_t* weights;
  const int8_t* recurrent;
};

// The gates of a cell before their functions, in Q3.12.
template <class P>
int32x4_t gates_of(const P& p, Rows& rows, int32_t cell, const MveTables& tables) {
  int32x4_t of_x, of_h;
  rows.weights = mve::dot_products(rows.x, rows.weights, p.x_tail, p.x_steps, of_x);
  rows.recurrent = mve::dot_products(rows.h, rows.recurrent, p.h_tail, p.h_steps, of_h);
  of_x = vaddq_s32(of_x, vldrwq_s32(tables.bias + 4 * cell));
  of_h = vaddq_s32(of_h, vldrwq_s32(tables.recurrent_bias + 4 * cell));
  of_x = mve::rescaled(of_x, vldrwq_s32(tables.multipliers), vldrwq_s32(tables.shifts));
  of_h = mve::rescaled(of_h, vldrwq_s32(tables.multipliers + 4), vldrwq_s32(tables.shifts + 4));
  return mve::saturated_halfwords(vaddq_s32(mve::saturated_halfwords(of_x), of_h));
}

// The functions of gates and of states, and the integer bits of the exponents of the former.
inline constexpr mve::FixedFunctions kGateFunctions = mve::functions_of(0xf & ~(1u << kCell));
inline constexpr mve::FixedFunctions kStateFunctions = mve::functions_of(0);
inline constexpr int32_t kGateBits[4] = {3, 3, 4, 3};

// One step of one batch, four cells at a time.
template <class P>
void four_by_four(const P& p, Rows rows, int16_t* cells, int8_t* y, const MveTables& tables) {
  const int32x4_t of_gates = vldrwq_s32(kGateBits), of_states = vdupq_n_s32(p.cell_bits + 1);
  const int32x4_t multiplier = vdupq_n_s32(p.y_multiplier), shift = vdupq_n_s32(p.y_shift);
  for (int32_t first = 0; first < p.cells; first += 4) {
    const int32_t count = min(p.cells - first, 4);
    int32_t states[4], outputs[4];
    vstrwq_s32(states, vdupq_n_s32(0));
    vstrwq_s32(outputs, vdupq_n_s32(0));
    for (int32_t i = 0; i < count; ++i) {
      int32_t gates[4];
      vstrwq_s32(gates, mve::fixed_functions(gates_of(p, rows, first + i, tables), of_gates,
                                             kGateFunctions));
      const int32_t update = p.coupled ? INT16_MAX - gates[kForget] : gates[kInput];
      states[i] = updated(p, cells[first + i], gates[kForget], update, gates[kCell]);
      outputs[i] = gates[kOutput];
      cells[first + i] = static_cast<int16_t>(states[i]);
    }
    int32x4_t made = mve::fixed_functions(vldrwq_s32(states), of_states, kStateFunctions);
    made = mve::rescaled(vmulq_s32(made, vldrwq_s32(outputs)), multiplier, shift);
    made = vaddq_n_s32(made, p.y_zero_point);
    made = vminq_s32(vmaxq_s32(made, vdupq_n_s32(INT8_MIN)), vdupq_n_s32(INT8_MAX));
    vstrbq_p_s32(y + first, made, vctp32q(static_cast<uint32_t>(count)));
  }
}

template <class P>
void mve(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const MveTables& tables) {
  over_steps(p, in, out, [&](const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y) {
    four_by_four(p, {x, h, tables.weights, tables.recurrent}, cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
