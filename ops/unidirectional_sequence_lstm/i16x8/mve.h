// Needs Helium. Fast because the four gates of a cell are multiplied at a time, eight inputs by
// each, and stay one vector through their functions; then four cells are updated at a time.
#pragma once

#include "ops/unidirectional_sequence_lstm/steps.h"
#include "runtimes/cmsis/mve_functions.h"
#include "runtimes/cmsis/mve_narrow.h"
#include "runtimes/cmsis/mve_samples.h"

namespace opsmith::unidirectional_sequence_lstm::i16x8 {

// The rows of a step, and the weights of the next cell.
struct Rows {
  const int16_t* x;
  const int16_t* h;
  const int8_t* weights;
  const int8_t* recurrent;
};

inline constexpr mve::Sampled kGateFunctions = mve::sampled(0xf & ~(1u << kCell));
inline constexpr mve::Sampled kStateFunctions = mve::sampled(0);

// The gates of a cell.
template <class P>
int32x4_t gates_of(const P& p, Rows& rows, int32_t cell, const MveTables& tables) {
  int32x4_t of_x, of_h;
  rows.weights = mve::dot_products(rows.x, rows.weights, mve::vectors(p.depth), of_x);
  rows.recurrent = mve::dot_products(rows.h, rows.recurrent, mve::vectors(p.cells), of_h);
  of_x = vaddq_s32(of_x, vldrwq_s32(tables.bias + 4 * cell));
  of_x = mve::saturated_halfwords(vrmulhq_s32(of_x, vldrwq_s32(tables.multipliers)));
  of_h = mve::saturated_halfwords(vrmulhq_s32(of_h, vldrwq_s32(tables.multipliers + 4)));
  const int32x4_t sums = mve::saturated_halfwords(vaddq_s32(of_x, of_h));
  return mve::functions_by_samples(vmulq_n_s32(sums, 3), tables.samples, kGateFunctions);
}

// Products of halfwords, requantised.
inline int32x4_t product(int32x4_t a, int32x4_t b, int32_t multiplier, int32_t shift) {
  const int32x4_t scaled =
      mve::rescaled(vmulq_s32(a, b), vdupq_n_s32(multiplier), vdupq_n_s32(shift));
  return mve::saturated_halfwords(scaled);
}

// The outputs of four cells by their gates. Their states move.
template <class P>
int32x4_t outputs(const P& p, const int32x4x4_t& gates, int32x4_t& states,
                  const uint16_t* samples) {
  const int32x4_t kept = product(gates.val[kForget], states, p.kept_multiplier, p.kept_shift);
  const int32x4_t added =
      product(gates.val[kInput], gates.val[kCell], p.added_multiplier, p.added_shift);
  states = mve::saturated_halfwords(vaddq_s32(kept, added));
  if (p.cell_clip > 0) {
    states = vminq_s32(vmaxq_s32(states, vdupq_n_s32(-p.cell_clip)), vdupq_n_s32(p.cell_clip));
  }
  const int32x4_t at =
      vrshlq_s32(vmulq_n_s32(states, p.cell_multiplier), vdupq_n_s32(-p.cell_shift));
  const int32x4_t shown = mve::functions_by_samples(at, samples, kStateFunctions);
  return product(shown, gates.val[kOutput], p.y_multiplier, p.y_shift);
}

// One step of one batch.
template <class P>
void four_by_four(const P& p, Rows rows, int16_t* cells, int16_t* y, const MveTables& tables) {
  for (int32_t first = 0; first < p.cells; first += 4) {
    const int32_t count = min(p.cells - first, 4);
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(count));
    int32_t gates[16] = {};
    for (int32_t i = 0; i < count; ++i) {
      vstrwq_s32(gates + 4 * i, gates_of(p, rows, first + i, tables));
    }
    int32x4_t states = vldrhq_z_s32(cells + first, some);
    vstrhq_p_s32(y + first, outputs(p, vld4q_s32(gates), states, tables.samples), some);
    vstrhq_p_s32(cells + first, states, some);
  }
}

template <class P>
void mve(const P& p, const In<int16_t, int16_t>& in, const Out<int16_t, int16_t>& out,
         const MveTables& tables) {
  over_steps(p, in, out, [&](const int16_t* x, const int16_t* h, int16_t* cells, int16_t* y) {
    four_by_four(p, {x, h, tables.weights, tables.recurrent}, cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i16x8
