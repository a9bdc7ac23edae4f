// Rfft2d, the definition: the spectra of rows, then the transform of each column of them.
#pragma once

#include "rfft_2d.op.h"
#include "runtimes/families/fourier.h"

namespace opsmith::rfft_2d {

// Transforms of columns.
struct Columns {
  int32_t points;
  int32_t first_radix;
};

template <class P>
void reference(const P& p, const In& in, const Out& out, const Tables& tables,
               const ReferenceScratch& scratch) {
  using Number = fourier::Complex<float>;
  auto* z = reinterpret_cast<Number*>(scratch.z);
  const Columns columns{p.columns, p.column_radix};
  const int32_t across = p.points + 1, all = p.columns * across;
  const float* x = in.x;
  float* spectra = out.y;
  for (int32_t plane = 0; plane < p.planes; ++plane, x += p.x_plane, spectra += 2 * all) {
    fourier::spectra(p, x, p.x_step, spectra, tables, z);
    auto* y = reinterpret_cast<Number*>(spectra);
    for (int32_t i = p.rows * across; i < all; ++i) y[i] = {0.0f, 0.0f};
    for (int32_t frequency = 0; frequency < across; ++frequency) {
      for (int32_t i = 0; i < p.columns; ++i) {
        z[i] = y[tables.column_order[i] * across + frequency];
      }
      fourier::transform<false>(columns, tables.column_twiddles, z);
      for (int32_t i = 0; i < p.columns; ++i) y[i * across + frequency] = z[i];
    }
  }
}

}  // namespace opsmith::rfft_2d
