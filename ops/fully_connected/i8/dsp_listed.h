// Needs the DSP extension. Fast as dsp.h, for sums some of which are exceptions.
#pragma once

#include "ops/fully_connected/i8/dsp.h"

namespace opsmith::fully_connected::i8 {

template <class P>
void dsp_listed(const P& p, const In<int8_t>& in, const Out<int8_t>& out,
                const PackedMatrix& tables, const DspListedScratch& scratch) {
  const ListedChannels constants(tables.requantization, p.exceptions_at);
  eight_at_a_time(p, in, out, tables.weights, constants, scratch.row);
}

}  // namespace opsmith::fully_connected::i8
