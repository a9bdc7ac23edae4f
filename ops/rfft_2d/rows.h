// Planes of one row: the transforms of SignalRfft. Fast because no column is moved.
#pragma once

#include "rfft_2d.op.h"
#include "runtimes/families/fourier.h"

namespace opsmith::rfft_2d {

template <class P>
void rows(const P& p, const In& in, const Out& out, const FloatTables& tables,
          const RowsScratch& scratch) {
  auto* z = reinterpret_cast<fourier::Complex<float>*>(scratch.z);
  fourier::spectra(p, in.x, p.x_step, out.y, tables, z);
}

}  // namespace opsmith::rfft_2d
