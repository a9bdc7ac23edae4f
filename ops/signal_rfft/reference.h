// SignalRfft, the definition.
#pragma once

#include "runtimes/families/fourier.h"
#include "signal_rfft.op.h"

namespace opsmith::signal_rfft {

template <class P, class T, class Roots>
void reference(const P& p, const In<T>& in, const Out<T>& out, const Roots& tables,
               const ReferenceScratch& scratch) {
  auto* z = reinterpret_cast<fourier::Complex<T>*>(scratch.z);
  fourier::spectra(p, in.x, p.x_length, out.y, tables, z);
}

}  // namespace opsmith::signal_rfft
