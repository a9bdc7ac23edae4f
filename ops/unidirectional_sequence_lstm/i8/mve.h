// Needs Helium. Fast because the four gates of a cell are multiplied at a time, sixteen inputs by
// each, and are one vector until their functions.
#pragma once

#include "ops/unidirectional_sequence_lstm/i8/cell.h"
#include "runtimes/cmsis/mve_rows.h"

namespace opsmith::unidirectional_sequence_lstm::i8 {

// Sums times multiplier * 2^(shift - 31) with TFLite's double rounding, for shifts either way.
inline int32x4_t rescaled(int32x4_t sums, const int32_t* multiplier, const int32_t* shift) {
  const int32x4_t shifts = vldrwq_s32(shift), zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shifts, zero);
  sums = vqrdmulhq_s32(vshlq_s32(sums, vmaxq_s32(shifts, zero)), vldrwq_s32(multiplier));
  // one less where a negative number is shifted to the right
  return vrshlq_s32(vaddq_s32(sums, vshrq_n_s32(vandq_s32(sums, right), 31)), right);
}

inline int32x4_t saturated(int32x4_t x) {
  return vminq_s32(vmaxq_s32(x, vdupq_n_s32(INT16_MIN)), vdupq_n_s32(INT16_MAX));
}

// One step of one batch.
template <class P>
void cell_by_cell(const P& p, const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y,
                  const MveTables& tables) {
  const int8_t *weights = tables.weights, *recurrent = tables.recurrent;
  for (int32_t i = 0; i < p.cells; ++i) {
    int32x4_t of_x, of_h;
    weights = mve::dot_products(x, weights, p.x_tail, p.x_steps, of_x);
    recurrent = mve::dot_products(h, recurrent, p.h_tail, p.h_steps, of_h);
    of_x = vaddq_s32(of_x, vldrwq_s32(tables.bias + 4 * i));
    of_h = vaddq_s32(of_h, vldrwq_s32(tables.recurrent_bias + 4 * i));
    of_x = saturated(rescaled(of_x, tables.multipliers, tables.shifts));
    of_h = rescaled(of_h, tables.multipliers + 4, tables.shifts + 4);
    int32_t gates[4];
    vstrwq_s32(gates, saturated(vaddq_s32(of_x, of_h)));
    y[i] = output(p, gates, cells[i]);
  }
}

template <class P>
void mve(const P& p, const In<int8_t, int16_t>& in, const Out<int8_t, int16_t>& out,
         const MveTables& tables) {
  over_steps(p, in, out, [&](const int8_t* x, const int8_t* h, int16_t* cells, int8_t* y) {
    cell_by_cell(p, x, h, cells, y, tables);
  });
}

}  // namespace opsmith::unidirectional_sequence_lstm::i8
