// Needs an FPU. Fast because each input that is loaded serves four output channels, and of four
// rows each weight four rows; sums stay in registers.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/cmsis/fpu_rows.h"

namespace opsmith::fully_connected::f32 {

template <class P>
void fpu(const P& p, const In<float>& in, const Out<float>& out, const Tables& tables) {
  const fpu::Bounds bounds(p);
  for (int32_t row = 0; row < p.rows; row += fpu::kRows) {
    const int32_t rows = p.rows - row < fpu::kRows ? p.rows - row : fpu::kRows;
    fpu::multiply_rows(bounds, in.x + row * p.depth, rows, p.depth, tables.weights, tables.bias,
                       p.channels, out.y + row * p.channels, p.channels);
  }
}

}  // namespace opsmith::fully_connected::f32
